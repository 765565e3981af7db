// The WebAssembly module: started at first use, so that importing this package does nothing
// and a page that may not compile WebAssembly fails where it is used, with a reason.

import { compile } from "#compile";

/** @type {ReturnType<typeof start> | undefined} */
let started;

/** The module's functions, its buffers and what it says about the fields of a policy. */
export function module() {
	started ??= start();
	return started;
}

function start() {
	const exports = instantiate();
	const buffer = exports.memory.buffer;
	const bytes = new Uint8Array(buffer, exports.bytes(), exports.bytes_capacity());
	return {
		exports,
		/** The words: numbers in and out, at `8 * position`. */
		words: new DataView(buffer, exports.words()),
		/** The bytes: text and keys. */
		bytes,
		fields: describe(readText(bytes, exports.fields())),
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

/** The text in the first bytes; it is ASCII. */
export function readText(bytes, length) {
	return String.fromCharCode(...bytes.subarray(0, length));
}

/** A line is `cap_on kind window result`. */
function describe(lines) {
	return lines
		.trim()
		.split("\n")
		.map((line, position) => {
			const [name, unit, ...kinds] = line.split(" ");
			const option = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
			return { name, option, unit, kinds, bit: 2 << position, offset: 8 * position };
		});
}
