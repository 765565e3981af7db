// What the tests need that the installed package does not hold: the repository.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const { BACKOFF_WASM_SOURCE } = process.env;
if (BACKOFF_WASM_SOURCE === undefined) {
	throw new Error("run these tests with `npm test`, which installs the package into a project of its own");
}
export const source = BACKOFF_WASM_SOURCE;

/** The cases of a file of tests/vectors, all of them. */
export function vectors(layer) {
	const file = JSON.parse(readFileSync(join(source, "../tests/vectors", `${layer}.json`), "utf8"));
	if (file.cases.length !== file.count || file.count === 0) {
		throw new Error(`${layer}.json holds ${file.cases.length} cases, not ${file.count}`);
	}
	return file.cases;
}
