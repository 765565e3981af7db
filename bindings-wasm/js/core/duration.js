// Durations and times: milliseconds for the caller, nanoseconds for the core.

import { finite, MAX_UINT64, wholeNumber } from "./arguments.js";
import { refuse, wrongType } from "./errors.js";
import { withJSON } from "./show.js";

export const NS_PER_MS = 1e6;

/** A duration in nanoseconds, which may need more than 64 bits, and as the text that an error shows. */
export function readDuration(name, input) {
	if (typeof input === "number") {
		const value = nanoseconds(finite(name, input, -Infinity));
		if (input < 0) {
			refuse("negative", name, value, 0n, `${input}ms is negative`);
		}
		if (input && !value) {
			refuse("too_small", name, 0n, 1n, `${input}ms is below 1ns`);
		}
		return { value, shown: `${input}ms` };
	}
	if (typeof input !== "object" || input === null || !Object.hasOwn(input, "nanoseconds")) {
		wrongType(name, "a number of milliseconds or { nanoseconds }", input);
	}
	const exact = input.nanoseconds;
	const isDigits = typeof exact === "string" && /^-?\d+$/.test(exact);
	const value = wholeNumber(name, isDigits ? BigInt(exact) : exact);
	return { value, shown: `${value}ns` };
}

/** A time or a duration that may be any number of 64 bits. */
export function toNanoseconds(name, input) {
	const { value, shown } = readDuration(name, input);
	if (value > MAX_UINT64) {
		refuse("too_large", name, value, MAX_UINT64, `${shown} is above ${MAX_UINT64}ns`);
	}
	return value;
}

/** A deadline. No deadline is the largest number of 64 bits. */
export function toDeadline(input) {
	return input === undefined || input === Infinity ? MAX_UINT64 : toNanoseconds("deadline", input);
}

/** A deadline further away is a mistake, such as a time of `Date.now()`. */
const MAX_YEARS_AHEAD = 10n;
const NS_PER_YEAR = 31_557_600_000_000_000n;

/** Refuses a deadline too long after a start, both in nanoseconds. No deadline is the largest number of 64 bits. */
export function checkAhead(deadline, start, after) {
	const latest = start + MAX_YEARS_AHEAD * NS_PER_YEAR;
	if (deadline > latest && deadline !== MAX_UINT64) {
		const reason = `is more than ${MAX_YEARS_AHEAD} years after ${after}`;
		refuse("too_large", "deadline", deadline, latest, `${toMilliseconds(deadline)}ms ${reason}`);
	}
}

/** A duration for the caller: milliseconds if a number is exact, otherwise `{ nanoseconds }`. */
export function fromNanoseconds(ns) {
	const ms = toMilliseconds(ns);
	return nanoseconds(ms) === ns ? ms : Object.freeze(withJSON({ nanoseconds: ns }));
}

/** Milliseconds, rounded above 2^53 ns. */
export function toMilliseconds(ns) {
	return Number(ns) / NS_PER_MS;
}

/**
 * The nearest nanosecond; a tie goes to the even one. The fraction of a millisecond is scaled to
 * a whole number of 2^-80 ms. That is exact for every fraction that could round to 1 ns.
 */
function nanoseconds(ms) {
	const scaled = BigInt(Math.trunc((ms % 1) * 2 ** 80)) * BigInt(NS_PER_MS);
	const part = scaled >> 80n;
	const twice = 2n * (scaled - (part << 80n));
	const up = twice > 1n << 80n || (twice === 1n << 80n && part & 1n) ? 1n : 0n;
	return BigInt(Math.trunc(ms)) * BigInt(NS_PER_MS) + part + up;
}
