import { noOptions, pickOptions, uint64 } from "../core/arguments.js";
import { checkAhead, toDeadline, toMilliseconds, toNanoseconds } from "../core/duration.js";
import { wrongType } from "../core/errors.js";
import { kindNumber } from "../core/field.js";
import { getter, named, withJSON } from "../core/show.js";
import { OUTCOMES } from "../retry/is-verdict.js";
import { checkBudget } from "./budget.js";
import { EXACT, FROM_FAILURE, SPREAD } from "./fields.js";
import { advance, draw, least, MAX, most, sample, sat, WORD_MAX } from "./numbers.js";
import { checkPolicy } from "./policy.js";
import { delayOf } from "./schedule.js";
import { RandomStream, stateOf } from "./stream.js";

/** An own delay in nanoseconds, undefined if there is none. */
export function readOwnDelay(input, name = "delay") {
	return input === undefined || input === null ? undefined : least(toNanoseconds(name, input), MAX);
}

/** A negative time to wait is 0, as for a date in the past. */
function notNegative(input) {
	return (typeof input === "number" ? input : Object(input).nanoseconds) < 0 ? 0 : input;
}

/** Checks an outcome. An error about it begins with `by`. */
export function readOutcome(outcome, by = "") {
	kindNumber({ name: "outcome", option: `${by}outcome`, kinds: OUTCOMES }, outcome);
	return outcome;
}

/** A `Retry-After` in nanoseconds, undefined if there is none. An error about it begins with `by`. */
export function readRetryAfter(input, by = "") {
	if (input === undefined || input === null) {
		return undefined;
	}
	return toNanoseconds({ name: "retry_after", option: `${by}retryAfter` }, notNegative(input));
}

/** An operation whose arguments were checked before (SPEC 13): times are nanoseconds. */
export class CheckedOperation {
	/** `policy` is the fields of one. */
	constructor(policy, stream, begun, deadline, budget, retries) {
		this.policy = policy;
		this.stream = stream;
		this.begun = begun;
		/** When the attempt began; a time that never comes if nobody knows. */
		this.attemptBegun = retries === undefined ? begun : WORD_MAX;
		this.deadline = deadline;
		this.budget = budget && checkBudget(budget);
		this.count = retries ?? 0n;
		this.reason = undefined;
		/** What the last granted retry got from the budget. */
		this.held = 0n;
		this.budget?.operationBegan(begun);
	}

	/**
	 * Of an attempt that begins or fails now: its limit, if the policy has one; the time that is left, 2^64 - 1 without an
	 * end; and the index of the delay.
	 */
	attempt(now) {
		const { begun, count, deadline, policy } = this;
		const isElapsing = policy.max_elapsed < MAX && (policy.elapsed_from !== FROM_FAILURE || count > 0n);
		const ends = [
			isElapsing ? policy.max_elapsed - most(0n, now - begun) : WORD_MAX,
			deadline === WORD_MAX ? WORD_MAX : deadline - now,
		];
		const timeout = isAttemptLimited(policy) ? policy.attempt_timeout : WORD_MAX;
		return {
			// An end that has passed has not kept the attempt from being made.
			limit: ends.filter((left) => left > 0n).reduce(least, timeout),
			left: most(0n, ends.reduce(least, timeout)),
			index: !this.reason && this.countsAnew(now) ? 0 : Number(count),
		};
	}

	/** Whether the attempt ran so long that its failure is the first of a new count. */
	countsAnew(now) {
		return this.policy.reset_after < MAX && now - this.attemptBegun >= this.policy.reset_after;
	}

	/** Decides, with an own delay if there is one; returns the delay in nanoseconds. */
	decide(outcome, now, retryAfter, own) {
		if (this.reason) {
			return 0n;
		}
		const { budget, deadline, policy } = this;
		budget?.attemptOver(this);
		if (outcome === "success") {
			budget?.operationSucceeded(this.held);
			return this.end(outcome);
		}
		if (outcome === "permanent") {
			return this.end(outcome);
		}
		budget?.attemptFailed();
		if (this.countsAnew(now)) {
			this.stream = advance(this.stream, this.count);
			[this.count, this.begun] = [0n, now];
		} else if (this.count === 0n && policy.elapsed_from === FROM_FAILURE) {
			this.begun = now;
		}
		if (this.count >= policy.max_retries) {
			return this.end("max_retries");
		}
		const delay = this.delay(outcome, retryAfter, own);
		if (policy.max_elapsed < MAX && most(0n, now - this.begun) + delay > policy.max_elapsed) {
			return this.end("max_elapsed", delay);
		}
		if (deadline !== WORD_MAX && now + delay > deadline) {
			return this.end("deadline", delay);
		}
		if (budget && !budget.retryRequested(this, outcome, now)) {
			return this.end("budget", delay);
		}
		this.count++;
		this.attemptBegun = least(now + delay, WORD_MAX);
		return delay;
	}

	delay(outcome, retryAfter, own) {
		const { count, policy, stream } = this;
		const index = Number(count);
		const rebased = outcome === "throttled" ? { ...policy, base: policy.throttled_base } : policy;
		const delay = own ?? delayOf(rebased, stream, index);
		if (retryAfter === undefined) {
			return delay;
		}
		const hint = [policy.retry_after_max, sat(delay + policy.retry_after_max_extra)].reduce(least, retryAfter);
		switch (policy.retry_after) {
			case EXACT:
				return hint;
			case SPREAD:
				return sample(draw(stream, index), hint, sat(hint + hint / 2n));
			default:
				return most(delay, hint);
		}
	}

	cancel() {
		if (!this.reason) {
			this.budget?.attemptOver(this);
			this.end("cancelled");
		}
	}

	refuseRetry() {
		if (!this.reason) {
			this.count = most(this.count - 1n, 0n);
			this.budget?.attemptOver(this);
			this.end("budget");
		}
	}

	end(reason, delay = 0n) {
		this.reason = reason;
		this.budget?.operationEnded();
		return delay;
	}
}

const isAttemptLimited = (policy) => policy.attempt_timeout < MAX;

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
			const fields = checkPolicy(policy);
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
			const checked = new CheckedOperation(fields, streamState, start, end, budget, retries);
			operations.set(this, { policy, checked });
			Object.defineProperties(this, SHOWN);
		}

		decide(outcome, options) {
			const { checked } = own(this);
			readOutcome(outcome);
			const { now, retryAfter, delay } = pickOptions("a decision", options, DECISION_OPTIONS);
			const delayNs = checked.decide(
				outcome,
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
			return isAttemptLimited(checked.policy) ? limit : undefined;
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
	retries: /* @__PURE__ */ getter((operation) => Number(own(operation).checked.count)),
	attempts: /* @__PURE__ */ getter((operation) => Number(least(own(operation).checked.count + 1n, WORD_MAX))),
	reason: /* @__PURE__ */ getter((operation) => own(operation).checked.reason),
};
