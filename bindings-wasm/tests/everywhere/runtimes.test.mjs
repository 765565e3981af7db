// Both entries in the runtimes for servers, at their edge, and in the engine of React Native.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transformAsync } from "@babel/core";
import { EdgeVM } from "@edge-runtime/vm";
import { build } from "esbuild";
import { ENTRIES, EXPECTED, ran, tool, versionOf } from "./expected.mjs";
import { startServer } from "./server.mjs";

const here = import.meta.dirname;
const project = process.env.BACKOFF_WASM_PROJECT;
const folder = join(project, "runtimes");
const dist = join(project, "node_modules/backoff-wasm/dist");
const MODULES = ["backoff.wasm", "backoff-analysis.wasm", "backoff-budget.wasm", "backoff-member.wasm"];
const run = promisify(execFile);

let server;
before(async () => {
	mkdirSync(folder);
	copyFileSync(join(here, "check.mjs"), join(folder, "check.mjs"));
	server = await startServer();
});
after(() => server.close());

/** The text of a module that exports `run`, which does the check. */
const program = (entry, load) => `
	import * as api from "${entry}";
	import { check, loadAlone, loadFrom } from ${JSON.stringify(join(folder, "check.mjs"))};
	export const run = () => check(api, ${load});
`;
const loadAs = (id) => `loadFrom(${JSON.stringify(server.url)}, ${JSON.stringify(id)})`;

/** A bundle as the tools of a platform make it. */
async function bundled(entry, load, conditions, options) {
	const { outputFiles } = await build({
		stdin: { contents: program(entry, load), resolveDir: project },
		bundle: true,
		write: false,
		format: "esm",
		conditions,
		external: ["*.wasm", "*.wasm?module"],
		...options,
	});
	return outputFiles[0].text;
}

const RUNTIMES = [
	["Node.js", tool("node-20/bin/node"), []],
	["Node.js", tool("node-22/bin/node"), []],
	["Node.js", tool("node-24/bin/node"), []],
	["Bun", tool(".bin/bun"), []],
	["Deno", tool(".bin/deno"), ["run", "--quiet", "--allow-net", "--no-remote"]],
];

/** Of the preset of React Native: what the Hermes that npm has does not know. */
const PLUGINS = ["block-scoping", "classes", "async-to-generator", "unicode-regex"].map(
	(name) => `@babel/plugin-transform-${name}`,
);

/** A worker of both files, as a test. */
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "worker.mjs", esModule = embed "worker.mjs"),
        ${MODULES.map((name) => `(name = "${name}", wasm = embed "${name}")`)},
      ],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["local", "public"])),
  ],
);
`;

describe("runs in", () => {
	for (const [name, path, options] of RUNTIMES) {
		test(`${name}: ${path.slice(here.length + 1)}`, async () => {
			const env = { ...process.env, DENO_DIR: join(folder, "deno"), DENO_NO_UPDATE_CHECK: "1" };
			for (const entry of ENTRIES) {
				const file = `${entry.replace("/", "-")}.mjs`;
				const load = loadAs(`${path} ${entry}`.replaceAll(/\W/g, "-"));
				writeFileSync(join(folder, file), `${program(entry, load)}\nconsole.log(JSON.stringify(await run()));\n`);
				const { stdout } = await run(path, [...options, file], { cwd: folder, env });
				assert.deepEqual(JSON.parse(stdout), EXPECTED);
			}
			const { stdout } = await run(path, ["--version"], { env });
			ran("runtimes", name, /\d+\.\d+\.\d+/.exec(stdout)[0]);
		});
	}

	test("Cloudflare Workers (workerd)", async () => {
		for (const entry of ENTRIES) {
			const text = await bundled(entry, loadAs(`workerd-${entry}`), ["workerd", "worker", "browser"]);
			assert.equal(text.includes('from "./backoff.wasm"'), entry === "backoff-wasm");
			const worker = `${text}\nexport default { test: async () => console.log(JSON.stringify(await run())) };`;
			writeFileSync(join(folder, "worker.mjs"), worker);
			for (const name of MODULES) {
				copyFileSync(join(dist, name), join(folder, name));
			}
			writeFileSync(join(folder, "workerd.capnp"), WORKERD);
			const { stdout } = await run(tool(".bin/workerd"), ["test", "workerd.capnp"], { cwd: folder });
			assert.deepEqual(JSON.parse(stdout), EXPECTED);
		}
		ran("runtimes", "workerd", versionOf("workerd"));
	});

	test("Vercel's Edge Runtime, which compiles nothing", async () => {
		for (const entry of ENTRIES) {
			const text = await bundled(entry, loadAs(`edge-${entry}`), ["edge-light", "worker", "browser"]);
			assert.equal(text.includes('from "./backoff.wasm?module"'), entry === "backoff-wasm");
			// What Vercel does with an import of a module.
			const linked = text.replace(
				/import (\w+) from "\.\/(backoff[\w-]*\.wasm)\?module";/g,
				'const $1 = globalThis.modules["$2"];',
			);
			const script = linked.replace(/export \{\s*run\s*\};/, "globalThis.result = run();");
			const modules = Object.fromEntries(
				MODULES.map((name) => [name, new WebAssembly.Module(readFileSync(join(dist, name)))]),
			);
			const vm = new EdgeVM({
				codeGeneration: { strings: false, wasm: false },
				extend: (context) => Object.assign(context, { modules }),
			});
			vm.evaluate(script);
			assert.deepEqual(JSON.parse(JSON.stringify(await vm.context.result)), EXPECTED);
		}
		ran("runtimes", "edge-runtime", versionOf("@edge-runtime/vm"));
	});

	test("Hermes, through plugins of the compiler of React Native", async () => {
		const { outputFiles } = await build({
			stdin: { contents: HERMES, resolveDir: project },
			bundle: true,
			write: false,
			format: "iife",
			conditions: ["react-native"],
			alias: { "abort-controller": join(tool("abort-controller"), "dist/abort-controller.mjs") },
		});
		const { code } = await transformAsync(outputFiles[0].text, {
			plugins: PLUGINS.map((name) => import.meta.resolve(name)).map(fileURLToPath),
			sourceType: "script",
			configFile: false,
			compact: true,
		});
		const path = join(folder, "hermes.js");
		writeFileSync(path, code);
		const { stdout } = await run(join(tool("hermes-engine-cli"), "linux64-bin/hermes"), ["-w", path]);
		assert.deepEqual(JSON.parse(stdout), { ...EXPECTED, aborted: "AbortError", unkeyed: "loaded" });
		ran("runtimes", "Hermes", versionOf("hermes-engine-cli"));
	});
});

/** The shell of Hermes has timers that do not wait, and no `performance`. React Native has both, and this polyfill. */
const HERMES = `
	import { AbortController } from "abort-controller";
	import { check, loadAlone } from ${JSON.stringify(join(folder, "check.mjs"))};
	const { setTimeout } = globalThis;
	let clock = 0;
	Date.now = () => clock;
	Object.assign(globalThis, {
		AbortController,
		performance: { now: () => clock },
		setTimeout: (act, delay) => setTimeout(() => { clock += delay; act(); }),
		clearTimeout() {},
	});
	const run = async () => {
		const api = require("backoff-wasm");
		const controller = new AbortController();
		const options = { policy: "constant:base=1h,max_retries=5", shouldRetry: () => true };
		const hangs = api.retry(() => { controller.abort(); throw 1; }, { ...options, signal: controller.signal });
		const aborted = await hangs.catch(({ name }) => name);
		return { ...await check(api, loadAlone()), aborted, unkeyed: await api.retry(loadAlone(), options) };
	};
	run().then((result) => print(JSON.stringify(result)), (error) => print(String(error.stack)));
`;
