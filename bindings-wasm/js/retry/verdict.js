// Classifying how a call ended, with the caller's predicates (SPEC 18.3).

import { noOptions, pickOptions } from "../core/arguments.js";
import { readOutcome, readRetryAfter } from "../core/operation.js";
import { ifStarted } from "../wasm/module.js";
import { BY, isMarked, toVerdict } from "./is-verdict.js";

/** Of most predicates, which return true. */
const RETRIED = { outcome: "transient", retryAfter: undefined };
const VERDICT = /* @__PURE__ */ noOptions("outcome", "retryAfter");

/**
 * The verdict that a predicate's return value stands for. What is falsy ends the loop; a `PermanentError` does it as one
 * that is thrown. The Retry-After is in nanoseconds.
 */
export function readVerdict(name, returned) {
	if (returned === true) {
		return RETRIED;
	}
	const end = name === "shouldRetry" ? "permanent" : "success";
	if (isMarked(returned)) {
		throw returned;
	}
	const verdict = toVerdict(name, returned, end);
	const { [BY]: by = name } = verdict;
	const { outcome, retryAfter } = pickOptions(`a verdict of ${by}`, verdict, VERDICT);
	// Only the core knows the outcomes.
	ifStarted(() => readOutcome(outcome, `${by}: `));
	// A failed call has no value to return, so it cannot be a success.
	return { outcome: outcome === "success" ? end : outcome, retryAfter: readRetryAfter(retryAfter, `${by}: `) };
}
