// Installs the package into an empty project and runs it in every runtime, bundler and test runner that
// package.json beside this file pins, and in Chromium. Bun, Deno and esbuild are those of the package's own tests.
//
// package-lock.json has no optional packages for other machines than Linux on x86-64. An `npm install` that writes it adds
// them: remove those lines.
//
// It builds and packs the package first, unless BACKOFF_WASM_TARBALL names a tarball. Arguments go to
// `node --test`. BACKOFF_RAN names a file for what it ran on: lines of JSON.

import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inProject } from "../project.mjs";

const here = import.meta.dirname;
const { BACKOFF_RAN } = process.env;

/** Some of the tools need a later Node.js than the package. */
const NODE = join(here, "node_modules/node-24/bin/node");

await inProject((project, tarball) => {
	if (BACKOFF_RAN) {
		writeFileSync(BACKOFF_RAN, "");
	}
	const tests = readdirSync(here).filter((name) => name.endsWith(".test.mjs"));
	const env = { ...process.env, BACKOFF_WASM_PROJECT: project, BACKOFF_WASM_TARBALL: tarball };
	const { status } = spawnSync(NODE, ["--test", ...process.argv.slice(2), ...tests.map((name) => join(here, name))], {
		env,
		stdio: "inherit",
	});
	process.exitCode = status ?? 1;
});
