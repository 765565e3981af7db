// cockatiel: a backoff whose durations are the delays of a policy.

import { Policy } from "backoff-wasm";
import { isMarked } from "../retry/is-verdict.js";
import { OF_AN_OPERATION, operations, policyOf, readOptions, refuseFields, timeoutOf } from "./common.js";

/** The options of cockatiel's `retry`. */
export function retryOptions(options = {}) {
	const known = [...OF_AN_OPERATION, "retryAfter"];
	const { retryAfter, ...others } = readOptions("retryOptions", options, known);
	if (retryAfter !== undefined && typeof retryAfter !== "function") {
		throw new TypeError(`retryAfter must be a function, got ${typeof retryAfter}`);
	}
	const { maxRetries, maxElapsed, ...params } = policyOf(others.policy).params;
	if (maxElapsed !== Infinity) {
		throw new TypeError("a backoff of cockatiel cannot stop after a max_elapsed: use cockatiel's timeout");
	}
	refuseFields(policyOf(others.policy), {
		attemptTimeout: "wrap the retries of cockatiel around its timeout",
		resetAfter: "cockatiel counts the retries, and does not tell how long an attempt ran",
	});
	// cockatiel counts the retries.
	const begin = operations({ ...others, policy: new Policy(params) });
	const next = (operation) => (context) => {
		const { result } = context;
		if (isMarked(result.error)) {
			// What a backoff throws ends the retries.
			throw result.error.originalError;
		}
		const { delay } = operation.decide("transient", { now: 0, retryAfter: retryAfter?.(result) });
		return { duration: timeoutOf(delay), next: next(operation) };
	};
	// Each execution has an operation of its own, and so a stream, unless the options say which.
	return { maxAttempts: maxRetries, backoff: { next: (context) => next(begin(0))(context) } };
}
