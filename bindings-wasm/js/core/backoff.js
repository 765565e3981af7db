import { module, WORD_BYTES, wordAt } from "../wasm/module.js";
import { INDEX_COUNT } from "./arguments.js";
import { NS_PER_MS } from "./duration.js";
import { checkPolicy, makeCurrent, maxRetriesOf } from "./policy.js";
import { getter, inspectable } from "./show.js";
import { RandomStream, stateOf } from "./stream.js";

/** Few delays are fetched at first, then as many again as were taken. */
const FIRST_FETCH = 8;
/** Less than the words of the module hold beside the stream. */
const MAX_FETCH = 56;
const WORD_32 = 2 ** 32;

/** The delays of a policy one after another, as many as it allows retries. */
export class Backoff {
	static name = "Backoff";

	#policy;
	/** The state of the stream, and the draws of the delays before the last reset. */
	#state;
	#draws = 0;
	/** The stream of these delays, or undefined until it is read. */
	#stream;
	#maxRetries;
	/** Delays in nanoseconds that were fetched ahead, from index `#first` on. */
	#ahead = new Float64Array(FIRST_FETCH);
	#first = 0;
	#fetched = 0;
	#taken = 0;

	constructor(policy, stream = RandomStream.fromEntropy()) {
		checkPolicy(policy);
		this.#policy = policy;
		this.#state = stateOf(stream);
		this.#stream = stream;
		this.#maxRetries = Math.min(maxRetriesOf(policy), INDEX_COUNT);
		Object.defineProperties(this, Backoff.#shown);
	}

	/** The own properties. */
	static #shown = {
		policy: getter((backoff) => backoff.#policy),
		stream: getter((backoff) => backoff.#streamNow()),
		index: getter((backoff) => backoff.#first + backoff.#taken),
	};

	next() {
		const value = this.nextDelay();
		return { done: value === undefined, value };
	}

	nextDelay() {
		if (this.#taken === this.#fetched && !this.#fetch()) {
			return undefined;
		}
		return this.#ahead[this.#taken++] / NS_PER_MS;
	}

	nextDelayNs() {
		if (this.#taken === this.#fetched && !this.#fetch()) {
			return undefined;
		}
		const ns = this.#ahead[this.#taken++];
		const index = this.#first + this.#taken - 1;
		return ns <= Number.MAX_SAFE_INTEGER ? BigInt(ns) : this.#policy.delayNs(this.#streamNow(), index);
	}

	reset() {
		this.#draws += this.#first + this.#taken;
		this.#stream = undefined;
		this.#first = 0;
		this.#fetched = 0;
		this.#taken = 0;
	}

	[Symbol.iterator]() {
		return this;
	}

	/** Gets delays to take; false after the last retry. */
	#fetch() {
		const first = this.#first + this.#taken;
		const wanted = Math.min(Math.max(first, FIRST_FETCH), MAX_FETCH, this.#maxRetries - first);
		if (wanted === 0) {
			return false;
		}
		if (this.#ahead.length < wanted) {
			this.#ahead = new Float64Array(MAX_FETCH);
		}
		const { words } = this.#refill(first, wanted);
		for (let position = 0; position < wanted; position++) {
			this.#ahead[position] = words.getFloat64(WORD_BYTES * (position + 1), true);
		}
		this.#first = first;
		this.#fetched = wanted;
		this.#taken = 0;
		return true;
	}

	/** Has the module write the stream and then delays into its words. */
	#refill(first, count) {
		makeCurrent(this.#policy);
		const started = module();
		started.exports.refill(this.#state, this.#draws, this.#draws / WORD_32, first, count);
		return started;
	}

	#streamNow() {
		if (!this.#stream) {
			this.#refill(0, 0);
			this.#stream = new RandomStream(wordAt(0));
		}
		return this.#stream;
	}

	static {
		inspectable(Backoff);
	}
}
