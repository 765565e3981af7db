// What loops.test.mjs cannot say for all languages: the options of loops in JavaScript, and what calls, predicates and
// hooks get, on a clock that does not wait.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { makeRetriable, Policy, PolicyError, project, RandomStream, RetryError, retry } from "./installed.mjs";
import { always, busy, endOf, FakeClock, job, quickly, run, script, throwing } from "./loop.mjs";

/** The first delays of `full` of tests/vectors/jitters.json. */
const DELAYS = [11.399434, 83.043876, 229.309811];

describe("how a loop ends", () => {
	const policy = "constant:base=3s,throttled_base=5s";
	const throttled = (more) => ({ shouldRetry: () => ({ outcome: "throttled", ...more }) });
	for (const [name, options, ...waits] of [
		["a policy", { policy: Policy.parse("constant:base=7s") }, 7000],
		["a deadline of Infinity is none", { deadline: Infinity }, 3000],
		["a deadline in ns", { deadline: { nanoseconds: 2_999_999_999n } }],
		["an outcome", { shouldRetry: () => "throttled" }, 5000],
		["a verdict", throttled(), 5000],
		["a Retry-After in ms", throttled({ retryAfter: 5500 }), 5500],
		[
			"a negative Retry-After is 0",
			{ ...throttled({ retryAfter: { nanoseconds: -(2n ** 70n) } }), policy: "constant:base=3s,retry_after=exact" },
			0,
		],
		["an undefined Retry-After", throttled({ retryAfter: undefined }), 5000],
		["a permanent verdict with a Retry-After", { shouldRetry: () => ({ outcome: "permanent", retryAfter: 5 }) }],
	]) {
		test(name, async () => {
			const { value, error, ...end } = await run(script(busy, "ok"), { ...job, policy, ...options });
			assert.deepEqual([value ?? error, end.waits], [waits.length ? "ok" : busy, waits]);
		});
	}

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

	test("the time of a predicate counts", async () => {
		const clock = new FakeClock();
		const shouldRetry = async () => {
			clock.time += 2000;
			return true;
		};
		const { stop } = await run(script(busy), { ...job, shouldRetry, clock, policy: "constant:base=1s,max_elapsed=5s" });
		assert.deepEqual([stop.attempts, stop.elapsed], [2, 5000]);
	});

	test("the stack of an error shows the caller", async () => {
		async function caller() {
			return await retry(async () => throwing(new Error("deep"))(), { ...job, clock: new FakeClock() });
		}
		assert.match((await endOf(caller())).error.stack, /at async caller/);
	});
});

describe("calls, predicates and hooks get", () => {
	test("the attempt, and the signal", async () => {
		const { signal } = new AbortController();
		const fn = script(busy, "no", "ok");
		const seen = [];
		const shouldRetry = (...args) => seen.push(args) > 0;
		const shouldRetryResult = (...args) => seen.push(args) < 3;
		assert.equal((await run(fn, { ...job, signal, shouldRetry, shouldRetryResult })).value, "ok");
		const contexts = [1, 2, 3].map((attempt) => ({ attempt, signal }));
		assert.deepEqual(
			fn.contexts.map((context) => ({ ...context })),
			contexts,
		);
		assert.deepEqual(
			seen.map(([end, context]) => [end, { ...context }]),
			[busy, "no", "ok"].map((end, index) => [end, contexts[index]]),
		);
		assert.ok(fn.contexts.every((context) => context.signal === signal && Object.isFrozen(context)));
	});

	test("without a signal, one that is never aborted, and is made only on demand", async (t) => {
		const original = globalThis.AbortController;
		let made = 0;
		globalThis.AbortController = class extends original {
			constructor() {
				super();
				made++;
			}
		};
		t.after(() => {
			globalThis.AbortController = original;
		});
		await run(script("ok"), job);
		assert.equal(made, 0);
		const fn = script(busy, "ok");
		await run(fn, job);
		const [first, second] = fn.contexts.map(({ signal }) => signal);
		assert.ok(first instanceof AbortSignal);
		assert.deepEqual([first.aborted, second === first, made], [false, true, 1]);
	});

	test("events that are frozen, and of which a copy is JSON, too", async () => {
		const shouldRetryResult = (value) => value === "no";
		const { events } = await run(script(busy, "no", "yes"), { ...job, shouldRetryResult });
		assert.deepEqual(
			events.map(([, event]) => JSON.parse(JSON.stringify({ message: "a log line", ...event })).delayNs),
			["11399434", "83043876", "0"],
		);
		assert.ok(events.every(([, event]) => Object.isFrozen(event)));
	});

	test("time: a hook is awaited, and the whole delay follows", async () => {
		const order = [];
		const onRetry = async () => {
			await Promise.resolve();
			clock.time += 500;
			order.push("hooked");
		};
		const sleep = (delay) => {
			order.push(`${delay} at ${clock.time}`);
			clock.time += delay;
		};
		const onStop = async () => {
			await Promise.resolve();
			order.push("stopped");
		};
		const clock = new FakeClock({ sleep });
		await retry(script(busy, "ok"), { ...job, clock, onRetry, onStop, policy: "constant:base=1s" });
		assert.deepEqual(order, ["hooked", "1000 at 500", "stopped"]);
	});
});

describe("streams", () => {
	const options = { shouldRetry: always, policy: "full:base=1d,max_retries=2" };
	const waits = async (more) => (await run(script(busy), { ...options, ...more })).waits;
	const delays = (...seed) => [...Policy.parse("full:base=1d").delays(new RandomStream(...seed), 2)];

	test("a stream, or its seed and key, gives the same waits each time", async () => {
		const expected = delays(42, "job-1");
		assert.deepEqual(await waits({ seed: 42, key: "job-1" }), expected);
		assert.deepEqual(await waits({ seed: 42n, key: new TextEncoder().encode("job-1") }), expected);
		assert.deepEqual(await waits({ stream: new RandomStream(42, "job-1") }), expected);
		assert.deepEqual(await waits({ seed: 42 }), delays(42));
	});

	test("without one, loop n of a process uses the stream of the key n under one seed (SPEC 18.1)", () => {
		const seed = 0x0123456789abcdefn;
		const code = `
			import { Operation, Policy, RandomStream, retry } from "backoff-wasm";
			let drawn = 0;
			crypto.getRandomValues = (array) => { drawn++; return array.fill(${seed}n); };
			const policy = Policy.parse("full:base=1d,max_retries=1");
			const waits = [];
			const clock = { now: () => 0, sleep: (delay) => void waits.push(delay) };
			const fn = () => { throw new Error("busy"); };
			for (let loop = 0; loop < 3; loop++) {
				await retry(fn, { policy, clock, shouldRetry: () => true }).catch(() => {});
			}
			const expected = [0n, 1n, 2n].map((n) => {
				const key = new Uint8Array(new BigUint64Array([n]).buffer);
				return policy.delay(new RandomStream(${seed}n, key), 0);
			});
			console.log(drawn, waits.join() === expected.join());
		`;
		const words = ["--input-type=module", "--eval", code];
		assert.equal(execFileSync(process.execPath, words, { cwd: project, encoding: "utf8" }), "1 true\n");
	});

	test("without one, others in each loop", async () => {
		const all = await Promise.all(Array.from({ length: 20 }, () => waits({ stream: undefined, seed: undefined })));
		assert.equal(new Set(all.flat()).size, 40);
		const clock = new FakeClock();
		const fn = makeRetriable(script(busy), { ...options, clock });
		await Promise.all([endOf(fn()), endOf(fn())]);
		assert.equal(new Set(clock.waits).size, 4);
	});
});

describe("makeRetriable", () => {
	test("keeps this and the arguments", async () => {
		const add = async function (a, b) {
			if (++this.calls < 3) {
				throw busy;
			}
			return [this.calls, a, b];
		};
		const counter = { calls: 0, add: makeRetriable(add, { ...job, clock: new FakeClock() }) };
		assert.deepEqual(await counter.add(5, 6), [3, 5, 6]);
		assert.deepEqual(await counter.add(7), [4, 7, undefined]);
		assert.deepEqual([counter.add.name, counter.add.length], ["add", 2]);
	});

	test("a key that is a function of this and the arguments", async () => {
		const policy = Policy.parse("full:base=1d,max_retries=2");
		const clock = new FakeClock();
		const key = function (number) {
			return `${this.prefix}-${number}`;
		};
		const load = makeRetriable(script(busy), { shouldRetry: always, policy, clock, seed: 42, key });
		const account = { prefix: "job", load };
		for (const number of [1, 2]) {
			await endOf(account.load(number));
			assert.deepEqual(clock.waits.splice(0), [...policy.delays(new RandomStream(42, `job-${number}`), 2)]);
		}
	});

	test("a deadline that is a function of the arguments: each call has its own", async () => {
		const clock = new FakeClock();
		const deadline = (time) => (time === undefined ? undefined : clock.now() + time);
		const policy = "constant:base=3s,max_retries=4";
		const load = makeRetriable(script(busy), { shouldRetry: always, policy, clock, deadline });
		for (const [time, count] of [
			[7000, 2],
			[4000, 1],
			[undefined, 4],
			[0, 0],
		]) {
			await endOf(load(time));
			assert.deepEqual(clock.waits.splice(0), Array(count).fill(3000));
		}
	});

	test("the value of such a function is checked before any call, and its error is the error of the loop", async () => {
		const fn = script("ok");
		for (const [options, message] of [
			[{ seed: 1, key: () => undefined }, "key must be a string or a Uint8Array, got undefined"],
			[{ seed: 1, key: async () => "job-1" }, "key must be a string or a Uint8Array, got Promise"],
			[{ deadline: () => -1 }, "deadline -1ms is negative"],
			[{ deadline: () => "1s" }, "deadline must be a number of milliseconds or { nanoseconds }, got string"],
			[{ seed: 1, key: throwing(busy) }, "busy"],
			[{ deadline: throwing(busy) }, "busy"],
		]) {
			await assert.rejects(makeRetriable(fn, { shouldRetry: always, ...options })(), { message });
		}
		assert.deepEqual(fn.contexts, []);
	});
});

describe("deadline", () => {
	const stopOf = async (deadline, clock = new FakeClock()) =>
		(await run(script(busy), { ...job, policy: "constant:base=10s", clock, deadline })).stop;

	test("may be a Date, which is converted to the clock", async () => {
		for (const time of [0, 5e6]) {
			const { attempts, reason } = await stopOf(new Date(Date.now() + 25_000), new FakeClock({ time }));
			assert.deepEqual([attempts, reason], [3, "deadline"]);
		}
		assert.equal((await stopOf(new Date(0))).attempts, 1);
		const load = makeRetriable(script(busy), { ...job, clock: new FakeClock(), deadline: () => new Date(0) });
		assert.equal((await endOf(load())).error, busy);
	});

	test("more than 10 years ahead is refused, as a time of Date.now() is", async () => {
		const fn = script("ok");
		for (const deadline of [Date.now() + 15, { nanoseconds: 10n ** 18n }]) {
			await assert.rejects(retry(fn, { ...job, deadline }), (error) => {
				assert.ok(error instanceof PolicyError);
				assert.deepEqual([error.code, error.field], ["too_large", "deadline"]);
				assert.match(error.message, /^deadline [\d.]+ms is more than 10 years after clock\.now\(\); pass a Date$/);
				return true;
			});
			assert.throws(() => makeRetriable(fn, { ...job, deadline }), /10 years after clock\.now\(\); pass a Date$/);
		}
		assert.deepEqual(fn.contexts, []);
		for (const deadline of [Infinity, { nanoseconds: 2n ** 64n - 1n }, 3e11, performance.now() + 50]) {
			assert.equal(await retry(fn, { ...job, deadline }), "ok");
		}
		const clock = { now: Date.now, sleep: () => {} };
		assert.equal((await quickly({ clock, deadline: Date.now() + 15 }, fn)).value, "ok");
	});
});

describe("options", () => {
	const stream = new RandomStream(1);
	for (const [options, message, isLater] of [
		[{ shouldRetry: undefined }, "shouldRetry is missing: say which failures may be retried; () => true for all"],
		[{ retries: 5 }, "retries is unknown; did you mean maxRetries?"],
		[{ shouldRetry: true }, "shouldRetry must be a function, got boolean"],
		[{ shouldRetryResult: 1 }, "shouldRetryResult must be a function, got number"],
		[{ onRetry: "log" }, "onRetry must be a function, got string"],
		[{ onStop: null }, "onStop must be a function, got null"],
		[{ policy: 5 }, "policy must be a Policy or a policy string, got number"],
		[{ policy: {} }, "policy must be a Policy or a policy string, got object; make it with new Policy(options)"],
		[{ policy: "ful" }, /^at 0: unknown name "ful"/],
		[
			{ budget: "ttl" },
			'budget must be a Budget, got string; share one Budget.parse("ttl") among the loops of a server',
		],
		[{ budget: {} }, "budget must be a Budget or a SharedBudget, got object"],
		[{ stats: {} }, "stats must be a RetryStats, got object"],
		[{ signal: {} }, "signal must be an AbortSignal, got object"],
		[{ signal: null }, "signal must be an AbortSignal, got null"],
		[{ clock: { now: always } }, "clock must be an object with now() and sleep(delay, signal), got object"],
		[{ unref: 1 }, "unref must be a boolean, got number"],
		[{ stream: 42 }, "stream must be a RandomStream, got number"],
		[{ stream, seed: 1 }, "pass either stream or seed and key, not both"],
		[{ stream, key: "k" }, "pass either stream or seed and key, not both"],
		[{ key: "k" }, "key needs a seed"],
		[{ seed: -1 }, "seed -1 is negative"],
		[{ seed: 1, key: undefined }, "key must be a string or a Uint8Array, got undefined"],
		[{ seed: 1, key: () => "k" }, "key must be a string or a Uint8Array, got function", true],
		[{ deadline: "1s" }, "deadline must be a number of milliseconds or { nanoseconds }, got string"],
		[{ deadline: Number.NaN }, "deadline NaN is not a finite number"],
		[{ deadline: new Date(Number.NaN) }, "deadline NaN is not a finite number"],
		[{ deadline: -1 }, "deadline -1ms is negative"],
		[{ deadline: () => 5 }, "deadline must be a number of milliseconds or { nanoseconds }, got function", true],
	]) {
		test(`${message}`, async () => {
			const given = { shouldRetry: always, ...options };
			const isThat = (error) => {
				assert[typeof message === "string" ? "equal" : "match"](error.message, message);
				return error instanceof TypeError || error instanceof PolicyError;
			};
			await assert.rejects(retry(script("ok"), given), isThat);
			if (!isLater) {
				assert.throws(() => makeRetriable(script("ok"), given), isThat);
			}
		});
	}

	test("none, and no function", async () => {
		await assert.rejects(retry(script("ok")), { message: /^shouldRetry is missing/ });
		await assert.rejects(retry(script("ok"), null), { message: "options of retry must be a plain object, got null" });
		await assert.rejects(retry(undefined, job), { message: "fn must be a function, got undefined" });
		assert.throws(() => makeRetriable("fn", job), { message: "fn must be a function, got string" });
		const options = { shouldRetry: always, seed: -1, key: () => "k" };
		assert.throws(() => makeRetriable(script("ok"), options), { message: "seed -1 is negative" });
	});
});
