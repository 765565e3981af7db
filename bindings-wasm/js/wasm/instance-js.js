// The core of backoff-wasm/js: the same module as JavaScript, which wasm2js makes from it.

import { start } from "./start.js"; // build.mjs makes it

const WORD = 0xffff_ffffn;

/**
 * The functions and the memory of the module. A 64-bit word is a bigint, as in WebAssembly. wasm2js passes it as
 * two 32-bit halves: an argument as low and high, a result as low, after high was set.
 */
export function instantiate() {
	let high;
	const { memory, ...functions } = start({
		setTempRet0(half) {
			high = half;
		},
	});
	const split = (argument) =>
		typeof argument === "bigint" ? [Number(argument & WORD), Number(argument >> 32n)] : argument;
	const joined =
		(call) =>
		(...args) => {
			high = undefined;
			const low = call(...args.flatMap(split));
			return high === undefined ? low : (BigInt(high) << 32n) | BigInt(low >>> 0);
		};
	const entries = Object.entries(functions).map(([name, call]) => [name, joined(call)]);
	return { memory, ...Object.fromEntries(entries) };
}
