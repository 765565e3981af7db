// How loops end (SPEC 18), on a clock that does not wait.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, Operation, Policy, RandomStream, RetryError, retry } from "./installed.mjs";
import { endOf, FakeClock, run, script } from "./loop.mjs";

const busy = new Error("busy");
const always = () => true;
/** The first delays of `default` on seed 42 and "job-1": `full` of tests/vectors/jitters.json. */
const DELAYS = [11.399434, 83.043876, 229.309811];
const policy = "constant:base=3s,throttled_base=5s";
const job = { seed: 42, key: "job-1", shouldRetry: always };

// loops.test.mjs has what all languages share.
describe("how a loop ends", () => {
	const throttled = (more) => ({ shouldRetry: () => ({ outcome: "throttled", ...more }) });
	for (const [name, options, wait] of [
		["a policy", { policy: Policy.parse("constant:base=7s") }, 7000],
		["a deadline of Infinity is none", { deadline: Infinity }, 3000],
		["an outcome", { shouldRetry: () => "throttled" }, 5000],
		["a verdict", throttled(), 5000],
		["a Retry-After in ms", throttled({ retryAfter: 5500 }), 5500],
		["an undefined Retry-After", throttled({ retryAfter: undefined }), 5000],
	]) {
		test(name, async () => {
			const { value, waits } = await run(script(busy, "ok"), { ...job, policy, ...options });
			assert.deepEqual([value, waits], ["ok", [wait]]);
		});
	}

	test("a deadline in ns", async () => {
		const { stop, waits } = await run(script(busy), { ...job, policy, deadline: { nanoseconds: 5_999_999_999n } });
		assert.deepEqual([stop.reason, waits], ["deadline", [3000]]);
	});

	test("a permanent verdict with a Retry-After", async () => {
		const shouldRetry = () => ({ outcome: "permanent", retryAfter: 5 });
		const { error, stop } = await run(script(busy), { ...job, shouldRetry });
		assert.deepEqual([error, stop.reason, stop.attempts, stop.delay], [busy, "permanent", 1, 0]);
	});

	test("undefined is thrown, and no policy is the default one", async () => {
		const { stop, waits, ...end } = await run(() => Promise.reject(undefined), job);
		assert.ok("error" in end && end.error === undefined);
		assert.deepEqual([stop.reason, stop.attempts, waits], ["max_retries", 4, DELAYS]);
	});

	test("a result that is never accepted", async () => {
		for (const [shouldRetryResult, message] of [
			[always, "gave up after 4 attempts: max_retries"],
			[() => "permanent", "gave up after 1 attempt: permanent"],
		]) {
			const { error } = await run(script("pending"), { ...job, shouldRetryResult });
			assert.ok(error instanceof RetryError && error instanceof Error);
			assert.deepEqual([error.name, error.message], ["RetryError", message]);
		}
	});

	test("the clock may start anywhere", async () => {
		const clock = Object.assign(new FakeClock(), { time: 3_600_000 });
		const { events } = await run(script(busy), { ...job, clock, policy: "constant:base=3s,max_elapsed=8s" });
		const elapsed = events.map(([, event]) => event.elapsed);
		assert.deepEqual([events.at(-1)[1].reason, elapsed], ["max_elapsed", [0, 3000, 6000]]);
	});

	test("the time of a predicate counts", async () => {
		const clock = new FakeClock();
		const shouldRetry = async () => {
			clock.time += 2000;
			return true;
		};
		const { stop } = await run(script(busy), { ...job, shouldRetry, clock, policy: "constant:base=1s,max_elapsed=5s" });
		assert.deepEqual([stop.attempts, stop.elapsed], [2, 5000]);
	});
});

test("a budget is shared by loops, and by operations driven by hand", async () => {
	const budget = Budget.parse("quota:max_tokens=3,cost=1");
	const options = { ...job, budget, policy: "constant:base=1s,max_retries=2" };
	assert.equal((await run(script(busy), options)).stop.reason, "max_retries");
	const operation = new Operation(Policy.parse("constant:base=1s"), new RandomStream(1), {
		now: performance.now(),
		budget,
	});
	assert.equal(operation.decide("transient", { now: performance.now() }).reason, undefined);
	assert.equal((await run(script(busy), options)).stop.reason, "budget");
});

test("the stack of an error shows the caller", async () => {
	async function caller() {
		return await retry(
			async () => {
				throw new Error("deep");
			},
			{ ...job, clock: new FakeClock() },
		);
	}
	const { error } = await endOf(caller());
	assert.match(error.stack, /at async caller/);
});
