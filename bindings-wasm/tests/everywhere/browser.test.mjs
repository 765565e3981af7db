// Bundles of every bundler in Chromium: on pages, on pages with a strict Content-Security-Policy, and in the service
// worker of an extension.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as esbuild } from "esbuild";
import { chromium } from "playwright-core";
import { rollup } from "rollup";
import { build as vite } from "vite";
import webpack from "webpack";
import { ENTRIES, EXPECTED, EXPECTED_BLOCKED, EXPECTED_FETCH, ran, versionOf } from "./expected.mjs";
import { startServer } from "./server.mjs";

const { BACKOFF_WASM_PROJECT: project, CHROMIUM = "/usr/bin/chromium" } = process.env;
const folder = join(project, "browser");
const CHECK = join(import.meta.dirname, "check.mjs");

const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
ARGS.push("--disable-component-update", "--disable-sync");

let server;
let context;

/** `/plain/NAME.js`, `/strict/NAME.js` and their pages. */
function pageAt(path) {
	const [, , name] = path.split("/");
	if (name?.endsWith(".html")) {
		return `<!doctype html><title>check</title><script type="module" src="${name.replace(".html", ".js")}"></script>`;
	}
	const file = join(folder, name ?? "none");
	return existsSync(file) ? readFileSync(file) : undefined;
}

/** Writes a program that reports the result of a check under its ID and its own place. */
function program(name, imports, use, server, id) {
	const path = join(folder, `${name}.source.mjs`);
	const lines = [
		imports,
		`import { check, checkBlocked, checkFetch, loadFrom } from ${JSON.stringify(CHECK)};`,
		`const server = ${server};`,
		`const id = ${id};`,
		"const send = (result) => fetch(server + '/report?' + id, { method: 'POST', body: JSON.stringify(result) });",
		`void [check, checkBlocked, checkFetch, loadFrom];`,
		`${use}.catch((error) => ({ error: String(error.stack) })).then(send);`,
	];
	writeFileSync(path, `${lines.join("\n")}\n`);
	return path;
}

const extensions = [];

/** An extension whose service worker runs a check. */
function extension(name, imports, use) {
	const path = join(folder, name);
	mkdirSync(path);
	const manifest = {
		manifest_version: 3,
		name,
		version: "1",
		background: { service_worker: "worker.js" },
		host_permissions: ["http://127.0.0.1/*"],
		content_security_policy: { extension_pages: "script-src 'self'" },
	};
	writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
	extensions.push(() =>
		BUNDLERS.esbuild(
			program(name, imports, use, JSON.stringify(server.url), JSON.stringify(name)),
			join(path, "worker.js"),
		),
	);
}

/** Each bundles a program into one file, with its defaults for browsers. */
const BUNDLERS = {
	async esbuild(input, output) {
		await esbuild({
			entryPoints: [input],
			outfile: output,
			bundle: true,
			minify: true,
			format: "esm",
			logLevel: "warning",
		});
	},
	async vite(input, output) {
		const options = { input, output: { entryFileNames: "out.js" } };
		const built = await vite({
			root: folder,
			configFile: false,
			logLevel: "warn",
			build: { write: false, modulePreload: false, rollupOptions: options },
		});
		writeOnly(output, [built].flat()[0].output);
	},
	async rollup(input, output) {
		const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })] });
		writeOnly(output, (await bundle.generate({ format: "es" })).output);
	},
	async webpack(input, output, options) {
		const built = Promise.withResolvers();
		const [path, filename] = [folder, output.slice(folder.length + 1)];
		webpack({ mode: "production", entry: input, output: { path, filename }, ...options }, (error, stats) => {
			if (error || stats.hasErrors() || stats.hasWarnings()) {
				built.reject(error ?? new Error(stats.toString()));
			} else {
				built.resolve(stats);
			}
		});
		const { emittedAssets } = (await built.promise).compilation;
		assert.deepEqual([...emittedAssets], [filename]);
	},
};

function writeOnly(output, chunks) {
	assert.equal(chunks.length, 1);
	writeFileSync(output, chunks[0].code);
}

/** What a page reports. */
async function visit(kind, name) {
	const id = `${kind}-${name}`;
	const page = await context.newPage();
	const errors = [];
	page.on("pageerror", (error) => errors.push(error));
	const failed = promisify(setTimeout)(60_000).then(() => assert.fail(`no report of ${id}: ${errors}`));
	try {
		await page.goto(`${server.url}/${kind}/${name}.html`);
		return await Promise.race([server.report(id), failed]);
	} finally {
		await page.close();
	}
}

const HERE = { server: "location.origin", id: 'location.pathname.split("/")[1] + "-" + name' };

describe("in Chromium", () => {
	let profile;
	before(async () => {
		if (!existsSync(CHROMIUM)) {
			throw new Error(`${CHROMIUM} is missing: install Chromium, for example Debian's chromium, or set CHROMIUM`);
		}
		mkdirSync(folder);
		server = await startServer(pageAt);
		extension("js-worker", 'import * as api from "backoff-wasm/js";', "check(api, loadFrom(server, id))");
		extension("main-worker", 'import * as api from "backoff-wasm";', "checkBlocked(api)");
		await Promise.all(extensions.map((build) => build()));
		profile = mkdtempSync(join(tmpdir(), "backoff-chromium-"));
		const loaded = ["js-worker", "main-worker"].map((name) => join(folder, name)).join();
		context = await chromium.launchPersistentContext(profile, {
			executablePath: CHROMIUM,
			headless: false,
			args: ["--headless=new", ...ARGS, `--disable-extensions-except=${loaded}`, `--load-extension=${loaded}`],
			ignoreDefaultArgs: ["--disable-extensions"],
		});
	});
	after(async () => {
		await context?.close();
		server?.close();
		if (profile) {
			rmSync(profile, { recursive: true, maxRetries: 5 });
		}
	});

	for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
		describe(bundler, () => {
			const made = async (name, entry, use) => {
				const imports = `import * as api from "${entry}"; const name = ${JSON.stringify(name)};`;
				await bundle(program(name, imports, use, HERE.server, HERE.id), join(folder, `${name}.js`));
				return name;
			};

			test("both entries on a page, and backoff-wasm/js with a strict Content-Security-Policy", async () => {
				for (const entry of ENTRIES) {
					const name = await made(`${bundler}-${entry.replace("/", "-")}`, entry, "check(api, loadFrom(server, id))");
					assert.deepEqual(await visit("plain", name), EXPECTED);
					if (entry === "backoff-wasm/js") {
						assert.deepEqual(await visit("strict", name), EXPECTED);
					}
				}
				ran("bundlers", bundler, versionOf(bundler));
			});

			test("fetch with retries, of backoff-wasm/js, with a strict Content-Security-Policy", async () => {
				const name = await made(`${bundler}-fetch`, "backoff-wasm/js/fetch", "checkFetch(api, server, id)");
				assert.deepEqual(await visit("strict", name), EXPECTED_FETCH);
			});

			test("backoff-wasm with a strict Content-Security-Policy calls once", async () => {
				const name = await made(`${bundler}-blocked`, "backoff-wasm", "checkBlocked(api)");
				assert.deepEqual(await visit("strict", name), EXPECTED_BLOCKED);
			});
		});
	}

	test("webpack that resolves as Metro before 0.79, without exports, takes backoff-wasm/js for both entries", async () => {
		const options = {
			resolve: { exportsFields: [], mainFields: ["react-native", "browser", "main"] },
			// Otherwise webpack resolves no folders for modules.
			module: { rules: [{ resolve: { fullySpecified: false } }] },
		};
		for (const entry of ENTRIES) {
			const name = `metro-${entry.replace("/", "-")}`;
			const imports = `import * as api from "${entry}"; const name = ${JSON.stringify(name)};`;
			const input = program(name, imports, "check(api, loadFrom(server, id))", HERE.server, HERE.id);
			await BUNDLERS.webpack(input, join(folder, `${name}.js`), options);
			assert.deepEqual(await visit("strict", name), EXPECTED);
		}
	});

	test("a service worker of an extension of Manifest V3 in it", async () => {
		assert.deepEqual(await server.report("js-worker"), EXPECTED);
		assert.deepEqual(await server.report("main-worker"), EXPECTED_BLOCKED);
		ran("runtimes", "Chromium", context.browser()?.version() ?? "");
		ran("runtimes", "Manifest V3 service worker", "");
	});
});
