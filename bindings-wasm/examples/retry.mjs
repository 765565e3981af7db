// Retries an operation that fails three times. Run it in a project that has the package:
// node examples/retry.mjs

import { setTimeout as sleep } from "node:timers/promises";
import { Budget, History, Operation, Policy, Stream } from "backoff-wasm";

const policy = Policy.parse("full:base=1s,cap=60s,max_retries=5");
// One for each server, and one history for all.
const budget = Budget.parse("aws-sdk-2026");
const history = new History();

/** What the attempt gives, after as many retries as the policy and the budget grant. */
async function retry(attempt, key, signal) {
	// Every job has a key of its own: with one seed and no key, all would wait the same.
	const operation = new Operation(policy, new Stream(42, key), { now: performance.now(), budget });
	try {
		for (;;) {
			try {
				const result = await attempt();
				operation.decide("success", { now: performance.now() });
				return result;
			} catch (error) {
				const { delay, reason } = operation.decide("transient", { now: performance.now() });
				if (reason !== undefined) {
					throw error;
				}
				console.log(`attempt ${operation.retries} failed, waiting ${Math.round(delay * 100) / 100} ms`);
				await sleep(delay, undefined, { signal });
			}
		}
	} finally {
		// What has not stopped was aborted.
		history.record(operation.attempts, operation.cancel());
	}
}

let failures = 3;
async function flaky() {
	if (failures-- > 0) {
		throw new Error("unavailable");
	}
	return "done";
}

console.log(await retry(flaky, "job-1", AbortSignal.timeout(60_000)));
console.log(`${history.counts().retries} retries`);
