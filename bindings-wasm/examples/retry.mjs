// Retries a job that fails three times. Run it in a project that has the package installed:
// node examples/retry.mjs

import { Budget, makeRetriable, RetryStats } from "backoff-wasm";

// One budget for each server, one set of stats for all.
const budget = Budget.parse("aws-sdk-2026");
const stats = new RetryStats();

let failures = 3;
async function job(name) {
	if (failures-- > 0) {
		throw new Error("unavailable");
	}
	return `${name} is done`;
}

// Each job has a key of its own: with one seed and no key, all jobs would wait the same.
const run = makeRetriable(job, {
	policy: "full:base=1s,cap=60s,max_retries=5",
	seed: 42,
	key: "job-1",
	budget,
	stats,
	signal: AbortSignal.timeout(60_000),
	shouldRetry: ({ message }) => message === "unavailable",
	onRetry: ({ attempts, delay }) => console.log(`attempt ${attempts} failed, waiting ${delay.toFixed(2)} ms`),
});

console.log(await run("job-1"));
console.log(`${stats.counts().retries} retries`);
