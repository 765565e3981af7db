// BullMQ: the delay of a job is that of its policy, of a stream with its id as the key, and of its number of retries.

import { Operation, RandomStream } from "backoff-wasm";
import { classify, policyOf, readOptions, refuseFields } from "./common.js";

/** BullMQ takes it for: no retry. */
const STOP = -1;

/** The options of a queue and of its workers that retry jobs by a policy. */
export function jobRetries(options = {}) {
	const {
		seed = 0,
		shouldRetry = () => true,
		...others
	} = readOptions("jobRetries", options, ["policy", "seed", "shouldRetry"]);
	const policy = policyOf(others.policy);
	refuseFields(policy, {
		attemptTimeout: "BullMQ does not interrupt a job, so limit the call in its processor",
		resetAfter: "BullMQ does not tell how long a job ran",
		elapsedFrom: "BullMQ does not keep the time of the first failure",
	});
	const backoffStrategy = async (attemptsMade, _type, error, job) => {
		const verdict = await classify(shouldRetry, error, { attempt: attemptsMade, job });
		const due = job.timestamp + (job.opts.delay ?? 0);
		// The queue keeps only the number of the failures, which is all that delays depend on.
		const operation = Operation.resume(policy, new RandomStream(seed, job.id), attemptsMade - 1, { now: due });
		const { outcome, retryAfter } = verdict;
		const { reason, delay } = operation.decide(outcome, { now: Date.now(), retryAfter });
		// A fraction of a millisecond would disturb the order of the delayed jobs.
		return reason === undefined ? Math.ceil(delay) : STOP;
	};
	// JSON has no Infinity.
	const attempts = Math.min(policy.params.maxRetries + 1, Number.MAX_SAFE_INTEGER);
	return { defaultJobOptions: { attempts, backoff: { type: "custom" } }, settings: { backoffStrategy } };
}
