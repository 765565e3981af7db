import { module, unsigned, writeText } from "../wasm/module.js";
import { checkIndex, uint64 } from "./arguments.js";
import { refuse, wrongType } from "./errors.js";
import { define, toJSON } from "./show.js";

const states = /* @__PURE__ */ new WeakMap();

/** The state of a stream. Throws for anything else. */
export function stateOf(stream) {
	return states.get(stream) ?? wrongType("stream", "a RandomStream", stream);
}

/** The state of the stream of a seed and perhaps a key. A loop needs no object for it. */
export function stateOfSeed(seed, ...keys) {
	const state = uint64("seed", seed);
	// An explicit `key: undefined` is a bug: every client would share one stream and retry in lockstep.
	return keys.length ? stateOfKey(state, keys[0]) : state;
}

/** The 64-bit state from which the draws of every index follow. */
export const RandomStream = /* @__PURE__ */ define(
	class RandomStream {
		constructor(seed, ...keys) {
			this.state = stateOfSeed(seed, ...keys);
			states.set(this, this.state);
			Object.freeze(this);
		}

		static fromEntropy() {
			return new RandomStream(entropy());
		}

		draw(index) {
			checkIndex("index", index);
			return unsigned(module().exports.draw(stateOf(this), index));
		}

		toJSON() {
			return toJSON(this);
		}
	},
	"name",
	"RandomStream",
);

/** The number of the loops without a stream that have begun, and the seed of their streams. */
let loops = 0;
let loopSeed;

/** The number of a loop that begins without a stream of its own (SPEC 18.1). */
export function nextLoopNumber() {
	return loops++;
}

/** The state of the stream of such a loop. Only a retry needs it, so it is made late. */
export function stateOfLoop(number) {
	loopSeed ??= hasCrypto() ? entropy() : unseeded();
	return unsigned(module().exports.stream_nth(loopSeed, BigInt(number)));
}

function hasCrypto() {
	return typeof globalThis.crypto?.getRandomValues === "function";
}

/** A seed where the platform has no `crypto`, as React Native: its engine seeds `Math.random` from entropy. */
function unseeded() {
	const half = () => BigInt(Math.floor(Math.random() * 2 ** 32));
	return (half() << 32n) | half();
}

function entropy() {
	if (!hasCrypto()) {
		throw new Error("crypto.getRandomValues is missing; pass a seed and a key");
	}
	return globalThis.crypto.getRandomValues(new BigUint64Array(1))[0];
}

function stateOfKey(seed, key) {
	let rest = readKey(key);
	const { bytes, exports } = module();
	exports.key_begin(seed);
	while (rest.length) {
		let length = Math.min(rest.length, bytes.length);
		if (typeof rest === "string") {
			const { read, written } = writeText(rest);
			rest = rest.slice(read);
			length = written;
		} else {
			bytes.set(rest.subarray(0, length));
			rest = rest.subarray(length);
		}
		exports.key_update(length);
	}
	return unsigned(exports.key_stream());
}

/** The class name of a typed array, which a subclass cannot change; undefined for anything else. */
function typedArrayName(array) {
	const prototype = Object.getPrototypeOf(Uint8Array.prototype);
	return Object.getOwnPropertyDescriptor(prototype, Symbol.toStringTag).get.call(array);
}

/** The key: a string, or a copy of the bytes, because a subclass may override `subarray`. */
function readKey(key) {
	if (typeof key === "string") {
		const lone = key.search(/[\ud800-\udfff]/u);
		if (lone >= 0) {
			refuse("not_unicode", "key", BigInt(lone), 0n, `has a lone surrogate at ${lone}, so it has no UTF-8`);
		}
		return key;
	}
	// Not `instanceof`: the array may come from another realm.
	if (typedArrayName(key) !== "Uint8Array") {
		wrongType("key", "a string or a Uint8Array", key);
	}
	return new Uint8Array(key);
}
