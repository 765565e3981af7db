// Checks of arguments. WebAssembly would wrap a number that does not fit and turn NaN into 0.

import { refuse, wrongType } from "./errors.js";

export const MAX_UINT64 = 2n ** 64n - 1n;
export const INDEX_COUNT = 2 ** 32;

/** The known options of an object, each read once. An unknown option is an error. */
export function pickOptions(what, options, known) {
	// Inherited properties would be options that this check does not see.
	if (typeof options !== "object" || options === null || !isPlain(options)) {
		wrongType(what, "a plain object of options", options);
	}
	for (const option of Reflect.ownKeys(options)) {
		if (!known.includes(option)) {
			throw new TypeError(`${String(option)} is unknown; the options of ${what} are ${known.join(", ")}`);
		}
	}
	return Object.fromEntries(
		known.filter((option) => Object.hasOwn(options, option)).map((option) => [option, options[option]]),
	);
}

/** Whether an object's only prototype, if any, is the Object.prototype of some realm. */
function isPlain(value) {
	const prototype = Object.getPrototypeOf(value);
	return prototype === null || (Object.getPrototypeOf(prototype) === null && !Array.isArray(value));
}

/** A non-negative whole number as a bigint. A number must be a safe integer. */
export function wholeNumber(name, given) {
	if (typeof given === "number") {
		finite(name, given);
		if (given % 1) {
			refuse("not_whole", name, 0n, 0n, `${given} is not a whole number`);
		}
		return atMost(name, BigInt(given), BigInt(Number.MAX_SAFE_INTEGER), "; give it as a bigint");
	}
	if (typeof given !== "bigint") {
		wrongType(name, "a whole number or a bigint", given);
	}
	if (given < 0) {
		refuse("negative", name, given, 0n, `${given} is negative`);
	}
	return given;
}

/** A whole number of at most 64 bits, such as a seed. */
export function uint64(name, given) {
	return atMost(name, wholeNumber(name, given), MAX_UINT64);
}

/** An index, or another small whole number, as a number. */
export function checkIndex(name, given, limit = INDEX_COUNT - 1) {
	if (typeof given !== "number") {
		wrongType(name, "a number", given);
	}
	if (finite(name, given) > limit) {
		refuse("too_large", name, BigInt(Math.floor(given)), BigInt(limit), `${given} is above ${limit}`);
	}
	wholeNumber(name, given);
	return given;
}

/** The length of a batch from an index on: `count`, but no more than there are indices. */
export function batchLength(count, first) {
	const left = INDEX_COUNT - checkIndex("first", first);
	return Math.min(checkIndex("count", count, Number.MAX_SAFE_INTEGER), left);
}

/** A number that is not NaN or infinite, and not negative unless that is allowed. */
export function finite(name, given, least = 0) {
	if (!Number.isFinite(given)) {
		refuse("not_finite", name, 0n, 0n, `${given} is not a finite number`);
	}
	if (given < least) {
		refuse("negative", name, BigInt(Math.floor(given)), 0n, `${given} is negative`);
	}
	return given;
}

function atMost(name, value, limit, advice = "") {
	if (value > limit) {
		refuse("too_large", name, value, limit, `${value} is above ${limit}${advice}`);
	}
	return value;
}
