import { NS_PER_MS } from "./number.js";
import { checkPolicy, fetchNs } from "./policy.js";
import { advanced, Stream, stateOf } from "./stream.js";

const INDICES = 2 ** 32;

/** At first few delays are fetched ahead, then as many again as were taken. */
const FIRST_FETCH = 8;
const LARGEST_FETCH = 512;

/** The delays of a policy one after another. */
export class Backoff {
	// The name that a minifier takes.
	static name = "Backoff";

	#policy;
	#stream;
	/** Delays in nanoseconds, fetched ahead; the first of them is that of index `#first`. */
	#ahead = [];
	#first = 0;
	#taken = 0;

	constructor(policy, stream = Stream.fromEntropy()) {
		checkPolicy(policy);
		stateOf(stream);
		this.#policy = policy;
		this.#stream = stream;
	}

	get policy() {
		return this.#policy;
	}

	get stream() {
		return this.#stream;
	}

	get index() {
		return this.#first + this.#taken;
	}

	next() {
		const value = this.nextDelay();
		return { done: value === undefined, value };
	}

	nextDelay() {
		if (this.#taken === this.#ahead.length && !this.#fetch()) {
			return undefined;
		}
		return this.#ahead[this.#taken++] / NS_PER_MS;
	}

	nextDelayNs() {
		if (this.#taken === this.#ahead.length && !this.#fetch()) {
			return undefined;
		}
		const ns = this.#ahead[this.#taken++];
		return ns <= Number.MAX_SAFE_INTEGER ? BigInt(ns) : this.#policy.delayNs(this.#stream, this.index - 1);
	}

	reset() {
		this.#stream = advanced(this.#stream, this.index);
		this.#ahead = [];
		this.#first = 0;
		this.#taken = 0;
	}

	[Symbol.iterator]() {
		return this;
	}

	#fetch() {
		const first = this.index;
		const wanted = Math.min(Math.max(first, FIRST_FETCH), LARGEST_FETCH, INDICES - first);
		if (wanted === 0) {
			return false;
		}
		this.#ahead = fetchNs(this.#policy, this.#stream, wanted, first);
		this.#first = first;
		this.#taken = 0;
		return true;
	}
}
