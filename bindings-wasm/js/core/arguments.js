// Checks of arguments. WebAssembly would wrap a number that does not fit and turn NaN into 0.

import { refuse, typeName, wrongType } from "./errors.js";

export const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;
export const INDEX_COUNT = 0x1_0000_0000;

/**
 * The options of an object, each read once, and for the others what `absent` has. An unknown option is an error.
 * All known options are own properties of the result, so that a property of `Object.prototype` is not an option.
 */
export function pickOptions(what, options, absent) {
	checkPlain(what, options);
	for (const option of Object.keys(options)) {
		if (!Object.hasOwn(absent, option)) {
			throw new TypeError(`${option} is unknown; the options of ${what} are ${Object.keys(absent).join(", ")}`);
		}
	}
	return { ...absent, ...options };
}

/** A copy of options, each read once. */
export function copyOptions(what, options = {}) {
	checkPlain(what, options);
	return { ...options };
}

function checkPlain(what, options) {
	// Inherited properties would be options that nobody sees.
	if (typeof options !== "object" || options === null || !isPlain(options)) {
		wrongType(`options of ${what}`, "a plain object", options);
	}
}

/** Options of these names, all of them undefined. */
export function noOptions(...names) {
	return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Whether an object's only prototype, if any, is the Object.prototype of some realm. */
function isPlain(value) {
	const prototype = Object.getPrototypeOf(value);
	return (
		prototype === Object.prototype ||
		prototype === null ||
		(Object.getPrototypeOf(prototype) === null && !Array.isArray(value))
	);
}

/** A non-negative whole number as a bigint. A number must be a safe integer. */
export function wholeNumber(name, input) {
	if (typeof input === "number") {
		finite(name, input);
		if (input % 1) {
			refuse("not_whole", name, 0n, 0n, `${input} is not a whole number`);
		}
		return atMost(name, BigInt(input), BigInt(Number.MAX_SAFE_INTEGER), "; pass it as a bigint");
	}
	if (typeof input !== "bigint") {
		wrongType(name, "a whole number or a bigint", input);
	}
	if (input < 0) {
		refuse("negative", name, input, 0n, `${input} is negative`);
	}
	return input;
}

/** A whole number of at most 64 bits, such as a seed. */
export function uint64(name, input) {
	return atMost(name, wholeNumber(name, input), MAX_UINT64);
}

/** An index, or another small whole number, as a number. */
export function checkIndex(name, input, limit = INDEX_COUNT - 1) {
	if (typeof input !== "number") {
		wrongType(name, "a number", input);
	}
	if (finite(name, input) > limit) {
		refuse("too_large", name, BigInt(Math.floor(input)), BigInt(limit), `${input} is above ${limit}`);
	}
	wholeNumber(name, input);
	return input;
}

/** The length of a batch from an index on: `count`, but no more than there are indices. */
export function batchLength(count, first) {
	const left = INDEX_COUNT - checkIndex("first", first);
	return Math.min(checkIndex("count", count, Number.MAX_SAFE_INTEGER), left);
}

/** A number that is not NaN or infinite, and not negative unless that is allowed. */
export function finite(name, input, least = 0) {
	if (!Number.isFinite(input)) {
		const shown = typeof input === "number" ? input : typeName(input);
		refuse("not_finite", name, 0n, 0n, `${shown} is not a finite number`);
	}
	if (input < least) {
		refuse("negative", name, BigInt(Math.floor(input)), 0n, `${input} is negative`);
	}
	return input;
}

function atMost(name, value, limit, advice = "") {
	if (value > limit) {
		refuse("too_large", name, value, limit, `${value} is above ${limit}${advice}`);
	}
	return value;
}
