// Every page of the built site in Chromium: axe-core finds nothing, nothing scrolls sideways on a phone, no error is on
// the console, and no request leaves the site. `BACKOFF_SITE` is its folder, `CHROMIUM` the browser.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const { BACKOFF_SITE: site, CHROMIUM = "/usr/bin/chromium" } = process.env;
const FLAGS =
	"--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
	"--disable-component-update --disable-sync";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** rustdoc writes its own pages, and the playground has its own tests. */
const isOurs = (path) => !/^(api\/rust|playground)\//.test(path);
const pages = readdirSync(site, { recursive: true })
	.filter((path) => path.endsWith(".html") && isOurs(path))
	.sort();

let server;
let browser;
let address;

before(async () => {
	server = await serve(site);
	address = `http://127.0.0.1:${server.address().port}/`;
	browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(" ") });
});

after(async () => {
	await browser?.close();
	server?.close();
});

/** Opens a page, and gathers what is wrong with it in `faults`. */
async function open(options) {
	const context = await browser.newContext({ reducedMotion: "reduce", ...options });
	const page = await context.newPage();
	const faults = [];
	const at = () => page.url().replace(address, "");
	page.on("console", (message) => message.type() === "error" && faults.push(`${at()}: ${message.text()}`));
	page.on("pageerror", (error) => faults.push(`${at()}: ${error}`));
	page.on("request", (request) => {
		if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address))
			faults.push(`${at()}: requests ${request.url()}`);
	});
	await context.addInitScript({ content: axe });
	return { context, page, faults };
}

/** What axe-core finds, by all of its rules or by these, without these elements, and whether the page is wider than its
 * window. */
async function look({ rules, exclude = [] }) {
	const which = rules && { runOnly: { type: "rule", values: rules } };
	const { violations } = await window.axe.run({ exclude }, { resultTypes: ["violations"], ...which });
	const found = violations.flatMap(({ id, nodes }) =>
		nodes.slice(0, 3).map(({ target, failureSummary }) => `${id}: ${target}: ${failureSummary.split("\n")[1]}`),
	);
	const aside = document.documentElement.scrollWidth - window.innerWidth;
	return aside > 0 ? [...found, `${aside} px wider than its window`] : found;
}

/** Scripts change the page when it is there. */
const isAlive = () => document.querySelector("#app").__vue_app__ !== undefined;

/** All rules see the page once; the second time only colours and widths differ. */
const LOOKS = {
	"a screen, light": { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
	"a phone, dark": { viewport: { width: 360, height: 780 }, colorScheme: "dark", rules: ["color-contrast"] },
};

for (const [name, { rules, ...options }] of Object.entries(LOOKS)) {
	test(`each page on ${name}`, async () => {
		const { context, page, faults } = await open(options);
		for (const path of pages) {
			await page.goto(address + path);
			await page.waitForFunction(isAlive);
			// The declarations of the references have the colours of the programs of the other pages.
			const exclude = path.startsWith("api/") ? ["pre"] : [];
			faults.push(...(await page.evaluate(look, { rules, exclude })).map((fault) => `${path}: ${fault}`));
		}
		await context.close();
		const expected = faults.filter((fault) => !fault.startsWith("404.html: Failed to load resource"));
		assert.deepEqual(expected.slice(0, 40), [], `${expected.length} faults`);
		assert.ok(pages.length > 100);
	});
}

test("the chosen language stays chosen", async () => {
	const { context, page, faults } = await open({ viewport: { width: 1280, height: 900 } });
	const shown = () => page.locator("section.language:visible").getAttribute("data-language");
	await page.goto(`${address}tasks/retry.html`);
	assert.equal(await shown(), "python");
	await page.getByRole("tab", { name: "Go" }).click();
	assert.equal(await shown(), "go");
	await page.keyboard.press("ArrowRight");
	assert.equal(await shown(), "rust");
	await page.goto(`${address}tasks/http.html`);
	assert.equal(await shown(), "rust");
	assert.equal(await page.getByRole("combobox", { name: "Language" }).inputValue(), "rust");
	// An address shows another language, and changes no choice.
	const headings = page.locator("section.language h2:visible");
	await page.goto(`${address}tasks/retry.html#python`);
	assert.equal(await shown(), "python");
	await page.goto(`${address}go/retry.html`);
	assert.equal(await page.getByRole("combobox", { name: "Language" }).inputValue(), "go");
	await page.goto(address);
	assert.equal(await shown(), "rust");
	await page.getByRole("tab", { name: "Go" }).click();
	// The heading of this address is in the panel of Python. That of Go has the same.
	await page.goto(`${address}tasks/retry.html#what-may-be-retried`);
	assert.equal(await shown(), "go");
	assert.ok((await headings.allTextContents()).some((text) => text.startsWith("What may be retried")));
	assert.deepEqual(faults, []);
	await context.close();
});

test("the first page of a language is that of the reader who came by it", async () => {
	const { context, page } = await open({ viewport: { width: 1280, height: 900 } });
	await page.goto(`${address}go/retry.html`);
	await page.goto(address);
	assert.equal(await page.locator("section.language:visible").getAttribute("data-language"), "go");
	await context.close();
});

test("the search finds a page", async () => {
	const { context, page, faults } = await open({ viewport: { width: 360, height: 780 } });
	await page.goto(address);
	await page.getByRole("button", { name: "Search" }).click();
	for (const [words, found] of [
		["retry a call", "tasks/retry"],
		["http requests", "tasks/http"],
		["python", "python"],
		["decorrelated jitter", ""],
	]) {
		await page.getByRole("searchbox").fill(words);
		const isFirst = (found) => document.querySelector("#localsearch-list a")?.getAttribute("href").includes(found);
		await page.waitForFunction(isFirst, found);
	}
	// Links within a list of options, which VitePress makes.
	faults.push(...(await page.evaluate(look, { exclude: ["#localsearch-list"] })));
	assert.deepEqual(faults, []);
	await context.close();
});

test("says when each page was painted first", async (context) => {
	const { context: own, page } = await open({ viewport: { width: 360, height: 780 } });
	for (const path of ["index.html", "tasks/http.html", "spec.html"]) {
		await page.goto(address + path);
		const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
		await page.waitForFunction(paint);
		context.diagnostic(`${path}: first paint after ${Math.round(await page.evaluate(paint))} ms`);
	}
	await own.close();
});
