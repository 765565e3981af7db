// How loops end (SPEC 18), on a clock that does not wait.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AbortError, Budget, Operation, Policy, RandomStream, RetryError, retry } from "./installed.mjs";
import { endOf, FakeClock, run, script } from "./loop.mjs";

const busy = new Error("busy");
const always = () => true;
/** The first delays of `default` on seed 42 and "job-1": `full` of tests/vectors/jitters.json. */
const DELAYS = [11.399434, 83.043876, 229.309811];
const job = { seed: 42, key: "job-1", shouldRetry: always };

describe("how a loop ends", () => {
	const text = (reason, attempts) => `${reason} after ${attempts}`;
	const gone = new Error("gone");
	const refused = Object.assign(new Error("refused"), { status: 403 });
	const rows = [
		// The case; the ends of the calls; options; value or error, reason and attempts; waits.
		["a success at once", ["ok"], {}, "ok", text("success", 1), []],
		["a success after failures", [busy, busy, "ok"], {}, "ok", text("success", 3), DELAYS.slice(0, 2)],
		["the last failure is not waited for", [busy], {}, busy, text("max_retries", 4), DELAYS],
		["zero retries run once", [busy], { policy: "full:base=1s,max_retries=0" }, busy, text("max_retries", 1), []],
		[
			"a policy",
			[busy],
			{ policy: Policy.parse("constant:base=7s,max_retries=1") },
			busy,
			text("max_retries", 2),
			[7000],
		],
		["an error that must not be repeated", [refused], { shouldRetry: () => false }, refused, text("permanent", 1), []],
		[
			"an error without shouldRetry",
			[busy],
			{ shouldRetry: undefined, shouldRetryResult: () => false },
			busy,
			text("permanent", 1),
			[],
		],
		[
			"shouldRetry looks at the error",
			[busy, refused],
			{ shouldRetry: (error) => error === busy },
			refused,
			text("permanent", 2),
			DELAYS.slice(0, 1),
		],
		[
			"a predicate that returns a promise",
			[busy, "ok"],
			{ shouldRetry: async () => true },
			"ok",
			text("success", 2),
			DELAYS.slice(0, 1),
		],
		["AbortError", [busy, new AbortError(gone)], {}, gone, text("permanent", 2), DELAYS.slice(0, 1)],
		["max_elapsed", [busy], { policy: "constant:base=3s,max_elapsed=8s" }, busy, text("max_elapsed", 3), [3000, 3000]],
		["a deadline", [busy], { policy: "constant:base=3s", deadline: 7000 }, busy, text("deadline", 3), [3000, 3000]],
		[
			"a wait that ends at the deadline",
			[busy],
			{ policy: "constant:base=3s", deadline: 6000 },
			busy,
			text("deadline", 3),
			[3000, 3000],
		],
		[
			"a deadline of Infinity is none",
			[busy],
			{ policy: "constant:base=3s,max_retries=1", deadline: Infinity },
			busy,
			text("max_retries", 2),
			[3000],
		],
		[
			"a deadline in ns",
			[busy],
			{ policy: "constant:base=3s", deadline: { nanoseconds: 5_999_999_999n } },
			busy,
			text("deadline", 2),
			[3000],
		],
		[
			"a budget",
			[busy],
			{ policy: "constant:base=3s", budget: Budget.parse("quota:max_tokens=2,cost=1") },
			busy,
			text("budget", 3),
			[3000, 3000],
		],
		[
			"throttling uses throttled_base",
			[busy, "ok"],
			{ policy: "constant:base=1s,throttled_base=5s", shouldRetry: () => "throttled" },
			"ok",
			text("success", 2),
			[5000],
		],
		[
			"a verdict",
			[busy, "ok"],
			{ policy: "constant:base=1s,throttled_base=5s", shouldRetry: () => ({ outcome: "throttled" }) },
			"ok",
			text("success", 2),
			[5000],
		],
		[
			"a Retry-After",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "throttled", retryAfter: 2500 }) },
			"ok",
			text("success", 2),
			[2500],
		],
		[
			"a Retry-After below the delay",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "throttled", retryAfter: 25 }) },
			"ok",
			text("success", 2),
			[1000],
		],
		[
			"an undefined Retry-After",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "timeout", retryAfter: undefined }) },
			"ok",
			text("success", 2),
			[1000],
		],
		[
			"a null Retry-After",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "timeout", retryAfter: null }) },
			"ok",
			text("success", 2),
			[1000],
		],
		[
			"a permanent verdict",
			[busy],
			{ shouldRetry: () => ({ outcome: "permanent", retryAfter: 5 }) },
			busy,
			text("permanent", 1),
			[],
		],
		[
			"an error that is called a success is permanent",
			[busy],
			{ shouldRetry: () => "success" },
			busy,
			text("permanent", 1),
			[],
		],
		[
			"polling",
			["no", "no", "yes"],
			{ shouldRetryResult: (value) => value === "no" },
			"yes",
			text("success", 3),
			DELAYS.slice(0, 2),
		],
		[
			"polling through failures",
			[busy, "no", "yes"],
			{ shouldRetryResult: async (value) => value === "no" },
			"yes",
			text("success", 3),
			DELAYS.slice(0, 2),
		],
		[
			"polling with a Retry-After",
			["no", "yes"],
			{
				policy: "constant:base=1s",
				shouldRetryResult: (value) => (value === "no" ? { outcome: "throttled", retryAfter: 9000 } : "success"),
			},
			"yes",
			text("success", 2),
			[9000],
		],
		["undefined is thrown", [], { fn: () => Promise.reject(undefined) }, undefined, text("max_retries", 4), DELAYS],
	];
	for (const [name, ends, { fn, ...options }, end, summary, waits] of rows) {
		test(name, async () => {
			const { stop, waits: waited, ...got } = await run(fn ?? script(...ends), { ...job, ...options });
			assert.deepEqual("error" in got ? got.error : got.value, end);
			assert.equal("error" in got, stop.reason !== "success");
			assert.equal(text(stop.reason, stop.attempts), summary);
			assert.deepEqual(waited, waits);
		});
	}

	test("a result that is never accepted", async () => {
		const rejected = [
			["retried to the limit", always, "max_retries", 4],
			["permanent at once", () => "permanent", "permanent", 1],
		];
		for (const [, shouldRetryResult, reason, attempts] of rejected) {
			const result = { status: "pending" };
			const { error, stop } = await run(script(result), { ...job, shouldRetryResult });
			assert.ok(error instanceof RetryError && error instanceof Error);
			assert.deepEqual([error.name, error.reason, error.attempts], ["RetryError", reason, attempts]);
			assert.equal(error.result, result);
			assert.equal(stop.value, result);
			assert.equal(error.message, `gave up after ${attempts} attempt${attempts === 1 ? "" : "s"}: ${reason}`);
		}
	});

	test("a function that is not async, and one that throws at once", async () => {
		let calls = 0;
		const fn = () => {
			if (++calls < 3) {
				throw busy;
			}
			return calls;
		};
		const { value, waits } = await run(fn, job);
		assert.deepEqual([value, waits], [3, DELAYS.slice(0, 2)]);
	});

	test("the time of the call counts", async () => {
		const clock = new FakeClock();
		const fn = async () => {
			clock.time += 2000;
			throw busy;
		};
		const { stop } = await run(fn, { ...job, clock, policy: "constant:base=1s,max_elapsed=5s" });
		assert.deepEqual([stop.reason, stop.attempts, stop.elapsed, stop.delay], ["max_elapsed", 2, 5000, 1000]);
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
	// A success refunds one token, because it held none.
	assert.equal((await run(script("ok"), options)).stop.reason, "success");
	assert.equal((await run(script(busy), options)).stop.attempts, 2);
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
