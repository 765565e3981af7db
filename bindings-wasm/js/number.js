// Whole numbers: WebAssembly would wrap what does not fit and read NaN as 0.

import { refuse, wrongType } from "./error.js";

export const NS_PER_MS = 1e6;
export const MAX_WORD = 2n ** 64n - 1n;
const MAX_INDEX = 2 ** 32 - 1;

/** A non-negative whole number as a bigint; a number only if it is exact. */
export function whole(field, given) {
	if (typeof given === "number") {
		finite(field, given);
		if (given % 1) {
			refuse("not_whole", field, 0n, 0n, `${given} is not a whole number`);
		}
		return atMost(field, BigInt(given), BigInt(Number.MAX_SAFE_INTEGER), "; give it as a bigint");
	}
	if (typeof given !== "bigint") {
		wrongType(field, "a whole number or a bigint", given);
	}
	if (given < 0) {
		refuse("negative", field, given, 0n, `${given} is negative`);
	}
	return given;
}

/** A 64-bit word, such as a seed. */
export function word(field, given) {
	return atMost(field, whole(field, given), MAX_WORD);
}

/** An index, or a count of indices, as the number that it is. */
export function index(field, given, limit = MAX_INDEX) {
	if (typeof given !== "number") {
		wrongType(field, "a number", given);
	}
	if (finite(field, given) > limit) {
		refuse("too_large", field, BigInt(Math.floor(given)), BigInt(limit), `${given} is above ${limit}`);
	}
	whole(field, given);
	return given;
}

/** The number of delays that are asked for from an index on. */
export function count(given, first) {
	return index("count", given, MAX_INDEX + 1 - index("first", first));
}

/** A number that is neither NaN nor infinite, nor negative unless that is allowed. */
export function finite(field, given, least = 0) {
	if (!Number.isFinite(given)) {
		refuse("not_finite", field, 0n, 0n, `${given} is not a finite number`);
	}
	if (given < least) {
		refuse("negative", field, BigInt(Math.floor(given)), 0n, `${given} is negative`);
	}
	return given;
}

function atMost(field, value, limit, hint = "") {
	if (value > limit) {
		refuse("too_large", field, value, limit, `${value} is above ${limit}${hint}`);
	}
	return value;
}
