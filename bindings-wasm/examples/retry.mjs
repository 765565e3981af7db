// Retries an operation that fails three times. Run it in a project that has the package:
// node examples/retry.mjs

import { setTimeout as sleep } from "node:timers/promises";
import { Backoff, Policy, Stream } from "backoff-wasm";

const policy = new Policy({ growth: "exponential", base: 1_000, cap: 60_000, jitter: "full" });

/** What the operation gives, at most `retries` retries later; then its last error. */
async function retry(operation, backoff, { retries, signal }) {
	for (;;) {
		try {
			return await operation();
		} catch (error) {
			const delay = backoff.index < retries ? backoff.nextDelay() : undefined;
			if (delay === undefined) {
				throw error;
			}
			console.log(`attempt ${backoff.index} failed, waiting ${Math.round(delay * 100) / 100} ms`);
			await sleep(delay, undefined, { signal });
		}
	}
}

let failures = 3;
async function flaky() {
	if (failures-- > 0) {
		throw new Error("unavailable");
	}
	return "done";
}

// Every job has a key of its own: with one seed and no key, all would wait the same.
const backoff = new Backoff(policy, new Stream(42, "job-1"));
console.log(await retry(flaky, backoff, { retries: 5, signal: AbortSignal.timeout(60_000) }));
