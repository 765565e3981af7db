// The value of a policy's field: as the caller writes it, and as the 64-bit number that the core takes.
//
// A value may be unrepresentable: an unknown name, a number beyond 64 bits, or a ratio with larger terms.
// The core then gets a number that it refuses by the same rule, and the error shows the caller's value.

import { ratioOfText } from "../plain/ratio.js";
import { finite, MAX_UINT64, wholeNumber } from "./arguments.js";
import { fromNanoseconds, readDuration } from "./duration.js";
import { refuse, wrongType } from "./errors.js";

const MAX_NS = 0x7fff_ffff_ffff_ffffn;
const MAX_TERM = 0xffff_ffffn;
/** The largest that a policy may have. */
const MAX_VALID_TERM = 1_000_000n;
const UNKNOWN_KIND = 0n;
/** The core refuses the numerator of this ratio. */
const RATIO_TOO_FINE = 0xffff_ffff_0000_0001n;
const MAX_NAME = 60;
/** The longest value of a caller that a message shows. */
const MAX_SHOWN = 128;

const readers = { kind: readKind, duration: fitDuration, ratio: readRatio, count: readCount, waits: readWaits };
/** A list with more entries is refused whatever the others are. */
const MAX_READ = 17;

/** The number for the core in `raw`, of waits a list; in `unrepresentable`, if it is there, the caller's value. */
export function toFieldValue(field, input) {
	const isNoLimit = input === Infinity && field.noLimit !== undefined;
	return isNoLimit ? fits(field.noLimit) : readers[field.unit](field, input);
}

/** The caller's value, if the core got another one in its place and refused that. Of waits only a long one is refused. */
export const misfitOf = ({ raw, unrepresentable } = {}, code) =>
	code === "too_large" || !Array.isArray(raw) ? unrepresentable : undefined;

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
		case "waits":
			return Object.freeze(raw.map(fromNanoseconds));
		case "ratio":
			return Object.freeze([Number(raw >> 32n), Number(raw & MAX_TERM)]);
		default:
			return Number(raw);
	}
}

/** The number of an outcome or of a stop reason. */
export function kindNumber(entry, input) {
	const { name, kinds } = entry;
	const number = kinds.indexOf(input) + 1;
	if (number === 0) {
		const reason = `${shownName(entry, input)} is unknown; the ${name}s are ${kinds.join(", ")}`;
		refuse(`unknown_${name}`, entry, 0n, BigInt(kinds.length), reason);
	}
	return number;
}

function readKind(field, input) {
	const number = field.kinds.indexOf(input) + 1;
	return number ? fits(BigInt(number)) : fitsNot(UNKNOWN_KIND, 0n, shownName(field, input));
}

/** An unknown name as an error shows it. */
function shownName(field, input) {
	if (typeof input !== "string") {
		wrongType(field, `one of ${field.kinds.join(", ")}`, input);
	}
	return JSON.stringify(input.slice(0, MAX_NAME));
}

function readCount(field, input) {
	const value = wholeNumber(field, input);
	return fit({ value, shown: `${value}` });
}

function fitDuration(field, input) {
	return fit(readDuration(field, input));
}

function readWaits(field, input) {
	if (!Array.isArray(input)) {
		wrongType(field, "an array of durations", input);
	}
	const waits = Array.from(input.slice(0, MAX_READ), (wait) => fitDuration(field, wait));
	const tooLarge = waits.find(({ raw }) => raw > MAX_NS);
	return { __proto__: null, ...tooLarge, raw: waits.map(({ raw }) => raw) };
}

function fit({ value, shown }) {
	return value > MAX_UINT64 ? fitsNot(MAX_UINT64, value, shown) : fits(value);
}

/** Without a prototype, so that a property of `Object.prototype` is not the caller's value. */
function fits(raw) {
	return { __proto__: null, raw };
}

function fitsNot(raw, value, shown) {
	return {
		raw,
		unrepresentable: { value, shown: shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}...` : shown },
	};
}

function readRatio(field, input) {
	if (typeof input === "number") {
		return readNumber(finite(field, input));
	}
	if (!Array.isArray(input) || input.length !== 2) {
		wrongType(field, "a number or [numerator, denominator]", input);
	}
	const [numerator, denominator] = Array.from(input, (term) => wholeNumber(field, term));
	const isFit = numerator <= MAX_TERM && denominator <= MAX_TERM;
	return isFit ? fits((numerator << 32n) | denominator) : ratioTooFine(`${numerator}/${denominator}`);
}

/** The shortest decimal text of the number, or else the first rounded one with small terms (SPEC 8.7): 1.6 is 8/5. */
function readNumber(number) {
	let text = `${number}`;
	for (let decimals = 6; decimals >= 0; decimals--) {
		const raw = ratioOfText(text);
		if (raw && raw >> 32n <= MAX_VALID_TERM && (raw & MAX_TERM) <= MAX_VALID_TERM) {
			return fits(raw);
		}
		text = number.toFixed(decimals);
	}
	return ratioTooFine(`${number}`);
}

function ratioTooFine(shown) {
	return fitsNot(RATIO_TOO_FINE, 0n, shown);
}
