// The loop of SPEC 18, from the installed package, on a clock that does not wait.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	AbortError,
	Budget,
	Operation,
	Policy,
	PolicyError,
	RandomStream,
	RetryError,
	RetryStats,
	retry,
} from "./installed.mjs";
import { endOf, FakeClock, notes, run, script, sharedBudget } from "./loop.mjs";

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
		// What happens; the ends of the calls; options; value or error, reason and attempts; waits.
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
		["a failure that may not be repeated", [refused], { shouldRetry: () => false }, refused, text("permanent", 1), []],
		[
			"a failure that nobody spoke of",
			[busy],
			{ shouldRetry: undefined, shouldRetryResult: () => false },
			busy,
			text("permanent", 1),
			[],
		],
		[
			"by its kind",
			[busy, refused],
			{ shouldRetry: (error) => error === busy },
			refused,
			text("permanent", 2),
			DELAYS.slice(0, 1),
		],
		[
			"a promise of an answer",
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
			"a deadline that is just met",
			[busy],
			{ policy: "constant:base=3s", deadline: 6000 },
			busy,
			text("deadline", 3),
			[3000, 3000],
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
			"throttling has its own base",
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
			"a hint",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "throttled", retryAfter: 2500 }) },
			"ok",
			text("success", 2),
			[2500],
		],
		[
			"a hint below the delay",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "throttled", retryAfter: 25 }) },
			"ok",
			text("success", 2),
			[1000],
		],
		[
			"a hint that is none",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "timeout", retryAfter: undefined }) },
			"ok",
			text("success", 2),
			[1000],
		],
		[
			"a hint that is null",
			[busy, "ok"],
			{ policy: "constant:base=1s", shouldRetry: () => ({ outcome: "timeout", retryAfter: null }) },
			"ok",
			text("success", 2),
			[1000],
		],
		[
			"a verdict that ends it",
			[busy],
			{ shouldRetry: () => ({ outcome: "permanent", retryAfter: 5 }) },
			busy,
			text("permanent", 1),
			[],
		],
		["a failure is no success", [busy], { shouldRetry: () => "success" }, busy, text("permanent", 1), []],
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
			"polling with a hint",
			["no", "yes"],
			{
				policy: "constant:base=1s",
				shouldRetryResult: (value) => (value === "no" ? { outcome: "throttled", retryAfter: 9000 } : "success"),
			},
			"yes",
			text("success", 2),
			[9000],
		],
		[
			"an error that is thrown undefined",
			[],
			{ fn: () => Promise.reject(undefined) },
			undefined,
			text("max_retries", 4),
			DELAYS,
		],
	];
	for (const [name, ends, { fn, ...options }, end, stopped, waits] of rows) {
		test(name, async () => {
			const { stop, waits: waited, ...got } = await run(fn ?? script(...ends), { ...job, ...options });
			assert.deepEqual("error" in got ? got.error : got.value, end);
			assert.equal("error" in got, stop.reason !== "success");
			assert.equal(text(stop.reason, stop.attempts), stopped);
			assert.deepEqual(waited, waits);
		});
	}

	test("given up on a result", async () => {
		const rejected = [
			["a value that never is what was wanted", always, "max_retries", 4],
			["a value that will never be", () => "permanent", "permanent", 1],
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

	test("the time that the call takes counts", async () => {
		const clock = new FakeClock();
		const fn = async () => {
			clock.time += 2000;
			throw busy;
		};
		const { stop } = await run(fn, { ...job, clock, policy: "constant:base=1s,max_elapsed=5s" });
		assert.deepEqual([stop.reason, stop.attempts, stop.elapsed, stop.delay], ["max_elapsed", 2, 5000, 1000]);
	});

	test("the clock may stand anywhere", async () => {
		const clock = Object.assign(new FakeClock(), { time: 3_600_000 });
		const { events } = await run(script(busy), { ...job, clock, policy: "constant:base=3s,max_elapsed=8s" });
		const elapsed = events.map(([, event]) => event.elapsed);
		assert.deepEqual([events.at(-1)[1].reason, elapsed], ["max_elapsed", [0, 3000, 6000]]);
	});

	test("the time that a predicate takes counts", async () => {
		const clock = new FakeClock();
		const shouldRetry = async () => {
			clock.time += 2000;
			return true;
		};
		const { stop } = await run(script(busy), { ...job, shouldRetry, clock, policy: "constant:base=1s,max_elapsed=5s" });
		assert.deepEqual([stop.attempts, stop.elapsed], [2, 5000]);
	});
});

describe("what a call and a predicate are told", () => {
	test("the attempt, and the signal", async () => {
		const { signal } = new AbortController();
		const fn = script(busy, "no", "ok");
		const seen = [];
		const shouldRetry = (...told) => seen.push(told) > 0;
		const shouldRetryResult = (...told) => seen.push(told) < 3;
		assert.equal((await run(fn, { ...job, signal, shouldRetry, shouldRetryResult })).value, "ok");
		const contexts = [1, 2, 3].map((attempt) => ({ attempt, signal }));
		assert.deepEqual(fn.contexts, contexts);
		assert.deepEqual(seen, [
			[busy, contexts[0]],
			["no", contexts[1]],
			["ok", contexts[2]],
		]);
		assert.ok(fn.contexts.every((context) => context.signal === signal && Object.isFrozen(context)));
	});

	test("without a signal, one that is never aborted", async () => {
		const fn = script(busy, "ok");
		await run(fn, job);
		const [first, second] = fn.contexts.map(({ signal }) => signal);
		assert.ok(first instanceof AbortSignal);
		assert.deepEqual([first.aborted, second === first], [false, true]);
	});

	test("without a signal none is made until somebody asks", async () => {
		const original = globalThis.AbortController;
		let made = 0;
		globalThis.AbortController = class extends original {
			constructor() {
				super();
				made++;
			}
		};
		try {
			await run(script("ok"), job);
			assert.equal(made, 0);
			await run(({ signal }) => signal.aborted, job);
			assert.equal(made, 1);
		} finally {
			globalThis.AbortController = original;
		}
	});

	test("AbortError asks nobody", async () => {
		let asked = 0;
		await run(script(new AbortError("no")), { ...job, shouldRetry: () => ++asked > 0 });
		assert.equal(asked, 0);
	});

	test("a result is not asked of a failure, nor a failure of a result", async () => {
		const asked = [];
		await run(script(busy, "ok"), {
			...job,
			shouldRetry: (error) => asked.push(error) > 0,
			shouldRetryResult: (value) => asked.push(value) < 0,
		});
		assert.deepEqual(asked, [busy, "ok"]);
	});
});

describe("AbortError", () => {
	test("is of a message, of an error, and of one of its own", () => {
		const rows = [
			[new AbortError("gone"), "gone", new Error("gone")],
			[new AbortError(busy), "busy", busy],
			[new AbortError(new AbortError(busy)), "busy", busy],
		];
		for (const [error, message, original] of rows) {
			assert.ok(error instanceof Error);
			assert.deepEqual([error.name, error.message], ["AbortError", message]);
			assert.deepEqual(error.originalError, original);
		}
		assert.equal(rows[2][0].originalError, busy);
	});

	test("of anything else is of its text", () => {
		for (const [failure, message] of [
			[5, "5"],
			[undefined, ""],
			[null, "null"],
		]) {
			const { originalError } = new AbortError(failure);
			assert.ok(originalError instanceof Error);
			assert.equal(originalError.message, message);
		}
	});

	test("the hook gets the original error", async () => {
		const gone = new Error("gone");
		const { stop, error } = await run(script(new AbortError(gone)), job);
		assert.deepEqual([stop.error, error], [gone, gone]);
	});

	test("ends the loops around, too", async () => {
		const gone = Object.freeze(new Error("gone"));
		const fn = script(new AbortError(gone));
		const inner = () => retry(fn, { ...job, clock: new FakeClock() });
		let asked = 0;
		const { error, stop } = await run(() => retry(inner, { ...job, clock: new FakeClock() }), {
			...job,
			shouldRetry: () => ++asked > 0,
		});
		assert.equal(error, gone);
		assert.deepEqual([stop.reason, stop.attempts, fn.contexts.length, asked], ["permanent", 1, 1, 0]);
	});

	test("that is not thrown says nothing of an error", async () => {
		const maybe = new Error("maybe");
		void new AbortError(maybe);
		assert.equal((await run(script(maybe, "ok"), job)).value, "ok");
	});
});

describe("events", () => {
	const DELAYS_NS = [11_399_434n, 83_043_876n];

	test("each once and in order, with all they say", async () => {
		const fn = script(busy, "no", "yes");
		const shouldRetry = () => "timeout";
		const { events } = await run(fn, { ...job, shouldRetry, shouldRetryResult: (value) => value === "no" });
		const [first, second] = DELAYS;
		const retried = { reason: undefined };
		assert.deepEqual(events, [
			[
				"retry",
				{ attempts: 1, outcome: "timeout", ...retried, delay: first, delayNs: DELAYS_NS[0], elapsed: 0, error: busy },
			],
			[
				"retry",
				{
					attempts: 2,
					outcome: "transient",
					...retried,
					delay: second,
					delayNs: DELAYS_NS[1],
					elapsed: first,
					value: "no",
				},
			],
			[
				"stop",
				{
					attempts: 3,
					outcome: "success",
					reason: "success",
					delay: 0,
					delayNs: 0n,
					elapsed: first + second,
					value: "yes",
				},
			],
		]);
		assert.ok(events.every(([, event]) => Object.isFrozen(event)));
	});

	test("the wait that was not begun", async () => {
		const { stop } = await run(script(busy), { ...job, policy: "constant:base=3s", deadline: 2000 });
		assert.deepEqual(
			[stop.attempts, stop.outcome, stop.delay, stop.delayNs, stop.elapsed],
			[1, "transient", 3000, 3_000_000_000n, 0],
		);
	});

	test("a hook is waited for, and then the whole delay", async () => {
		const clock = new FakeClock();
		const order = [];
		const onRetry = async () => {
			order.push("hook");
			await Promise.resolve();
			clock.time += 500;
			order.push("hooked");
		};
		clock.sleep = (delay) => {
			order.push(`${delay} at ${clock.time}`);
			clock.time += delay;
		};
		const onStop = async () => {
			await Promise.resolve();
			order.push("stopped");
		};
		const options = { ...job, clock, onRetry, onStop, policy: "constant:base=1s" };
		assert.equal(await retry(script(busy, "ok"), options), "ok");
		assert.deepEqual(order, ["hook", "hooked", "1000 at 500", "stopped"]);
	});

	test("no hook is needed", async () => {
		assert.equal(await retry(script(busy, "ok"), { ...job, clock: new FakeClock() }), "ok");
	});
});

describe("what fails beside the function ends the loop", () => {
	const broken = new Error("broken");
	const breaks = () => {
		throw broken;
	};
	const clock = (method) => Object.assign(new FakeClock(), { [method]: breaks });
	const rows = [
		["onRetry", { onRetry: breaks }, broken, []],
		["onRetry, later", { onRetry: async () => breaks() }, broken, []],
		["shouldRetry", { shouldRetry: breaks }, broken, []],
		["shouldRetry, later", { shouldRetry: () => Promise.reject(broken) }, broken, []],
		["shouldRetryResult", { fn: script("no"), shouldRetryResult: breaks }, broken, []],
		["a clock that cannot wait", { clock: clock("sleep") }, broken, ["retry"]],
		["an outcome that does not exist", { shouldRetry: () => "failed" }, PolicyError, []],
		["a hint that is none", { shouldRetry: () => ({ outcome: "timeout", retryAfter: -1 }) }, PolicyError, []],
		["an answer that is none", { shouldRetry: () => undefined }, TypeError, []],
		["null for an answer", { shouldRetry: () => null }, TypeError, []],
		["a verdict with a word too many", { shouldRetry: () => ({ outcome: "timeout", delay: 5 }) }, TypeError, []],
	];
	for (const [name, { fn = script(busy), ...options }, failure, before] of rows) {
		test(name, async () => {
			const { budget, isIdle } = sharedBudget();
			const stats = new RetryStats();
			const { events, ...hooks } = notes();
			const given = { ...job, clock: new FakeClock(), stats, ...hooks, budget, ...options };
			const { error } = await endOf(retry(fn, given));
			assert.ok(typeof failure === "function" ? error instanceof failure : error === failure, `${error}`);
			assert.deepEqual(
				events.map(([hook]) => hook),
				before,
			);
			assert.deepEqual([stats.counts().stops.cancelled, stats.counts().attempts], [1, 1]);
			assert.ok(isIdle());
		});
	}

	describe("an answer that is refused says so, and what it was asked about", () => {
		const wanted = "it must answer with a boolean, an outcome or a verdict";
		const mean = { outcome: "timeout", retryAfter: -1 };
		for (const [answered, message] of [
			[undefined, `shouldRetry answered undefined: ${wanted}`],
			[null, `shouldRetry answered null: ${wanted}`],
			[5, `shouldRetry answered number: ${wanted}`],
			[[], "a verdict must be a plain object of options, got an array"],
			["failed", 'outcome "failed" is unknown; '],
			[mean, "retryAfter -1ms is negative"],
		]) {
			test(`${JSON.stringify(answered)}`, async () => {
				const { error } = await endOf(retry(script(busy), { ...job, shouldRetry: () => answered }));
				assert.ok(error.message.startsWith(message), error.message);
				assert.equal(error.cause, busy);
				const polled = await endOf(retry(script("no"), { ...job, shouldRetryResult: () => answered }));
				assert.equal("cause" in polled.error, false);
			});
		}

		test("but what the caller threw is left as it is", async () => {
			const frozen = Object.freeze(new Error("frozen"));
			const shouldRetry = () => ({
				get outcome() {
					throw frozen;
				},
			});
			assert.equal((await endOf(retry(script(busy), { ...job, shouldRetry }))).error, frozen);
		});
	});

	test("onStop: the stats has counted, and nothing else is told", async () => {
		for (const [fn, reason] of [
			[script("ok"), "success"],
			[script(busy), "max_retries"],
		]) {
			const stats = new RetryStats();
			let told = 0;
			const onStop = () => {
				told++;
				assert.equal(stats.counts().stops[reason], 1);
				throw broken;
			};
			const { error } = await endOf(retry(fn, { ...job, clock: new FakeClock(), stats, onStop }));
			assert.equal(error, broken);
			assert.deepEqual([told, stats.counts().operations, stats.counts().stops[reason]], [1, 1, 1]);
		}
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
	// A success gives back 1, as it held none.
	assert.equal((await run(script("ok"), options)).stop.reason, "success");
	assert.equal((await run(script(busy), options)).stop.attempts, 2);
});

test("the stack of an error shows who called", async () => {
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
