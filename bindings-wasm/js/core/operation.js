import { copyIn, copyOut, module, roundedWordAt, stateOfWords, wordAt } from "../wasm/module.js";
import { noOptions, pickOptions, uint64 } from "./arguments.js";
import { checkBudget, loadBudget, saveBudget } from "./budget.js";
import { checkAhead, toDeadline, toMilliseconds, toNanoseconds } from "./duration.js";
import { wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { checkPolicy, makeCurrent } from "./policy.js";
import { getter, named, withJSON } from "./show.js";
import { RandomStream, stateOf } from "./stream.js";

/** In place of an outcome. */
const CANCEL = 0;
const REFUSE = 2 ** 32 - 1;

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

/** An operation whose arguments were checked before: outcomes are numbers, times are nanoseconds. */
export class CheckedOperation {
	/** The module's words for this operation. */
	#state = stateOfWords(module().exports.operation_words());

	constructor(policy, streamState, start, deadline, budget, retries = 0n) {
		this.policy = policy;
		this.budget = budget;
		this.#change(({ begin }, hasBudget) => begin(streamState, start, deadline, retries, hasBudget));
	}

	/** Decides; returns the delay in nanoseconds. */
	decide(outcome, now, retryAfter) {
		this.#change(({ decide }, hasBudget) =>
			decide(outcome, now, retryAfter !== undefined, retryAfter ?? 0n, hasBudget),
		);
		return wordAt(module().exports.decision_offset());
	}

	cancel() {
		this.#end(CANCEL);
	}

	refuseRetry() {
		this.#end(REFUSE);
	}

	#end(how) {
		this.#change(({ decide }, hasBudget) => decide(how, 0n, false, 0n, hasBudget));
	}

	/** Applies one change to the operation and its budget. */
	#change(apply) {
		const { budget } = this;
		makeCurrent(this.policy);
		const { exports, reason } = module();
		copyIn(this.#state);
		if (budget) {
			loadBudget(budget);
		}
		apply(exports, budget !== undefined);
		copyOut(0, this.#state);
		if (budget) {
			saveBudget(budget);
		}
		const decision = exports.decision_offset();
		this.retries = roundedWordAt(decision + 1);
		this.attempts = roundedWordAt(decision + 2);
		this.reason = reason.kinds[roundedWordAt(decision + 3) - 1];
	}
}

const OPTIONS = /* @__PURE__ */ noOptions("now", "deadline", "budget");
const DECISION_OPTIONS = /* @__PURE__ */ noOptions("now", "retryAfter");

/** What decides for each operation. */
const operations = /* @__PURE__ */ new WeakMap();

/** A call with its retries: it decides after each attempt whether to wait or to stop. */
export const Operation = /* @__PURE__ */ named(
	"Operation",
	class Operation {
		constructor(policy, stream = RandomStream.fromEntropy(), options, retries = 0n) {
			checkPolicy(policy);
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
			operations.set(this, new CheckedOperation(policy, streamState, start, end, budget, uint64("retries", retries)));
			Object.defineProperties(this, SHOWN);
		}

		decide(outcome, options) {
			const checked = operations.get(this);
			const number = readOutcome(outcome);
			const { now, retryAfter } = pickOptions("a decision", options, DECISION_OPTIONS);
			const delayNs = checked.decide(number, toNanoseconds("now", now), readRetryAfter(retryAfter));
			return withJSON({ delay: toMilliseconds(delayNs), delayNs, reason: checked.reason });
		}

		cancel() {
			const checked = operations.get(this);
			checked.cancel();
			return checked.reason;
		}

		refuseRetry() {
			const checked = operations.get(this);
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
	policy: /* @__PURE__ */ getter((operation) => operations.get(operation).policy),
	retries: /* @__PURE__ */ getter((operation) => operations.get(operation).retries),
	attempts: /* @__PURE__ */ getter((operation) => operations.get(operation).attempts),
	reason: /* @__PURE__ */ getter((operation) => operations.get(operation).reason),
};
