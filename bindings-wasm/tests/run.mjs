// Packs the package, installs the tarball into an empty project and runs every test against
// it, so that what is tested is what npm gives.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "backoff-wasm-"));
const npm = (cwd, ...options) => {
	const [command, ...first] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
	execFileSync(command, [...first, ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
};
npm(join(here, ".."), "pack", "--pack-destination", project);
const [tarball] = readdirSync(project);
writeFileSync(join(project, "package.json"), '{ "private": true }\n');
npm(project, "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`);

const tests = readdirSync(here)
	.filter((name) => name.endsWith(".test.mjs"))
	.map((name) => join(here, name));
const env = { ...process.env, BACKOFF_WASM_PROJECT: project };
const { status } = spawnSync(process.execPath, ["--test", ...tests], { env, stdio: "inherit" });
rmSync(project, { recursive: true });
process.exitCode = status ?? 1;
