// The module that is the core. It starts at first use, so that importing this package has no effect and
// a page that forbids WebAssembly fails at the first call, with a reason.

import { readCatalog } from "./catalog.js";
import { compileFirst } from "./compiled.js";
import { StartError } from "./errors.js";

export const WORD_BYTES = 8;

/** The name of the first field of a budget. */
const FIRST_OF_BUDGETS = "budget";

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
	const exports = instantiate(compileFirst);
	const { buffer } = exports.memory;
	const bytes = new Uint8Array(buffer, exports.bytes(), exports.bytes_capacity());
	const words = new DataView(buffer, exports.words());
	const { outcome, reason, event, ...others } = readCatalog(exports, words, bytes);
	const fields = Object.values(others);
	const first = fields.findIndex(({ name }) => name === FIRST_OF_BUDGETS);
	return {
		exports,
		/** The words: numbers in and out, little-endian. */
		words,
		/** The bytes: text and keys. */
		bytes,
		policy: part(exports, "policy", bytes),
		operation: part(exports, "operation", bytes),
		/** The fields of a policy. */
		fields: fields.slice(0, first),
		/** The fields of a budget, the first of which is its kind. */
		budgetFields: fields.slice(first),
		outcome,
		reason,
		/** The events of a budget. */
		event,
	};
}

/** The functions of a module, which may need those of another one. */
export function instantiate(compile, imports) {
	if (!startFailure) {
		try {
			return new WebAssembly.Instance(compile(), imports).exports;
		} catch (cause) {
			const advice =
				"import backoff-wasm/js, or, if a Content-Security-Policy forbids it, allow 'wasm-unsafe-eval' there";
			startFailure = new StartError("cannot_start", `backoff-wasm cannot start; ${advice}: ${cause.message}`, cause);
		}
	}
	throw startFailure;
}

/** The place of one value in the memory. JavaScript copies such a value out, keeps it, and puts it back. */
export function part(exports, name, { buffer } = module().bytes) {
	return new Uint32Array(buffer, exports[name](), exports[`${name}_size`]() / 4);
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

/** Copies a value. A loop is faster than `slice` and `set` for so few. */
export function copy(from, to = new Uint32Array(from.length)) {
	for (let place = 0; place < from.length; place++) {
		to[place] = from[place];
	}
	return to;
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
