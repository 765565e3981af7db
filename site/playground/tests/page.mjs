// A browser that shows the page from a file server in a folder of its own, as a site would have it.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const dist = join(import.meta.dirname, "../dist");
const FOLDER = "/some/folder/";
const TYPES = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript",
	".css": "text/css",
	".wasm": "application/wasm",
};

/** Serves the files, and nothing else. */
export async function serve() {
	const server = createServer(async ({ url }, response) => {
		const path = new URL(url, "http://localhost").pathname;
		const file = path.startsWith(FOLDER) ? normalize(path.slice(FOLDER.length) || "index.html") : "..";
		try {
			const body = file.startsWith("..") ? undefined : await readFile(join(dist, file));
			response.writeHead(body ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(body);
		} catch {
			response.writeHead(404).end();
		}
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { address: `http://127.0.0.1:${server.address().port}${FOLDER}`, close: () => server.close() };
}

export const launch = () =>
	chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});

/** Opens the page, and notes what should not happen: an error, or a request to anywhere else. */
export async function open(context, address, hash = "") {
	const page = await context.newPage();
	const complaints = [];
	page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
	page.on("pageerror", (error) => complaints.push(String(error)));
	page.on("request", (request) => {
		if (!request.url().startsWith(address) && !request.url().startsWith("data:")) {
			complaints.push(`a request to ${request.url()}`);
		}
	});
	await page.goto(`${address}${hash}`);
	await page.waitForSelector("html[data-ready]");
	return { page, complaints };
}

/** Waits until the simulation has ended, and returns what it found. */
export async function simulated(page) {
	await page.waitForFunction(() => window.playground.results.isEnd || window.playground.results.error, null, { timeout: 120_000 });
	return page.evaluate(() => window.playground.results);
}
