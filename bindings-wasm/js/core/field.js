// The value of a policy's field: as the caller writes it, and as the 64-bit number that the core takes.
//
// A value may be unrepresentable: an unknown name, a number beyond 64 bits, or a ratio with larger terms.
// The core then gets a number that it refuses by the same rule, and the error shows the caller's value.

import { module, unsigned, writeText } from "../wasm/module.js";
import { finite, MAX_UINT64, wholeNumber } from "./arguments.js";
import { fromNanoseconds, readDuration } from "./duration.js";
import { refuse, wrongType } from "./errors.js";

const MAX_TERM = 2n ** 32n - 1n;
const UNKNOWN_KIND = 0n;
/** Every term of this ratio is too large. `ratio_parse` returns it for a ratio that it cannot represent. */
const RATIO_TOO_FINE = MAX_UINT64;
const LONGEST_NAME = 60;

const readers = { kind: readKind, duration: fitDuration, ratio: readRatio, count: readCount };

/** The number for the core in `raw`; in `unrepresentable`, if it is there, the caller's value. */
export function toFieldValue(field, given) {
	const isNoLimit = given === Infinity && field.noLimit !== undefined;
	return isNoLimit ? { raw: field.noLimit } : readers[field.unit](field.name, given, field);
}

/** The value of a field for the caller, in a form that `toFieldValue` accepts. */
export function fromFieldValue({ unit, kinds, noLimit }, raw) {
	if (raw === noLimit) {
		return Infinity;
	}
	switch (unit) {
		case "kind":
			return kinds[Number(raw) - 1];
		case "duration":
			return fromNanoseconds(raw);
		case "ratio":
			return Object.freeze([Number(raw >> 32n), Number(raw & MAX_TERM)]);
		default:
			return Number(raw);
	}
}

/** The number of an outcome or of a stop reason. */
export function kindNumber(entry, given) {
	const { name, kinds } = entry;
	const { raw, unrepresentable } = readKind(name, given, entry);
	if (unrepresentable !== undefined) {
		const reason = `${unrepresentable.shown} is unknown; the ${name}s are ${kinds.join(", ")}`;
		refuse(`unknown_${name}`, name, 0n, BigInt(kinds.length), reason);
	}
	return Number(raw);
}

function readKind(name, given, { kinds }) {
	if (typeof given !== "string") {
		wrongType(name, `one of ${kinds.join(", ")}`, given);
	}
	const number = kinds.indexOf(given) + 1;
	const shown = JSON.stringify(given.slice(0, LONGEST_NAME));
	return number ? { raw: BigInt(number) } : { raw: UNKNOWN_KIND, unrepresentable: { value: 0n, shown } };
}

function readCount(name, given) {
	const value = wholeNumber(name, given);
	return fit({ value, shown: `${value}` });
}

function fitDuration(name, given) {
	return fit(readDuration(name, given));
}

function fit({ value, shown }) {
	return value > MAX_UINT64 ? { raw: MAX_UINT64, unrepresentable: { value, shown } } : { raw: value };
}

function readRatio(name, given) {
	if (typeof given === "number") {
		// The shortest decimal text of the number: 1.6 is 8/5.
		const { written } = writeText(`${finite(name, given)}`);
		return fitRatio(unsigned(module().exports.ratio_parse(written)), `${given}`);
	}
	if (!Array.isArray(given) || given.length !== 2) {
		wrongType(name, "a number or [numerator, denominator]", given);
	}
	const [numerator, denominator] = Array.from(given, (term) => wholeNumber(name, term));
	const isFit = numerator <= MAX_TERM && denominator <= MAX_TERM;
	return fitRatio(isFit ? (numerator << 32n) | denominator : RATIO_TOO_FINE, `${numerator}/${denominator}`);
}

function fitRatio(raw, shown) {
	return raw === RATIO_TOO_FINE ? { raw, unrepresentable: { value: 0n, shown } } : { raw };
}
