import { refuse, wrongType } from "./error.js";
import { module, unsigned, writeText } from "./module.js";
import { index as checkIndex, word } from "./number.js";

/**
 * The state of a stream; anything else is refused.
 * @type {(stream: unknown) => bigint}
 */
export let stateOf;

/** The 64-bit state from which the draws of every index follow. */
export class Stream {
	// The name that a minifier takes.
	static name = "Stream";

	#state;

	constructor(seed, ...keys) {
		const state = word("seed", seed);
		// A key that is there and undefined is a mistake that would make a crowd.
		this.#state = keys.length ? ofKey(state, keys[0]) : state;
		this.state = this.#state;
		Object.freeze(this);
	}

	static fromEntropy() {
		if (typeof globalThis.crypto?.getRandomValues !== "function") {
			throw new Error("no crypto.getRandomValues here; make a Stream of a seed and a key");
		}
		return new Stream(globalThis.crypto.getRandomValues(new BigUint64Array(1))[0]);
	}

	draw(index) {
		checkIndex("index", index);
		return unsigned(module().exports.draw(this.#state, index));
	}

	static {
		stateOf = (stream) => {
			if (typeof stream !== "object" || stream === null || !(#state in stream)) {
				wrongType("stream", "a Stream", stream);
			}
			return stream.#state;
		};
	}
}

/** The stream whose first draw is this one's draw of an index. */
export function advanced(stream, draws) {
	return new Stream(unsigned(module().exports.advance(stateOf(stream), BigInt(draws))));
}

function ofKey(seed, key) {
	const { bytes, exports } = module();
	exports.key_begin(seed);
	for (const length of parts(key, bytes)) {
		exports.key_update(length);
	}
	return unsigned(exports.key_stream());
}

/** The kind of a typed array, whatever it says of itself; undefined for anything else. */
const { get: tag } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);

/** Leaves the key in the bytes, part by part, and gives the length of each. */
function* parts(key, bytes) {
	if (typeof key === "string") {
		const lone = key.search(/\p{Surrogate}/u);
		if (lone >= 0) {
			refuse("not_unicode", "key", BigInt(lone), 0n, `has a lone surrogate at ${lone}, so it has no UTF-8`);
		}
		for (let rest = key; rest; ) {
			const { read, written } = writeText(rest);
			rest = rest.slice(read);
			yield written;
		}
		return;
	}
	// Not `instanceof`: the array may come from another realm.
	if (tag.call(key) !== "Uint8Array") {
		wrongType("key", "a string or a Uint8Array", key);
	}
	// A copy, because a subclass may have its own idea of `subarray`, and of a wrong time to use
	// this module.
	const own = new Uint8Array(key);
	for (let done = 0; done < own.length; ) {
		const part = own.subarray(done, done + bytes.length);
		bytes.set(part);
		done += part.length;
		yield part.length;
	}
}
