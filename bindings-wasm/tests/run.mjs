// `npm test`: installs the package into an empty project and runs every test against it, so that
// the tests see the files that npm publishes.
//
// It builds and packs the package first, unless BACKOFF_WASM_TARBALL names a tarball. It tests both entries,
// unless BACKOFF_WASM_ENTRY names one. Arguments go to `node --test`.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inProject } from "./project.mjs";

const here = import.meta.dirname;
const { BACKOFF_WASM_ENTRY } = process.env;

/** Tests that do not depend on the entry. */
const OF_THE_PACKAGE = [
	"agree",
	"blocked",
	"bundlers",
	"delay",
	"docs",
	"entries",
	"locks",
	"package",
	"runtimes",
	"sizes",
	"types",
].map((name) => `${name}.test.mjs`);

await inProject((project, tarball) => {
	for (const entry of BACKOFF_WASM_ENTRY ? [BACKOFF_WASM_ENTRY] : ["backoff-wasm", "backoff-wasm/js"]) {
		const tests = readdirSync(here)
			.filter((name) => name.endsWith(".test.mjs"))
			.filter((name) => entry === "backoff-wasm" || !OF_THE_PACKAGE.includes(name))
			.map((name) => join(here, name));
		const env = {
			...process.env,
			BACKOFF_WASM_PROJECT: project,
			BACKOFF_WASM_TARBALL: tarball,
			BACKOFF_WASM_ENTRY: entry,
		};
		const { status } = spawnSync(process.execPath, ["--test", ...process.argv.slice(2), ...tests], {
			env,
			stdio: "inherit",
		});
		process.exitCode ||= status ?? 1;
	}
});
