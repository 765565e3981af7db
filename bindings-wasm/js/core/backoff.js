import { INDEX_COUNT } from "./arguments.js";
import { NS_PER_MS } from "./duration.js";
import { checkPolicy, fillRounded } from "./policy.js";
import { getter, inspectable } from "./show.js";
import { advance, RandomStream, stateOf } from "./stream.js";

/** Few delays are fetched at first, then as many again as were taken. */
const FIRST_FETCH = 8;
const MAX_FETCH = 512;

/** The delays of a policy one after another, as many as it allows retries. */
export class Backoff {
	static name = "Backoff"; // stays the same when a bundler renames the class

	#policy;
	#stream;
	#maxRetries;
	/** Delays in nanoseconds that were fetched ahead, from index `#first` on. */
	#ahead = [];
	#first = 0;
	#taken = 0;

	constructor(policy, stream = RandomStream.fromEntropy()) {
		checkPolicy(policy);
		stateOf(stream);
		this.#policy = policy;
		this.#stream = stream;
		this.#maxRetries = Math.min(policy.params.maxRetries, INDEX_COUNT);
		Object.defineProperties(this, Backoff.#shown);
	}

	/** The own properties. */
	static #shown = {
		policy: getter((backoff) => backoff.#policy),
		stream: getter((backoff) => backoff.#stream),
		index: getter((backoff) => backoff.#first + backoff.#taken),
	};

	next() {
		const value = this.nextDelay();
		return { done: value === undefined, value };
	}

	nextDelay() {
		return this.#fetch() ? this.#ahead[this.#taken++] / NS_PER_MS : undefined;
	}

	nextDelayNs() {
		if (!this.#fetch()) {
			return undefined;
		}
		const ns = this.#ahead[this.#taken++];
		return ns <= Number.MAX_SAFE_INTEGER ? BigInt(ns) : this.#policy.delayNs(this.#stream, this.index - 1);
	}

	reset() {
		this.#stream = advance(this.#stream, this.index);
		this.#ahead = [];
		this.#first = 0;
		this.#taken = 0;
	}

	[Symbol.iterator]() {
		return this;
	}

	/** Makes sure that a delay is there to take; false after the last retry. */
	#fetch() {
		if (this.#taken < this.#ahead.length) {
			return true;
		}
		const first = this.index;
		const wanted = Math.min(Math.max(first, FIRST_FETCH), MAX_FETCH, this.#maxRetries - first);
		if (wanted === 0) {
			return false;
		}
		this.#ahead = fillRounded(this.#policy, this.#stream, wanted, first);
		this.#first = first;
		this.#taken = 0;
		return true;
	}

	static {
		inspectable(Backoff);
	}
}
