// `node tests/hosts/run.mjs newest` (or `oldest`): runs the adapters on what they adapt, in the newest versions or in the
// oldest that are supported, which the folders beside this file pin, and in a Node.js that these versions support.
//
// It builds and packs the package first, unless BACKOFF_WASM_TARBALL names a tarball. BACKOFF_WASM_HOSTS names the folder
// for the installed packages, which stay there. Arguments go to `node --test`; after `--program` they are a program of
// tests/queues and its arguments, which runs instead of the tests. `--install` only installs, and `--installed` before
// the other arguments does not: what runs at the same time would install over each other. The tests of queues need
// BACKOFF_SERVERS, the program that starts servers, as a JSON array of words: `["python3", "../tests/integrations/servers.py"]`.
// It needs tests/hosts/requirements.txt. BACKOFF_RAN names a file for the versions of the hosts: lines of JSON.

import { execFileSync, spawnSync } from "node:child_process";
import {
	appendFileSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { npm, tarball } from "../project.mjs";

const here = import.meta.dirname;
const source = join(here, "../..");
const [version, ...options] = process.argv.slice(2);
const pinned = join(here, `${version}`);
if (!existsSync(pinned)) {
	throw new Error(`usage: run.mjs newest|oldest; got ${version}`);
}
const project = resolve(process.env.BACKOFF_WASM_HOSTS ?? join(source, "dist", `hosts-${version}`));

/** The entries under test, each with the folder of the project where its programs are. */
const ENTRIES = { "backoff-wasm": "", "backoff-wasm/js": "js" };
/** Tests of the pages and the types, which do not depend on the entry. */
const OF_THE_PACKAGE = ["adapters.test.mjs", "types.test.mjs"];

/** Installs the hosts, unless these are there. */
function installHosts() {
	const lock = join(pinned, "package-lock.json");
	const installed = join(project, "installed.json");
	if (existsSync(installed) && readFileSync(installed, "utf8") === readFileSync(lock, "utf8")) {
		return;
	}
	rmSync(project, { recursive: true, force: true });
	mkdirSync(project, { recursive: true });
	copyFileSync(join(pinned, "package.json"), join(project, "package.json"));
	copyFileSync(join(here, ".npmrc"), join(project, ".npmrc"));
	copyFileSync(lock, join(project, "package-lock.json"));
	// The lock file has only the programs for Linux on x86-64, which `npm ci` would refuse. The hosts may want a later
	// Node.js than npm runs on: they get it below.
	npm(project, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error");
	copyFileSync(lock, installed);
}

/** Copies programs to where they find the hosts and the package. A copy for another entry imports that one. */
function copyPrograms(folder) {
	for (const [entry, place] of Object.entries(ENTRIES)) {
		mkdirSync(join(project, place), { recursive: true });
		for (const name of readdirSync(folder).filter((name) => /\.m?[jt]s$/.test(name))) {
			const code = readFileSync(join(folder, name), "utf8");
			writeFileSync(join(project, place, name), code.replaceAll('"backoff-wasm', `"${entry}`));
		}
	}
}

/** Unpacks the package beside the hosts. npm would ask for all of them again. */
function installPackage() {
	const packed = mkdtempSync(join(tmpdir(), "backoff-wasm-"));
	const folder = join(project, "node_modules/backoff-wasm");
	try {
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder);
		execFileSync("tar", ["-xzf", tarball(packed), "-C", folder, "--strip-components=1"]);
	} finally {
		rmSync(packed, { recursive: true });
	}
}

/** Runs the tests or a program. Returns the exit code. */
function run(words) {
	const [node] = readdirSync(join(project, "node_modules")).filter(
		(name) => name.startsWith("node-") && /\d$/.test(name),
	);
	const names = readdirSync(here).filter((name) => name.endsWith(".test.mjs"));
	const tests = Object.values(ENTRIES).flatMap((place) =>
		names.filter((name) => !place || !OF_THE_PACKAGE.includes(name)).map((name) => join(place, name)),
	);
	const options = words[0] === "--program" ? words.slice(1) : ["--test", ...words, ...tests];
	const { status } = spawnSync(join(project, "node_modules", node, "bin/node"), options, {
		cwd: project,
		stdio: "inherit",
		env: { ...process.env, BACKOFF_WASM_SOURCE: source },
	});
	return status ?? 1;
}

/** Writes the versions of the hosts to the file BACKOFF_RAN, without what their tests need as well. */
function record() {
	const { devDependencies } = JSON.parse(readFileSync(join(pinned, "package.json"), "utf8"));
	for (const [name, version] of Object.entries(devDependencies)) {
		if (!/^(node-|@types\/|@opentelemetry\/(sdk|context)-)/.test(name)) {
			const row = { language: "JavaScript", group: "adapters", name, version };
			appendFileSync(process.env.BACKOFF_RAN, `${JSON.stringify(row)}\n`);
		}
	}
}

const isInstalled = options[0] === "--installed";
if (!isInstalled) {
	installHosts();
	installPackage();
	copyPrograms(join(here, "../queues"));
	copyPrograms(here);
}
if (options[0] !== "--install") {
	process.exitCode = run(isInstalled ? options.slice(1) : options);
	if (process.env.BACKOFF_RAN) {
		record();
	}
}
