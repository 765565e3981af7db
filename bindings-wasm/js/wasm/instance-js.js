// The core of backoff-wasm/js: the same module as JavaScript, which wasm2js makes from it.

import { start } from "./start.js"; // build.mjs makes it

/** A 64-bit word, and its low and high halves. The translated module, like this, needs a little-endian machine. */
const word = new BigInt64Array(1);
const halves = new Int32Array(word.buffer);

/**
 * The functions and the memory of the module. A 64-bit word is a bigint, as in WebAssembly. wasm2js passes it as
 * its two halves: an argument as low and high, a result as low, after high was set.
 */
export function instantiate() {
	let high;
	const { memory, ...functions } = start({
		setTempRet0(half) {
			high = half;
		},
	});
	const joined =
		(call) =>
		(...args) => {
			const split = [];
			for (const argument of args) {
				if (typeof argument === "bigint") {
					// It keeps the low 64 bits.
					word[0] = argument;
					split.push(halves[0], halves[1]);
				} else {
					split.push(argument);
				}
			}
			high = undefined;
			const low = call(...split);
			if (high === undefined) {
				return low;
			}
			halves[0] = low;
			halves[1] = high;
			return word[0];
		};
	const entries = Object.entries(functions).map(([name, call]) => [name, joined(call)]);
	return { memory, ...Object.fromEntries(entries) };
}
