import { copy, module, roundedWordAt, wordAt } from "../wasm/module.js";
import { noOptions, pickOptions, uint64 } from "./arguments.js";
import { checkBudget } from "./budget.js";
import { checkAhead, toDeadline, toMilliseconds, toNanoseconds } from "./duration.js";
import { wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { checkPolicy, limitsOf, makeCurrent } from "./policy-state.js";
import { getter, named, withJSON } from "./show.js";
import { RandomStream, stateOf } from "./stream.js";

/** In place of an outcome. */
const CANCEL = 0;
const REFUSE = 2 ** 32 - 1;

/** An own delay in nanoseconds, undefined if there is none. */
export function readOwnDelay(input, name = "delay") {
	return input === undefined || input === null ? undefined : toNanoseconds(name, input);
}

/** A negative time to wait is 0, as for a date in the past. */
function notNegative(input) {
	return (typeof input === "number" ? input : Object(input).nanoseconds) < 0 ? 0 : input;
}

/** The number of an outcome. An error about it begins with `by`. */
export function readOutcome(outcome, by = "") {
	const entry = module().outcome;
	return entry.kinds.indexOf(outcome) + 1 || kindNumber({ ...entry, option: `${by}outcome` }, outcome);
}

/** A `Retry-After` in nanoseconds, undefined if there is none. An error about it begins with `by`. */
export function readRetryAfter(input, by = "") {
	if (input === undefined || input === null) {
		return undefined;
	}
	return toNanoseconds({ name: "retry_after", option: `${by}retryAfter` }, notNegative(input));
}

/** In place of what a budget does not read. */
const NONE = 0;

/** An operation whose arguments were checked before (SPEC 13.4): outcomes are numbers, times are nanoseconds. */
export class CheckedOperation {
	/** The module's bytes of this operation. */
	#state;
	/** What the last granted retry got from the budget. */
	#held = 0n;
	#budget;

	/** `policy` is the state of one. */
	constructor(policy, streamState, start, deadline, budget, retries) {
		this.policy = policy;
		this.#budget = budget && checkBudget(budget);
		const { exports, operation } = module();
		exports.begin(streamState, start, deadline, retries !== undefined, retries ?? 0n);
		this.#state = copy(operation);
		this.retries = Number(retries ?? 0n);
		this.reason = undefined;
		this.#report("operation_began", start);
	}

	get attempts() {
		return this.retries + 1;
	}

	/**
	 * Of an attempt that begins or fails now: its limit, if the policy has one; the time that is left, 2^64 - 1 without an
	 * end; and the index of the delay.
	 */
	attempt(now) {
		makeCurrent(this.policy);
		const { exports, operation } = module();
		copy(this.#state, operation);
		exports.attempt(now);
		return { limit: wordAt(0), left: wordAt(1), index: roundedWordAt(2) };
	}

	/** Decides, with an own delay if there is one; returns the delay in nanoseconds. */
	decide(outcome, now, retryAfter, own) {
		if (this.reason) {
			return 0n;
		}
		const budget = this.#budget;
		const name = budget && module().outcome.kinds[outcome - 1];
		this.#endAttempt();
		if (name === "success") {
			this.#report("operation_succeeded", now);
		} else if (name !== "permanent") {
			this.#report("attempt_failed", now);
		}
		this.#decide(outcome, now, retryAfter, own);
		const delay = wordAt(0);
		// The budget comes last, so nothing is spent on an attempt that is not made.
		if (budget && !this.reason) {
			const held = this.#report("retry_requested", now, outcome);
			if (held === undefined) {
				this.#decide(REFUSE, now);
			} else {
				this.#held = held;
			}
		}
		this.#endIfStopped();
		return delay;
	}

	cancel() {
		this.#end(CANCEL);
	}

	refuseRetry() {
		this.#end(REFUSE);
	}

	#end(how) {
		if (!this.reason) {
			this.#endAttempt();
			this.#decide(how, 0n);
			this.#endIfStopped();
		}
	}

	#endAttempt() {
		if (this.#held) {
			this.#report("attempt_over", 0n);
		}
	}

	#endIfStopped() {
		if (this.reason) {
			this.#report("operation_ended", 0n);
		}
	}

	/** Reports an event to the budget, if there is one. */
	#report(event, now, outcome = NONE) {
		return this.#budget?.report(module().event.kinds.indexOf(event) + 1, outcome, this.#held, now);
	}

	/** Applies one change to the operation. */
	#decide(outcome, now, retryAfter, own) {
		makeCurrent(this.policy);
		const { exports, operation, reason } = module();
		copy(this.#state, operation);
		exports.decide(outcome, now, retryAfter !== undefined, retryAfter ?? 0n, own !== undefined, own ?? 0n);
		copy(operation, this.#state);
		this.retries = roundedWordAt(1);
		this.reason = reason.kinds[roundedWordAt(2) - 1];
	}
}

const OPTIONS = /* @__PURE__ */ noOptions("now", "deadline", "budget");
const DECISION_OPTIONS = /* @__PURE__ */ noOptions("now", "retryAfter", "delay");

/** By an operation, what decides for it, and its policy. */
const operations = /* @__PURE__ */ new WeakMap();

const own = (operation) => operations.get(operation) ?? wrongType("this", "an Operation", operation);

/** A call with its retries: it decides after each attempt whether to wait or to stop. */
export const Operation = /* @__PURE__ */ named(
	"Operation",
	class Operation {
		constructor(policy, stream = RandomStream.fromEntropy(), options, retries) {
			const state = checkPolicy(policy);
			const streamState = stateOf(stream);
			const { now, deadline, budget } = pickOptions("an operation", options, OPTIONS);
			if (typeof deadline?.getTime === "function") {
				wrongType("deadline", "a time of the clock of now", deadline, "; retry takes one");
			}
			const [start, end] = [toNanoseconds("now", now), toDeadline(deadline)];
			// Exact nanoseconds are taken as they are.
			if (typeof deadline === "number") {
				checkAhead(end, start, "now; pass a time of the same clock");
			}
			if (budget !== undefined) {
				checkBudget(budget);
			}
			const checked = new CheckedOperation(state, streamState, start, end, budget, retries);
			operations.set(this, { policy, checked });
			Object.defineProperties(this, SHOWN);
		}

		decide(outcome, options) {
			const { checked } = own(this);
			const number = readOutcome(outcome);
			const { now, retryAfter, delay } = pickOptions("a decision", options, DECISION_OPTIONS);
			const delayNs = checked.decide(
				number,
				toNanoseconds("now", now),
				readRetryAfter(retryAfter),
				readOwnDelay(delay),
			);
			return withJSON({ delay: toMilliseconds(delayNs), delayNs, reason: checked.reason });
		}

		attemptLimit(now) {
			const limit = this.attemptLimitNs(now);
			return limit && toMilliseconds(limit);
		}

		attemptLimitNs(now) {
			const { checked } = own(this);
			const { limit } = checked.attempt(toNanoseconds("now", now));
			return limitsOf(checked.policy).isAttemptLimited ? limit : undefined;
		}

		retryIndex(now) {
			return own(this).checked.attempt(toNanoseconds("now", now)).index;
		}

		cancel() {
			const { checked } = own(this);
			checked.cancel();
			return checked.reason;
		}

		refuseRetry() {
			const { checked } = own(this);
			checked.refuseRetry();
			return checked.reason;
		}

		static resume(policy, stream, retries, options) {
			if (stream === undefined) {
				wrongType("stream", "the RandomStream of the operation", stream);
			}
			if (options?.budget !== undefined) {
				throw new TypeError("budget: an operation that is resumed holds nothing of a budget");
			}
			return new Operation(policy, stream, options, uint64("retries", retries));
		}
	},
);

/** The own properties. */
const SHOWN = {
	policy: /* @__PURE__ */ getter((operation) => own(operation).policy),
	retries: /* @__PURE__ */ getter((operation) => own(operation).checked.retries),
	attempts: /* @__PURE__ */ getter((operation) => own(operation).checked.attempts),
	reason: /* @__PURE__ */ getter((operation) => own(operation).checked.reason),
};
