// The decisions, hints and histories that every language gives, from the installed package.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, History, Operation, Policy, retryAfter, retryAfterNs } from "./installed.mjs";
import { nanoseconds, stream, vectors } from "./vectors.mjs";

/** An option that is given, or none. */
const maybe = (name, text) => (text === null ? {} : { [name]: nanoseconds(text) });

describe("decisions", () => {
	for (const { id, policy: line, budget: budgetLine, seed, key, steps } of vectors("decisions")) {
		test(id, () => {
			const policy = Policy.parse(line);
			const budget = budgetLine === null ? undefined : Budget.parse(budgetLine);
			const on = stream(seed, key);
			const operations = new Map();
			for (const step of steps) {
				// Another budget in the module, so that nothing of this one can stay behind there.
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
					const answer = operation.decide(step.outcome, { now: nanoseconds(step.now), ...maybe("hint", step.hint) });
					const delayNs = BigInt(delay);
					assert.deepEqual(answer, { delay: Number(delayNs) / 1e6, delayNs, reason: stop });
					assert.deepEqual([operation.retries, operation.attempts], [step.retries, step.retries + 1]);
				}
				assert.equal(operation.reason, stop);
			}
			if (budget) {
				assert.equal(`${budget}`, `${Budget.parse(budgetLine)}`);
			}
		});
	}
});

describe("retry_after", () => {
	for (const { id, value, now, hint } of vectors("retry_after")) {
		test(id, () => {
			const expected = hint === null ? undefined : BigInt(hint);
			const at = nanoseconds(now);
			assert.equal(retryAfterNs(value, at), expected);
			assert.equal(retryAfter(value, at), expected === undefined ? undefined : Number(expected) / 1e6);
		});
	}
});

describe("histories", () => {
	const historyOf = (records) => {
		const history = new History();
		for (const [attempts, reason, times] of records) {
			for (let time = 0; time < times; time++) {
				history.record(attempts, reason);
			}
		}
		return history;
	};
	for (const { id, records, more, text } of vectors("histories")) {
		test(id, () => {
			const [history, other] = [historyOf(records), historyOf(more)];
			const before = `${other}`;
			history.merge(other);
			assert.equal(history.prometheus(), text);
			assert.equal(`${history}`, text);
			assert.equal(`${other}`, before);

			// The same counts, as the text has them.
			const { operations, attempts, retries, stopped, buckets, bounds } = history.counts();
			const line = (name) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)[1]);
			assert.deepEqual(
				[operations, attempts, retries],
				["backoff_attempts_count", "backoff_attempts_sum", "backoff_retries_total"].map(line),
			);
			const stops = [...text.matchAll(/reason="(\w+)"\} (\d+)/g)].map(([, reason, count]) => [reason, Number(count)]);
			assert.deepEqual(Object.entries(stopped), stops);
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
