// The vectors that all languages share, and what they write as this package takes it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Stream, source } from "./installed.mjs";

/** The cases of a file of tests/vectors, all of them. */
export function vectors(layer) {
	const file = JSON.parse(readFileSync(join(source, "../tests/vectors", `${layer}.json`), "utf8"));
	if (file.cases.length !== file.count || file.count === 0) {
		throw new Error(`${layer}.json holds ${file.cases.length} cases, not ${file.count}`);
	}
	return file.cases;
}

/** The options of a policy from its fields by the names of SPEC 5.1. */
export function options(fields) {
	const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
	return Object.fromEntries(Object.entries(fields).map(([name, given]) => [camelCase(name), value(name, `${given}`)]));
}

function value(name, text) {
	if (["growth", "jitter", "cap_on", "hint"].includes(name)) {
		return text;
	}
	if (["power", "origin", "max_retries", "max_attempts"].includes(name)) {
		return BigInt(text);
	}
	return text.includes("/") ? text.split("/").map(Number) : { nanoseconds: BigInt(text) };
}

/** A number of nanoseconds, as a caller may give it. */
export function nanoseconds(text) {
	return { nanoseconds: BigInt(text) };
}

/** The stream of a seed and a key in hexadecimal, or of the seed alone. */
export function stream(seed, key) {
	return key === null ? new Stream(BigInt(seed)) : new Stream(BigInt(seed), Uint8Array.from(Buffer.from(key, "hex")));
}
