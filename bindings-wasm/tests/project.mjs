// An empty project that has the tarball of the package installed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("..", import.meta.url));

/** Runs npm in a folder. */
export function npm(cwd, ...options) {
	const [command, ...first] = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
	execFileSync(command, [...first, ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

/** The tarball that BACKOFF_WASM_TARBALL names, or one that is built now and packed into a folder. */
export function tarball(folder) {
	const { BACKOFF_WASM_TARBALL } = process.env;
	if (BACKOFF_WASM_TARBALL) {
		return resolve(BACKOFF_WASM_TARBALL);
	}
	npm(source, "run", "build");
	npm(source, "pack", "./dist/package", "--pack-destination", folder);
	return join(folder, ...readdirSync(folder));
}

/** Calls a function with such a project and the tarball, and deletes the project afterwards. */
export async function inProject(act) {
	const project = mkdtempSync(join(tmpdir(), "backoff-wasm-"));
	try {
		const packed = tarball(project);
		writeFileSync(join(project, "package.json"), '{ "private": true }\n');
		npm(project, "install", "--offline", "--no-audit", "--no-fund", packed);
		await act(project, packed);
	} finally {
		rmSync(project, { recursive: true });
	}
}
