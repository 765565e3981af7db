// What the linters of packages say about the tarball, and the types under every supported TypeScript.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { ENTRIES, ran, tool, versionOf } from "./expected.mjs";

const here = import.meta.dirname;
const { BACKOFF_WASM_PROJECT: project, BACKOFF_WASM_TARBALL: tarball } = process.env;
const folder = join(project, "types");
const run = promisify(execFile);

/** The output of a program, which fails with all that it printed. */
async function output(path, args, cwd) {
	try {
		return (await run(process.execPath, [path, ...args], { cwd })).stdout;
	} catch ({ stdout, stderr }) {
		return assert.fail(`${stdout}${stderr}`);
	}
}

test("publint finds nothing", async () => {
	const { messages } = await publint({ pkgDir: join(project, "node_modules/backoff-wasm"), pack: false, strict: true });
	assert.deepEqual(messages, []);
	ran("checked by", "publint", versionOf("publint"));
});

test("attw finds the types of every entry under every resolution", async () => {
	const { entrypoints, problems } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
	const adapters = readdirSync(join(here, "../../js/adapters")).filter((file) => file.endsWith(".d.ts"));
	assert.deepEqual(Object.keys(entrypoints), [
		".",
		"./js",
		"./delay",
		"./package.json",
		...adapters.map((file) => file.slice(0, -".d.ts".length)).flatMap((name) => [`./${name}`, `./js/${name}`]),
	]);
	assert.deepEqual(problems, []);
	ran("checked by", "attw", versionOf("@arethetypeswrong/core"));
});

const program = readFileSync(join(here, "../typing.ts"), "utf8");
const readme = readFileSync(join(here, "../../README.md"), "utf8");
const [, first] = /```js\n([\s\S]*?)```/.exec(readme);
const page = readFileSync(join(here, "../../docs/retry.md"), "utf8");
const [, typed] = /```ts\n([\s\S]*?)```/.exec(page);

describe("TypeScript", () => {
	before(() => {
		mkdirSync(folder);
		writeFileSync(join(folder, "first.mts"), first);
		writeFileSync(join(folder, "typed.mts"), typed);
		for (const entry of ENTRIES) {
			const text = program.replaceAll('"backoff-wasm"', `"${entry}"`);
			for (const extension of ["ts", "mts", "cts"]) {
				writeFileSync(join(folder, `${entry.replace("/", "-")}.${extension}`), text);
			}
		}
	});

	for (const version of ["5.0", "5.4", "5.9", "6.0", "7.0"]) {
		test(version, async () => {
			const name = `typescript-${version}`;
			const strict = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022"];
			if (version >= "6") {
				strict.push("--ignoreConfig");
			}
			const resolutions = [
				["node16", "node16", "mts", "cts"],
				["esnext", "bundler", "ts"],
				// Later versions have ended it.
				...(version < "6" ? [["commonjs", "node10", "ts"]] : []),
			];
			for (const [module, resolution, ...extensions] of resolutions) {
				const files = ENTRIES.flatMap((entry) => extensions.map((end) => `${entry.replace("/", "-")}.${end}`));
				if (extensions.includes("mts")) {
					files.push("first.mts", "typed.mts");
				}
				for (const skipLibCheck of ["true", "false"]) {
					const options = [
						...strict,
						"--skipLibCheck",
						skipLibCheck,
						"--module",
						module,
						"--moduleResolution",
						resolution,
					];
					await output(join(tool(name), "bin/tsc"), [...options, ...files], folder);
				}
			}
			ran("versions", "TypeScript", versionOf(name));
		});
	}
});
