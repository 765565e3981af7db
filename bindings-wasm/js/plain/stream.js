import { checkIndex, uint64 } from "../core/arguments.js";
import { refuse, wrongType } from "../core/errors.js";
import { define, toJSON } from "../core/show.js";
import { draw } from "./numbers.js";
import { streamOfKey, streamOfNumber } from "./siphash.js";
import { utf8 } from "./utf8.js";

const states = /* @__PURE__ */ new WeakMap();

/** The state of a stream. Throws for anything else. */
export function stateOf(stream) {
	return states.get(stream) ?? wrongType("stream", "a RandomStream", stream);
}

/** The state of the stream of a seed and perhaps a key. A loop needs no object for it. */
export function stateOfSeed(seed, ...keys) {
	const state = uint64("seed", seed);
	// An explicit `key: undefined` is a bug: every client would share one stream and retry in lockstep.
	return keys.length ? streamOfKey(state, readKey(keys[0])) : state;
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
			return draw(stateOf(this), index);
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
	return streamOfNumber(loopSeed, number);
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

/** The class name of a typed array, which a subclass cannot change; undefined for anything else. */
function typedArrayName(array) {
	const prototype = Object.getPrototypeOf(Uint8Array.prototype);
	return Object.getOwnPropertyDescriptor(prototype, Symbol.toStringTag).get.call(array);
}

/** The bytes of a key: those of a string in UTF-8, or a copy, because they may change. */
function readKey(key) {
	if (typeof key === "string") {
		const lone = key.search(/[\ud800-\udfff]/u);
		if (lone >= 0) {
			refuse("not_unicode", "key", BigInt(lone), 0n, `has a lone surrogate at ${lone}, so it has no UTF-8`);
		}
		const bytes = new Uint8Array(3 * key.length);
		let length = 0;
		// In parts: the escapes of a long key are longer than a string may be.
		for (const part of key.match(/.{1,9999}/gsu) ?? []) {
			for (const byte of utf8(part)) {
				bytes[length++] = byte.charCodeAt(0);
			}
		}
		return bytes.subarray(0, length);
	}
	// Not `instanceof`: the array may come from another realm.
	if (typedArrayName(key) !== "Uint8Array") {
		wrongType("key", "a string or a Uint8Array", key);
	}
	return new Uint8Array(key);
}
