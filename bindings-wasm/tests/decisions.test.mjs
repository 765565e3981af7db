// Decisions, Retry-After headers and stats: the vectors of all languages, on the installed package.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, Operation, Policy, parseRetryAfter, parseRetryAfterNs, RetryStats, retry } from "./installed.mjs";
import { nanoseconds, stream, vectors } from "./vectors.mjs";

/** An option with this value, or no option for null. */
const maybe = (name, text) => (text === null ? {} : { [name]: nanoseconds(text) });

describe("decisions", () => {
	for (const { id, policy: policyString, budget: budgetString, seed, key, steps } of vectors("decisions")) {
		test(id, () => {
			const policy = Policy.parse(policyString);
			const budget = budgetString === null ? undefined : Budget.parse(budgetString);
			const on = stream(seed, key);
			const operations = new Map();
			for (const step of steps) {
				// Another budget in the module, so that no state of this one can stay there.
				assert.equal(`${Budget.parse("rate:max_tokens=7")}`, "rate:max_tokens=7");
				const operation = operations.get(step.operation);
				if (step.do === "begin") {
					const options = { now: nanoseconds(step.now), ...maybe("deadline", step.deadline), budget };
					operations.set(step.operation, new Operation(policy, on, options));
					continue;
				}
				const { wait, stop, delay = wait } = step.answer;
				if (step.do === "cancel") {
					assert.equal(operation.cancel(), stop);
				} else {
					const decision = operation.decide(step.outcome, {
						now: nanoseconds(step.now),
						...maybe("retryAfter", step.retry_after),
					});
					const delayNs = BigInt(delay);
					assert.deepEqual(decision, { delay: Number(delayNs) / 1e6, delayNs, reason: stop });
					assert.deepEqual([operation.retries, operation.attempts], [step.retries, step.retries + 1]);
				}
				assert.equal(operation.reason, stop);
			}
			if (budget) {
				assert.equal(`${budget}`, `${Budget.parse(budgetString)}`);
			}
		});
	}
});

describe("no limit ends no wait", () => {
	const longest = { nanoseconds: 2n ** 63n - 1n };
	for (const limit of ["retry_after_max=none", "retry_after_max=none,max_elapsed=none"]) {
		test(`the longest wait, ${limit}`, () => {
			const policy = Policy.parse(`constant:base=1s,${limit}`);
			for (const built of [policy, new Policy(policy.params), new Policy({ ...policy.params, maxElapsed: longest })]) {
				const operation = new Operation(built, stream("1", null), { now: 0 });
				const { delayNs, reason } = operation.decide("throttled", { now: 5, retryAfter: longest });
				assert.deepEqual([delayNs, reason], [longest.nanoseconds, undefined]);
			}
		});
	}

	test("a limit that is one shorter ends it", () => {
		const maxElapsed = { nanoseconds: longest.nanoseconds - 1n };
		const policy = new Policy({ growth: "constant", base: 1000, retryAfterMax: Infinity, maxElapsed });
		const operation = new Operation(policy, stream("1", null), { now: 0 });
		assert.equal(operation.decide("throttled", { now: 5, retryAfter: longest }).reason, "max_elapsed");
	});

	test("in a loop", async () => {
		const waits = [];
		const clock = { now: () => 5 * waits.length + 5, sleep: (delay) => void waits.push(delay) };
		const fn = ({ attempt }) => (attempt < 3 ? Promise.reject(new Error("busy")) : "ok");
		const shouldRetry = () => ({ outcome: "throttled", retryAfter: longest });
		assert.equal(await retry(fn, { policy: "constant:base=1s,retry_after_max=none", clock, shouldRetry }), "ok");
		assert.deepEqual(waits, [2 ** 63 / 1e6, 2 ** 63 / 1e6]);
	});
});

describe("retry_after", () => {
	for (const { id, value, now, retry_after: retryAfter } of vectors("retry_after")) {
		test(id, () => {
			const expected = retryAfter === null ? undefined : BigInt(retryAfter);
			const at = nanoseconds(now);
			assert.equal(parseRetryAfterNs(value, at), expected);
			assert.equal(parseRetryAfter(value, at), expected === undefined ? undefined : Number(expected) / 1e6);
		});
	}
});

describe("stats", () => {
	const statsOf = (records) => {
		const stats = new RetryStats();
		for (const [attempts, reason, times] of records) {
			for (let time = 0; time < times; time++) {
				stats.record(attempts, reason);
			}
		}
		return stats;
	};
	for (const { id, records, more, text } of vectors("stats")) {
		test(id, () => {
			const [stats, other] = [statsOf(records), statsOf(more)];
			const before = `${other}`;
			stats.merge(other);
			assert.equal(stats.prometheus(), text);
			assert.equal(`${stats}`, text);
			assert.equal(`${other}`, before);

			// The counts are those of the text.
			const { operations, attempts, retries, stops, buckets, bounds } = stats.counts();
			const line = (name) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)[1]);
			assert.deepEqual(
				[operations, attempts, retries],
				["backoff_attempts_count", "backoff_attempts_sum", "backoff_retries_total"].map(line),
			);
			const stopLines = [...text.matchAll(/reason="(\w+)"\} (\d+)/g)].map(([, reason, count]) => [
				reason,
				Number(count),
			]);
			assert.deepEqual(Object.entries(stops), stopLines);
			const upTo = [...text.matchAll(/le="(.*)"\} (\d+)/g)].map(([, bound, count]) => [bound, Number(count)]);
			assert.deepEqual(
				[...bounds.map(String), "+Inf"],
				upTo.map(([bound]) => bound),
			);
			let sum = 0;
			assert.deepEqual(
				buckets.map((count) => (sum += count)),
				upTo.map(([, count]) => count),
			);
		});
	}
});
