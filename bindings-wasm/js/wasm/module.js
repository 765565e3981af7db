// The module that is the core. It starts at first use, so that importing this package has no effect and
// a page that forbids WebAssembly fails at the first call, with a reason.

import { readCatalog } from "./catalog.js";
import { StartError } from "./errors.js";
import { instantiate } from "./instance.js";

export const WORD_BYTES = 8;

/** The number of the first field of a budget. */
const FIRST_OF_BUDGETS = 33;

/** @type {ReturnType<typeof start> | undefined} */
let started;

/**
 * Why the module cannot start, once it has failed to. It is not tried again: a page reports each try that its
 * Content-Security-Policy forbids.
 * @type {StartError | undefined}
 */
export let startFailure;

/** The module's functions, its two buffers, and the names that it knows. */
export function module() {
	started ??= start();
	return started;
}

function start() {
	const exports = tryInstantiate();
	const { buffer } = exports.memory;
	const bytes = new Uint8Array(buffer, exports.bytes(), exports.bytes_capacity());
	const { outcome, reason, event, ...others } = readCatalog(exports, bytes);
	const fields = Object.values(others);
	return {
		exports,
		/** The words: numbers in and out, little-endian. */
		words: new DataView(buffer, exports.words()),
		/** The same memory, for state that is copied out and back in. */
		state: new Uint32Array(buffer, exports.words()),
		/** The bytes: text and keys. */
		bytes,
		/** The fields of a policy. */
		fields: fields.filter(({ number }) => number < FIRST_OF_BUDGETS),
		/** The fields of a budget, the first of which is its kind. */
		budgetFields: fields.filter(({ number }) => number >= FIRST_OF_BUDGETS),
		outcome,
		reason,
		/** The events of a budget. */
		event,
	};
}

function tryInstantiate() {
	if (!startFailure) {
		try {
			return instantiate();
		} catch (cause) {
			const advice = "import backoff-wasm/js, or let the Content-Security-Policy allow 'wasm-unsafe-eval'";
			startFailure = new StartError("cannot_start", `backoff-wasm cannot start; ${advice}: ${cause.message}`, cause);
		}
	}
	throw startFailure;
}

/** What a step returns, or undefined if it needs the module and that cannot start. */
export function ifStarted(step) {
	try {
		return step();
	} catch (error) {
		if (error !== startFailure) {
			throw error;
		}
		return undefined;
	}
}

/** WebAssembly returns a 64-bit word as a signed number. */
export function unsigned(word) {
	return BigInt.asUintN(64, word);
}

export function wordAt(position) {
	return module().words.getBigUint64(WORD_BYTES * position, true);
}

/** The first words from a position on. */
export function readWords(position, count) {
	return Array.from({ length: count }, (_, offset) => wordAt(position + offset));
}

/** A word as a number: exact up to 2^53, rounded above. It makes no bigint, which would take most of the time. */
export function roundedWordAt(position) {
	const { words } = module();
	const [low, high] = [WORD_BYTES * position, WORD_BYTES * position + 4];
	return words.getUint32(high, true) * 2 ** 32 + words.getUint32(low, true);
}

/** Copies words out, which JavaScript keeps as opaque state. A loop is faster than `slice` for so few. */
export function copyOut(position, copy) {
	const { state } = module();
	for (let half = 0; half < copy.length; half++) {
		copy[half] = state[2 * position + half];
	}
	return copy;
}

/** Puts such a copy back. */
export function copyIn(copy, position = 0) {
	const { state } = module();
	for (let half = 0; half < copy.length; half++) {
		state[2 * position + half] = copy[half];
	}
}

/** Room for such a copy. */
export function stateOfWords(count) {
	return new Uint32Array(2 * count);
}

/** The text in the first bytes, which must be ASCII. */
export function readText(length, bytes = module().bytes) {
	return String.fromCharCode.apply(null, bytes.subarray(0, length));
}

/**
 * Writes as much of a text as fits into the bytes, as UTF-8; returns how much was read and written.
 * A lone surrogate becomes U+FFFD. It does what `TextEncoder` does, which jsdom does not have.
 */
export function writeText(text, bytes = module().bytes) {
	let [read, written] = [0, 0];
	for (const character of text) {
		const point = character.codePointAt(0);
		const code = point >> 11 === 0xd800 >> 11 ? 0xfffd : point;
		/** The number of bytes after the first one. */
		let more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
		if (written + more >= bytes.length) {
			break;
		}
		// The array keeps the low 8 bits.
		bytes[written++] = more ? (-1 << (7 - more)) | (code >> (6 * more)) : code;
		while (more--) {
			bytes[written++] = 0x80 | ((code >> (6 * more)) & 0x3f);
		}
		read += character.length;
	}
	return { read, written };
}
