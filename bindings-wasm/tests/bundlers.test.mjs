// rollup, webpack and vite keep of an import what esbuild keeps, whose sizes README.md has (sizes.test.mjs).

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import { rollup } from "rollup";
import { minify } from "terser";
import { build as vite } from "vite";
import webpack from "webpack";
import { installed, project } from "./installed.mjs";

const FILES = { "backoff-wasm": "dist/index.js", "backoff-wasm/js": "dist/js/index.js" };
/** What rollup needs a plugin for. */
const RESOLVED = { name: "resolved", resolveId: (id) => FILES[id] && join(installed, FILES[id]) };

/** Each returns the text of a bundle for a page. */
const BUNDLERS = {
	async esbuild(input) {
		const { outputFiles } = await esbuild({
			entryPoints: [input],
			bundle: true,
			minify: true,
			format: "esm",
			write: false,
		});
		return outputFiles[0].text;
	},
	async rollup(input) {
		const bundle = await rollup({ input, plugins: [RESOLVED] });
		const { output } = await bundle.generate({ format: "es" });
		return (await minify(output[0].code, { module: true })).code;
	},
	async vite(input) {
		const { output } = await vite({
			root: project,
			configFile: false,
			logLevel: "silent",
			build: { write: false, modulePreload: false, rollupOptions: { input } },
		});
		return output.find(({ type }) => type === "chunk").code;
	},
	async webpack(input, path) {
		const filename = "webpack.js";
		const options = { mode: "production", entry: input, output: { path, filename, module: true } };
		await new Promise((resolve, reject) => {
			webpack({ ...options, experiments: { outputModule: true } }, (error, stats) => {
				if (error || stats.hasErrors()) {
					reject(error ?? new Error(stats.toString()));
				} else {
					resolve();
				}
			});
		});
		return readFileSync(join(path, filename), "utf8");
	},
};

describe("all bundlers keep the same", () => {
	for (const entry of Object.keys(FILES)) {
		for (const name of ["retry", "PermanentError", "*"]) {
			test(`${name} of ${entry}`, async () => {
				const folder = mkdtempSync(join(project, "bundlers-"));
				const input = join(folder, "input.mjs");
				const [imported, used] = name === "*" ? ["* as backoff", "{ ...backoff }"] : [`{ ${name} }`, `[${name}]`];
				writeFileSync(input, `import ${imported} from "${entry}"; globalThis.used = ${used};`);
				const sizes = {};
				for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
					sizes[bundler] = gzipSync(await bundle(input, folder), { level: 9 }).length;
				}
				rmSync(folder, { recursive: true });
				const isNear = Object.values(sizes).every((size) => Math.abs(size / sizes.esbuild - 1) <= 0.05);
				assert.ok(isNear, JSON.stringify(sizes));
			});
		}
	}
});
