// A policy, a seed and a key as the vectors and the request lines write them.

import { Stream } from "backoff-wasm";

const AS_TEXT = new Set(["growth", "jitter", "cap_on"]);
const AS_COUNT = new Set(["power", "origin"]);

/** The options of a policy from fields by the names of SPEC 5.1. */
export function options(fields) {
	return Object.fromEntries(Object.entries(fields).map(([name, text]) => [camelCase(name), value(name, `${text}`)]));
}

/** The stream of a seed and a key in hexadecimal, or of the seed alone. */
export function stream(seed, key) {
	return new Stream(BigInt(seed), key == null ? undefined : Uint8Array.from(Buffer.from(key, "hex")));
}

export function camelCase(name) {
	return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

function value(name, text) {
	if (AS_TEXT.has(name)) {
		return text;
	}
	if (AS_COUNT.has(name)) {
		return Number(text);
	}
	return text.includes("/") ? text.split("/").map(Number) : { nanoseconds: BigInt(text) };
}
