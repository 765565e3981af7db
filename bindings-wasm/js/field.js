// A field's value as the word that the core takes.
//
// Where a word cannot hold the value - an unknown name, a number beyond 64 bits - the core
// gets a word that it refuses by the same rule, and the refusal then shows what was given.

import { refuse, wrongType } from "./error.js";
import { finite, MAX_WORD, NS_PER_MS, whole } from "./number.js";

const MAX_TERM = 2n ** 32n - 1n;
const NO_KIND = 0n;
const TOO_FINE = ratio(MAX_TERM, 1n);

/** The word of a value, and how to show a value that has none. */
export function toWord(field, given) {
	return { kind: kindWord, duration: durationWord, ratio: ratioWord, count: countWord }[field.unit](field, given);
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
	return number ? { word: BigInt(number) } : { word: NO_KIND, value: 0n, shown: JSON.stringify(given) };
}

function countWord({ name }, given) {
	const value = whole(name, given);
	return fitted(value, value);
}

function durationWord({ name }, given) {
	if (typeof given === "number") {
		const value = nanoseconds(finite(name, given, "ms"));
		if (given && !value) {
			refuse("too_small", name, 0n, 1n, `${given}ms is below 1ns`);
		}
		return fitted(value, `${given}ms`);
	}
	const exact = given?.nanoseconds;
	if (exact === undefined) {
		wrongType(name, "a number of milliseconds or { nanoseconds }", given);
	}
	const isDigits = typeof exact === "string" && /^\d+$/.test(exact);
	const value = whole(name, isDigits ? BigInt(exact) : exact);
	return fitted(value, `${value}ns`);
}

function fitted(value, shown) {
	return value > MAX_WORD ? { word: MAX_WORD, value, shown } : { word: value };
}

/** The nearest nanosecond, ties to the even one; whole and part apart lose no digit. */
function nanoseconds(ms) {
	const part = (ms % 1) * NS_PER_MS;
	const up = Math.round(part);
	const nearest = up - part === 0.5 ? up - (up % 2) : up;
	return BigInt(Math.trunc(ms)) * BigInt(NS_PER_MS) + BigInt(nearest);
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
	const pair = given.map((term) => whole(name, term));
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
	const text = `${number}`;
	if (text.includes("e")) {
		return [MAX_WORD, 1n];
	}
	const [units, decimals = ""] = text.split(".");
	const numerator = BigInt(units + decimals);
	const denominator = 10n ** BigInt(decimals.length);
	const divisor = greatestCommonDivisor(numerator, denominator);
	return [numerator / divisor, denominator / divisor];
}

function greatestCommonDivisor(a, b) {
	return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
