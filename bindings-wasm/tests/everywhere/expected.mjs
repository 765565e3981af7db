// What the checks return, from the vectors that all languages share; and the record of what they ran on.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of a tool: in the folder of these tests, or of the package, whose own tests use some of them, too. */
export function tool(name) {
	const folders = ["node_modules", "../../node_modules"].map((folder) => join(import.meta.dirname, folder, name));
	return folders.find(existsSync) ?? folders[0];
}

const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../tests/vectors/jitters.json"), "utf8"));
const { delays } = cases.find(({ id }) => id === "full");

/** The number of calls that fail at first. */
export const FAILURES = 3;

/** What `check` returns. */
export const EXPECTED = {
	delays: delays.slice(0, 4),
	waits: delays.slice(0, FAILURES),
	waited: true,
	loaded: "loaded",
};

/** What `checkFetch` returns. */
export const EXPECTED_FETCH = { waits: EXPECTED.waits, loaded: EXPECTED.loaded };

/** What `checkBlocked` returns where WebAssembly is forbidden. */
export const EXPECTED_BLOCKED = {
	value: "1 call",
	status: 200,
	code: "not_retried",
	says: true,
	cause: "down",
	permanent: "gone",
	violations: 1,
};

export const ENTRIES = ["backoff-wasm", "backoff-wasm/js"];

/** Records that the package ran on something; call it after the checks. */
export function ran(group, name, version) {
	const { BACKOFF_RAN } = process.env;
	if (BACKOFF_RAN) {
		appendFileSync(BACKOFF_RAN, `${JSON.stringify({ language: "JavaScript", group, name, version })}\n`);
	}
}

/** The version of a tool. */
export function versionOf(name) {
	return JSON.parse(readFileSync(join(tool(name), "package.json"), "utf8")).version;
}
