import { module, roundedWordAt, unsigned } from "../wasm/module.js";
import { INDEX_COUNT } from "./arguments.js";
import { NS_PER_MS } from "./duration.js";
import { wrongType } from "./errors.js";
import { checkPolicy, limitsOf, makeCurrent } from "./policy-state.js";
import { define, getter, named } from "./show.js";
import { RandomStream, stateOf } from "./stream.js";

/** Few delays are fetched at first, then as many again as were taken. */
const FIRST_FETCH = 8;
/** Less than the words of the module hold. */
const MAX_FETCH = 56;
const WORD_32 = 2 ** 32;

/**
 * The state of each iterator: the state of its stream, and the draws of the delays since then and before the last reset;
 * the stream of these delays, or undefined until it is read; the delays in nanoseconds that were fetched ahead, from index `first` on.
 */
const states = /* @__PURE__ */ new WeakMap();

const own = (backoff) => states.get(backoff) ?? wrongType("this", "a Backoff", backoff);

/** The delays of a policy one after another, as many as it allows retries. */
export const Backoff = /* @__PURE__ */ iterable(
	class Backoff {
		constructor(policy, stream = RandomStream.fromEntropy()) {
			const { maxRetries } = limitsOf(checkPolicy(policy));
			states.set(this, {
				policy,
				state: stateOf(stream),
				draws: 0,
				stream,
				maxRetries: Math.min(maxRetries, INDEX_COUNT),
				ahead: new Float64Array(FIRST_FETCH),
				first: 0,
				fetched: 0,
				taken: 0,
			});
			Object.defineProperties(this, SHOWN);
		}

		next() {
			const value = this.nextDelay();
			return { done: value === undefined, value };
		}

		nextDelay() {
			const state = own(this);
			if (state.taken === state.fetched && !fetchAhead(state)) {
				return undefined;
			}
			return state.ahead[state.taken++] / NS_PER_MS;
		}

		nextDelayNs() {
			const state = own(this);
			if (state.taken === state.fetched && !fetchAhead(state)) {
				return undefined;
			}
			const ns = state.ahead[state.taken++];
			const index = state.first + state.taken - 1;
			return ns <= Number.MAX_SAFE_INTEGER ? BigInt(ns) : state.policy.delayNs(streamNow(state), index);
		}

		reset() {
			const state = own(this);
			state.draws += state.first + state.taken;
			state.stream = undefined;
			state.first = 0;
			state.fetched = 0;
			state.taken = 0;
		}
	},
);

/** Some bundlers cannot leave out a class whose names must be computed. */
function iterable(Class) {
	define(Class.prototype, Symbol.iterator, function () {
		return this;
	});
	return named("Backoff", Class);
}

/** The own properties. */
const SHOWN = {
	policy: /* @__PURE__ */ getter((backoff) => own(backoff).policy),
	stream: /* @__PURE__ */ getter((backoff) => streamNow(own(backoff))),
	index: /* @__PURE__ */ getter((backoff) => own(backoff).first + own(backoff).taken),
};

/** Gets delays to take; false after the last retry. */
function fetchAhead(state) {
	const first = state.first + state.taken;
	const wanted = Math.min(Math.max(first, FIRST_FETCH), MAX_FETCH, state.maxRetries - first);
	if (wanted === 0) {
		return false;
	}
	if (state.ahead.length < wanted) {
		state.ahead = new Float64Array(MAX_FETCH);
	}
	makeCurrent(checkPolicy(state.policy));
	module().exports.fill(stateNow(state), first, wanted);
	for (let position = 0; position < wanted; position++) {
		state.ahead[position] = roundedWordAt(position);
	}
	state.first = first;
	state.fetched = wanted;
	state.taken = 0;
	return true;
}

/** The state of the stream after the last reset. */
function stateNow(state) {
	const { draws } = state;
	if (draws > 0) {
		state.state = unsigned(module().exports.advance(state.state, draws, draws / WORD_32));
		state.draws = 0;
	}
	return state.state;
}

function streamNow(state) {
	state.stream ??= new RandomStream(stateNow(state));
	return state.stream;
}
