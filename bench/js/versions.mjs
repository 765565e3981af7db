// The versions of what is measured.

import { readFileSync } from "node:fs";

const NAMES = [
	...["backoff-wasm", "axios", "axios-retry", "cockatiel", "exponential-backoff"],
	...["got", "ky", "mitata", "p-retry"],
];

const versionOf = (name) =>
	JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;

export const versions = Object.fromEntries(NAMES.map((name) => [name, versionOf(name)]));
