// A field's value as the word that the core takes.
//
// Where a word cannot hold the value - an unknown name, a number beyond 64 bits - the core
// gets a word that it refuses by the same rule, and the refusal then shows what was given.

import { refuse, wrongType } from "./error.js";
import { finite, MAX_WORD, NS_PER_MS, whole } from "./number.js";

const MAX_TERM = 2n ** 32n - 1n;
const NO_KIND = 0n;
const LONGEST_NAME = 60;
const TOO_FINE = ratio(MAX_TERM, 1n);

/** The word of a value, and how to show a value that has none. */
export function toWord(field, given) {
	return { kind: kindWord, duration: durationWord, ratio: ratioWord, count: countWord }[field.unit](field, given);
}

/** The number of a kind that no policy is made with, and so no core refuses. */
export function kindOf(field, given) {
	const { word, value, shown } = kindWord(field, given);
	if (shown !== undefined) {
		const { name, kinds } = field;
		const reason = `${shown} is unknown; the kinds are ${kinds.join(", ")}`;
		refuse("unknown_kind", name, value, BigInt(kinds.length), reason);
	}
	return Number(word);
}

/** A time or a duration as a word, where all that words hold are taken. */
export function nanosecondsOf(name, given) {
	const { word, value, shown } = durationWord({ name }, given);
	if (shown !== undefined) {
		refuse("too_large", name, value, MAX_WORD, `${shown} is above ${MAX_WORD}ns`);
	}
	return word;
}

/** The value of a word, as a caller may give it. */
export function fromWord({ unit, kinds }, word) {
	switch (unit) {
		case "kind":
			return kinds[Number(word) - 1];
		case "duration":
			return milliseconds(word);
		case "ratio":
			return Object.freeze([Number(word >> 32n), Number(word & MAX_TERM)]);
		default:
			return Number(word);
	}
}

function kindWord({ name, kinds }, given) {
	if (typeof given !== "string") {
		wrongType(name, `one of ${kinds.join(", ")}`, given);
	}
	const number = kinds.indexOf(given) + 1;
	return number
		? { word: BigInt(number) }
		: { word: NO_KIND, value: 0n, shown: JSON.stringify(given.slice(0, LONGEST_NAME)) };
}

function countWord({ name }, given) {
	const value = whole(name, given);
	return fitted(value, value);
}

function durationWord({ name }, given) {
	if (typeof given === "number") {
		const value = nanoseconds(finite(name, given, -Infinity));
		if (given < 0) {
			refuse("negative", name, value, 0n, `${given}ms is negative`);
		}
		if (given && !value) {
			refuse("too_small", name, 0n, 1n, `${given}ms is below 1ns`);
		}
		return fitted(value, `${given}ms`);
	}
	if (typeof given !== "object" || given === null || !Object.hasOwn(given, "nanoseconds")) {
		wrongType(name, "a number of milliseconds or { nanoseconds }", given);
	}
	const exact = given.nanoseconds;
	const isDigits = typeof exact === "string" && /^-?\d+$/.test(exact);
	const value = whole(name, isDigits ? BigInt(exact) : exact);
	return fitted(value, `${value}ns`);
}

function fitted(value, shown) {
	return value > MAX_WORD ? { word: MAX_WORD, value, shown } : { word: value };
}

/**
 * The nearest nanosecond, ties to the even one. The part below a millisecond is scaled to a
 * whole number of 2^-80 ms, which is exact for every part that is not far below half a ns.
 */
function nanoseconds(ms) {
	const scaled = BigInt(Math.trunc((ms % 1) * 2 ** 80)) * BigInt(NS_PER_MS);
	const part = scaled >> 80n;
	const twice = 2n * (scaled - (part << 80n));
	const up = twice > 1n << 80n || (twice === 1n << 80n && part & 1n) ? 1n : 0n;
	return BigInt(Math.trunc(ms)) * BigInt(NS_PER_MS) + part + up;
}

/** Milliseconds where a number says it exactly. */
function milliseconds(ns) {
	const ms = Number(ns) / NS_PER_MS;
	return nanoseconds(ms) === ns ? ms : Object.freeze({ nanoseconds: ns });
}

function ratioWord({ name }, given) {
	if (typeof given === "number") {
		return terms(decimal(finite(name, given)), given);
	}
	if (!Array.isArray(given) || given.length !== 2) {
		wrongType(name, "a number or [numerator, denominator]", given);
	}
	const pair = Array.from(given, (term) => whole(name, term));
	return terms(pair, pair.join("/"));
}

function terms(pair, shown) {
	return pair.some((term) => term > MAX_TERM) ? { word: TOO_FINE, value: 0n, shown } : { word: ratio(...pair) };
}

function ratio(numerator, denominator) {
	return (numerator << 32n) | denominator;
}

/** The terms that the shortest text of a number says, in lowest terms: 1.6 is 8/5. */
function decimal(number) {
	const [text, exponent = 0] = `${number}`.split("e");
	const [units, decimals = ""] = text.split(".");
	const places = decimals.length - Number(exponent);
	const numerator = BigInt(units + decimals) * 10n ** BigInt(Math.max(-places, 0));
	const denominator = 10n ** BigInt(Math.max(places, 0));
	const divisor = greatestCommonDivisor(numerator, denominator);
	return [numerator / divisor, denominator / divisor];
}

function greatestCommonDivisor(a, b) {
	return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
