import { copyIn, copyOut, module, readWords } from "../wasm/module.js";
import { pickOptions } from "./arguments.js";
import { checkBudget, loadBudget, saveBudget } from "./budget.js";
import { checkAhead, toDeadline, toMilliseconds, toNanoseconds } from "./duration.js";
import { wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { checkPolicy, makeCurrent } from "./policy.js";
import { getter, inspectable, withJSON } from "./show.js";
import { RandomStream, stateOf } from "./stream.js";

/** In place of an outcome. */
const CANCEL = 0;

/** A negative time to wait is 0, as for a date in the past. */
function notNegative(input) {
	return (typeof input === "number" ? input : Object(input).nanoseconds) < 0 ? 0 : input;
}

/** The number of an outcome. An error about it begins with `by`. */
export function readOutcome(outcome, by = "") {
	return kindNumber({ ...module().outcome, option: `${by}outcome` }, outcome);
}

/** A `Retry-After` in nanoseconds, undefined if there is none. An error about it begins with `by`. */
export function readRetryAfter(input, by = "") {
	const field = { name: "retry_after", option: `${by}retryAfter` };
	return input === undefined || input === null ? undefined : toNanoseconds(field, notNegative(input));
}

/** A call with its retries: it decides after each attempt whether to wait or to stop. */
export class Operation {
	static name = "Operation"; // stays the same when a bundler renames the class

	#policy;
	#budget;
	/** The module's words for this operation. */
	#state;
	#retries;
	#attempts;
	#reason;

	constructor(policy, stream = RandomStream.fromEntropy(), options) {
		checkPolicy(policy);
		const streamState = stateOf(stream);
		const { now, deadline, budget } = pickOptions("an operation", options, ["now", "deadline", "budget"]);
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
		this.#policy = policy;
		this.#budget = budget;
		this.#change(({ begin }, hasBudget) => begin(streamState, start, end, hasBudget));
		Object.defineProperties(this, Operation.#shown);
	}

	/** The own properties. */
	static #shown = {
		policy: getter((operation) => operation.#policy),
		retries: getter((operation) => operation.#retries),
		attempts: getter((operation) => operation.#attempts),
		reason: getter((operation) => operation.#reason),
	};

	decide(outcome, options) {
		const number = readOutcome(outcome);
		const { now, retryAfter } = pickOptions("a decision", options, ["now", "retryAfter"]);
		const end = toNanoseconds("now", now);
		const wait = readRetryAfter(retryAfter);
		const delayNs = this.#change(({ decide }, hasBudget) =>
			decide(number, end, wait !== undefined, wait ?? 0n, hasBudget),
		);
		return withJSON({ delay: toMilliseconds(delayNs), delayNs, reason: this.#reason });
	}

	cancel() {
		this.#change(({ decide }, hasBudget) => decide(CANCEL, 0n, false, 0n, hasBudget));
		return this.#reason;
	}

	/** Applies one change to the operation and its budget; returns the delay in nanoseconds. */
	#change(apply) {
		makeCurrent(this.#policy);
		const { exports, reason: stopReason } = module();
		if (this.#state) {
			copyIn(this.#state);
		}
		if (this.#budget) {
			loadBudget(this.#budget);
		}
		apply(exports, this.#budget !== undefined);
		this.#state = copyOut(0, exports.operation_words());
		if (this.#budget) {
			saveBudget(this.#budget);
		}
		const [delayNs, retries, attempts, reason] = readWords(exports.decision_offset(), 4);
		this.#retries = Number(retries);
		this.#attempts = Number(attempts);
		this.#reason = stopReason.kinds[Number(reason) - 1];
		return delayNs;
	}

	static {
		inspectable(Operation);
	}
}
