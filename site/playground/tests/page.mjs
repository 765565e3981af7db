// A browser that shows the page from a file server in a folder of its own, as a site would have it.

import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "../../serve.mjs";

/** The page as it was built. */
export const dist = process.env.BACKOFF_PLAYGROUND ?? join(import.meta.dirname, "../dist");

/** Serves the page in a folder, as a site has it. */
export async function served() {
	const folder = "/some/folder/";
	const server = await serve(dist, 0, folder);
	return { address: `http://127.0.0.1:${server.address().port}${folder}`, close: () => server.close() };
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

/** A page in which nothing may go wrong: `complaints` are errors on the console, and requests to anywhere else. */
export async function blank(context, address) {
	const page = await context.newPage();
	const complaints = [];
	page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
	page.on("pageerror", (error) => complaints.push(String(error)));
	page.on("request", (request) => {
		if (!request.url().startsWith(address) && !/^(data|about):/.test(request.url())) {
			complaints.push(`a request to ${request.url()}`);
		}
	});
	return { page, complaints };
}

/** Opens the playground anew. */
export async function open(page, address, hash = "") {
	// Another hash alone would not load it.
	await page.goto("about:blank");
	await page.goto(`${address}${hash}`);
	await page.waitForSelector("html[data-ready]");
}

/** Waits until the simulation has ended, and returns what it found. */
export async function simulated(page) {
	await page.waitForFunction(() => window.playground.results.isEnd || window.playground.results.error, null, {
		timeout: 120_000,
	});
	return page.evaluate(() => window.playground.results);
}
