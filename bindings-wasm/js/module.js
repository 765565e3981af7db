// The WebAssembly module: started at first use, so that importing this package does nothing
// and a page that may not compile WebAssembly fails where it is used, with a reason.

import { compile } from "#compile";

export const WORD_BYTES = 8;

/** @type {ReturnType<typeof start> | undefined} */
let started;

/** The module's functions, its buffers and the names that it knows. */
export function module() {
	started ??= start();
	return started;
}

function start() {
	const exports = instantiate();
	const buffer = exports.memory.buffer;
	const bytes = new Uint8Array(buffer, exports.bytes(), exports.bytes_capacity());
	const fields = describe(readText(exports.fields(), bytes));
	const [outcome, reason] = fields.splice(-2);
	const words = new DataView(buffer, exports.words());
	exports.sizes();
	const [operation, budget, history, buckets] = [0, 1, 2, 3].map((position) =>
		Number(words.getBigUint64(WORD_BYTES * position, true)),
	);
	return {
		exports,
		/** How many words are an operation, a budget and a history, and the buckets of that. */
		sizes: { operation, budget, history, buckets },
		/** The words: numbers in and out, at `8 * position`. */
		words,
		/** The same as bytes, for state that is kept here and put back. */
		state: new Uint8Array(buffer, exports.words()),
		/** The bytes: text and keys. */
		bytes,
		encoder: new TextEncoder(),
		/** The fields of a policy. */
		fields,
		outcome,
		reason,
	};
}

function instantiate() {
	try {
		return new WebAssembly.Instance(compile()).exports;
	} catch (cause) {
		throw new Error("backoff-wasm cannot start; a Content-Security-Policy must allow 'wasm-unsafe-eval'", { cause });
	}
}

/** WebAssembly gives a 64-bit word as a signed one. */
export function unsigned(word) {
	return BigInt.asUintN(64, word);
}

/** One of the words. */
export function wordAt(position) {
	return module().words.getBigUint64(WORD_BYTES * position, true);
}

/** The text in the first bytes; it is ASCII. */
export function readText(length, bytes = module().bytes) {
	return String.fromCharCode.apply(null, bytes.subarray(0, length));
}

/** Leaves a text in the bytes, or what they hold of it: how much was read, and how much written. */
export function writeText(text) {
	const { bytes, encoder } = module();
	return encoder.encodeInto(text, bytes);
}

/** A line is `cap_on kind window result`. */
function describe(lines) {
	return lines
		.trim()
		.split("\n")
		.map((line, position) => {
			const [name, unit, ...kinds] = line.split(" ");
			const option = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
			return { name, option, unit, kinds, bit: 2 << position, offset: WORD_BYTES * position };
		});
}
