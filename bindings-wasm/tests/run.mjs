// Packs the package, installs the tarball into an empty project and runs every test there, so
// that what is tested is what npm gives. BACKOFF_WASM_PROJECT names the project's folder; it
// is made anew, and stays (the differential test runs its driver.mjs).

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("..", import.meta.url));
const kept = process.env.BACKOFF_WASM_PROJECT;
const project = kept ?? mkdtempSync(join(tmpdir(), "backoff-wasm-"));
rmSync(project, { recursive: true, force: true });
mkdirSync(project, { recursive: true });

const npm = (cwd, ...options) => {
	const [command, ...first] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
	return execFileSync(command, [...first, ...options], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
};
npm(source, "pack", "--silent", "--pack-destination", project);
const [tarball] = readdirSync(project);
writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
npm(project, "install", "--silent", "--offline", "--no-audit", "--no-fund", `./${tarball}`);

cpSync(join(source, "tests"), project, { recursive: true });
cpSync(join(source, "example"), join(project, "example"), { recursive: true });
cpSync(join(source, "README.md"), join(project, "README.md"));
const tests = readdirSync(project).filter((name) => name.endsWith(".test.mjs"));
const environment = { ...process.env, BACKOFF_WASM_SOURCE: source };
const { status } = spawnSync(process.execPath, ["--test", ...tests], {
	cwd: project,
	env: environment,
	stdio: "inherit",
});
if (kept === undefined) {
	rmSync(project, { recursive: true });
}
process.exitCode = status ?? 1;
