// `npm test`: installs the package into an empty project and runs every test against it, so that
// the tests see the files that npm publishes.
//
// It builds and packs the package first, unless BACKOFF_WASM_TARBALL names a tarball. It tests both entries,
// unless BACKOFF_WASM_ENTRY names one. Arguments go to `node --test`.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const source = join(here, "..");
const project = mkdtempSync(join(tmpdir(), "backoff-wasm-"));
const npm = (cwd, ...options) => {
	const [command, ...first] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
	execFileSync(command, [...first, ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
};

/** Tests that do not depend on the entry. */
const OF_THE_PACKAGE = ["blocked", "docs", "package", "runtimes", "types"].map((name) => `${name}.test.mjs`);

function pack() {
	npm(source, "run", "build");
	npm(source, "pack", "./dist/package", "--pack-destination", project);
	const [tarball] = readdirSync(project);
	return join(project, tarball);
}

try {
	const { BACKOFF_WASM_TARBALL } = process.env;
	const tarball = BACKOFF_WASM_TARBALL ? resolve(BACKOFF_WASM_TARBALL) : pack();
	writeFileSync(join(project, "package.json"), '{ "private": true }\n');
	npm(project, "install", "--offline", "--no-audit", "--no-fund", tarball);

	const { BACKOFF_WASM_ENTRY } = process.env;
	for (const entry of BACKOFF_WASM_ENTRY ? [BACKOFF_WASM_ENTRY] : ["backoff-wasm", "backoff-wasm/js"]) {
		const tests = readdirSync(here)
			.filter((name) => name.endsWith(".test.mjs"))
			.filter((name) => entry === "backoff-wasm" || !OF_THE_PACKAGE.includes(name))
			.map((name) => join(here, name));
		const env = { ...process.env, BACKOFF_WASM_PROJECT: project, BACKOFF_WASM_ENTRY: entry };
		const { status } = spawnSync(process.execPath, ["--test", ...process.argv.slice(2), ...tests], {
			env,
			stdio: "inherit",
		});
		process.exitCode ||= status ?? 1;
	}
} finally {
	rmSync(project, { recursive: true });
}
