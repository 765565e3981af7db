// The vectors that all languages share, and conversions of their values to arguments of this package.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RandomStream, source } from "./installed.mjs";

/** All cases of a file of tests/vectors. */
export function vectors(layer) {
	const file = JSON.parse(readFileSync(join(source, "../tests/vectors", `${layer}.json`), "utf8"));
	if (file.cases.length !== file.count || file.count === 0) {
		throw new Error(`${layer}.json holds ${file.cases.length} cases, not ${file.count}`);
	}
	return file.cases;
}

const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The message of an error about options, which names the options, from the one about the fields of SPEC 5.1. */
export function inOptions(message) {
	return message.replace(/"[^"]*"|\b[a-z]+(?:_[a-z]+)+\b/g, (word) =>
		word.startsWith('"') || KINDS.has(word) ? word : camelCase(word),
	);
}

/** The kinds whose names look like those of fields. */
const KINDS = new Set(["at_least"]);

/** The options of a policy from fields with the names of SPEC 5.1. */
export function options(fields) {
	return Object.fromEntries(Object.entries(fields).map(([name, field]) => [camelCase(name), value(name, field)]));
}

function value(name, given) {
	if (name === "waits") {
		return given.map((wait) => nanoseconds(wait));
	}
	const text = `${given}`;
	if (["growth", "jitter", "cap_on", "retry_after", "elapsed_from"].includes(name)) {
		return text;
	}
	if (["power", "origin", "max_retries", "max_attempts"].includes(name)) {
		return BigInt(text);
	}
	return text.includes("/") ? text.split("/").map(Number) : { nanoseconds: BigInt(text) };
}

/** A duration or time of this many nanoseconds. */
export function nanoseconds(text) {
	return { nanoseconds: BigInt(text) };
}

/** The stream of a seed and a key in hexadecimal, or of the seed alone. */
export function stream(seed, key) {
	return key === null
		? new RandomStream(BigInt(seed))
		: new RandomStream(BigInt(seed), Uint8Array.from(Buffer.from(key, "hex")));
}
