// p-retry: the policy decides in `shouldRetry`, which p-retry calls last and awaits.

import { DEFAULT_CLOCK, UNREF_CLOCK } from "../retry/clock.js";
import { isMarked } from "../retry/is-verdict.js";
import { classify, OF_AN_OPERATION, operations, policyOf, readOptions, refuseFields } from "./common.js";

/** The options of one call of p-retry. */
export function retryOptions(options = {}) {
	const known = [...OF_AN_OPERATION, "shouldRetry", "signal", "unref"];
	const { shouldRetry = () => true, signal, unref, ...others } = readOptions("retryOptions", options, known);
	const policy = policyOf(others.policy);
	refuseFields(policy, { attemptTimeout: "p-retry does not end an attempt, so limit the call in its function" });
	const { maxRetries, resetAfter } = policy.params;
	const operation = operations({ ...others, policy })(performance.now());
	return {
		// p-retry counts no attempt anew.
		retries: resetAfter === Infinity ? maxRetries : Infinity,
		// The wait is here instead.
		minTimeout: 0,
		...(signal && { signal }),
		...(unref !== undefined && { unref }),
		async shouldRetry({ error, attemptNumber }) {
			if (attemptNumber < operation.attempts) {
				throw new TypeError("retryOptions makes the options of one call of pRetry, and these are those of two");
			}
			if (isMarked(error)) {
				throw error.originalError;
			}
			const { outcome, retryAfter } = await classify(shouldRetry, error, { attempt: attemptNumber });
			const { delay, reason } = operation.decide(outcome, { now: performance.now(), retryAfter });
			if (reason === undefined) {
				await (unref ? UNREF_CLOCK : DEFAULT_CLOCK).sleep(delay, signal);
				// p-retry reports the abort.
				signal?.throwIfAborted();
			}
			return reason === undefined;
		},
	};
}
