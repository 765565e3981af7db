// `npm test`: installs the package into an empty project and runs every test against it, so that
// the tests see the files that npm publishes.
//
// It builds and packs the package first, unless BACKOFF_WASM_TARBALL names a tarball. Arguments go
// to `node --test`.

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

	const tests = readdirSync(here)
		.filter((name) => name.endsWith(".test.mjs"))
		.map((name) => join(here, name));
	const env = { ...process.env, BACKOFF_WASM_PROJECT: project };
	const { status } = spawnSync(process.execPath, ["--test", ...process.argv.slice(2), ...tests], {
		env,
		stdio: "inherit",
	});
	process.exitCode = status ?? 1;
} finally {
	rmSync(project, { recursive: true });
}
