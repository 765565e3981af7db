import { INDEX_COUNT } from "../core/arguments.js";
import { toMilliseconds } from "../core/duration.js";
import { wrongType } from "../core/errors.js";
import { define, getter, named } from "../core/show.js";
import { advance } from "./numbers.js";
import { checkPolicy } from "./policy.js";
import { delaysOf } from "./schedule.js";
import { RandomStream, stateOf } from "./stream.js";

/** The state of each iterator: its stream and its count when it was made or reset, and how to go on. */
const states = /* @__PURE__ */ new WeakMap();

const own = (backoff) => states.get(backoff) ?? wrongType("this", "a Backoff", backoff);

/** The delays of a policy one after another, as many as it allows retries. */
export const Backoff = /* @__PURE__ */ iterable(
	class Backoff {
		constructor(policy, stream = RandomStream.fromEntropy()) {
			const fields = checkPolicy(policy);
			const state = { policy, fields, stream: stateOf(stream), shown: stream };
			start(state);
			states.set(this, state);
			Object.defineProperties(this, SHOWN);
		}

		next() {
			const value = this.nextDelay();
			return { done: value === undefined, value };
		}

		nextDelay() {
			const ns = this.nextDelayNs();
			return ns === undefined ? undefined : toMilliseconds(ns);
		}

		nextDelayNs() {
			const state = own(this);
			if (state.index === Math.min(Number(state.fields.max_retries), INDEX_COUNT)) {
				return undefined;
			}
			state.index++;
			return state.next();
		}

		reset() {
			const state = own(this);
			state.stream = advance(state.stream, state.index);
			state.shown = undefined;
			start(state);
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
	index: /* @__PURE__ */ getter((backoff) => own(backoff).index),
};

function start(state) {
	state.index = 0;
	state.next = delaysOf(state.fields, state.stream, 0);
}

function streamNow(state) {
	state.shown ??= new RandomStream(state.stream);
	return state.shown;
}
