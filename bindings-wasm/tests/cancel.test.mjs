// Cancelling at any moment: promptly, with one last event, and with nothing left behind. loops.test.mjs has the moments
// that all languages share; here calls, predicates and hooks are pending, and timers and listeners are counted.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { getActiveResourcesInfo } from "node:process";
import { afterEach, describe, test } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Budget, Operation, Policy, RandomStream, RetryError, RetryStats, retry } from "./installed.mjs";
import { always, busy, endOf, FakeClock, notes, script, sharedBudget, throwing } from "./loop.mjs";

const why = new Error("the caller cancelled");
const pending = () => new Promise(() => {});

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
// Some policies here have no limit.
process.on("warning", (warning) => warning.name === "BackoffWarning" || unhandled.push(warning));
afterEach(() => assert.deepEqual(unhandled, []));

const timers = () => getActiveResourcesInfo().filter((name) => name === "Timeout").length;
const listeners = (signal) => getEventListeners(signal, "abort").length;

/** A loop of its own signal and budget. `end` is the last event, once nothing else is left of the cancelled loop. */
function begin(fn, options = {}) {
	const controller = new AbortController();
	const { signal } = controller;
	const { budget, isIdle } = sharedBudget();
	const stats = new RetryStats();
	const { events, ...hooks } = notes();
	const all = { shouldRetry: always, policy: "constant:base=1h", budget, stats, ...hooks, ...options };
	const promise = endOf(retry(fn, { ...all, signal }));
	const cancelled = async (attempts) => {
		assert.equal((await promise).error, why);
		const [[, stop], ...others] = events.filter(([hook]) => hook === "stop");
		const { elapsed, error: _, value: __, ...members } = stop;
		assert.ok(elapsed >= 0 && others.length === 0);
		const nothing = { outcome: undefined, delay: 0, delayNs: "0", budgetIsLocal: false };
		assert.deepEqual(members, { attempts, reason: "cancelled", ...nothing });
		const { operations, attempts: counted, stops } = stats.counts();
		assert.deepEqual([operations, counted, stops.cancelled], [1, attempts, 1]);
		await turn();
		assert.equal(listeners(signal), 0);
		assert.ok(isIdle());
		return stop;
	};
	return { abort: () => controller.abort(why), signal, events, promise, stats, isIdle, cancelled };
}

describe("cancelled", () => {
	test("before the loop begins: the budget counts no operation", async () => {
		// Each operation that begins grants one retry.
		const budget = Budget.parse("ttl:ttl=60s,min_per_second=0,ratio=1");
		await endOf(retry(script("ok"), { shouldRetry: always, budget, signal: AbortSignal.abort(why) }));
		const now = performance.now();
		const operation = new Operation(Policy.parse("constant:base=1ms"), new RandomStream(1), { now, budget });
		const reasons = [1, 2].map(() => operation.decide("transient", { now }).reason);
		assert.deepEqual(reasons, [undefined, "budget"]);
	});

	const second = ({ attempt }) => (attempt === 1 ? Promise.reject(busy) : pending());
	const atAbort = (_, signal) =>
		new Promise((_, reject) => signal.addEventListener("abort", () => reject(busy), { once: true }));
	for (const [name, fn, options, attempts, last] of [
		["the call, which ignores the signal", pending, {}, 1, {}],
		["the second call: the event has nothing of the first", second, { clock: new FakeClock() }, 2, {}],
		["a predicate", script(busy), { shouldRetry: pending }, 1, { error: busy }],
		["a predicate of a value", script("no"), { shouldRetryResult: pending }, 1, { value: "no" }],
		["a hook", script(busy), { onRetry: pending }, 1, { error: busy }],
		["the wait", script(busy), {}, 1, { error: busy }],
		["a wait that then rejects", script(busy), { clock: new FakeClock({ sleep: atAbort }) }, 1, { error: busy }],
	]) {
		test(`while it is pending: ${name}`, async () => {
			const before = timers();
			const loop = begin(fn, options);
			await turn();
			assert.equal(timers(), before + (name === "the wait"));
			const begun = performance.now();
			loop.abort();
			const { error, value } = await loop.cancelled(attempts);
			assert.deepEqual({ error, value }, { error: undefined, value: undefined, ...last });
			assert.ok(performance.now() - begun < 60_000);
			assert.equal(timers(), before);
		});
	}

	test("while a hook that uses the signal is pending", async () => {
		const loop = begin(script(busy), { onRetry: () => sleep(60_000, undefined, { signal: loop.signal }) });
		await turn();
		loop.abort();
		await loop.cancelled(1);
	});

	test("during a call that fails later", async () => {
		let fail;
		const call = () =>
			new Promise((_, reject) => {
				fail = reject;
			});
		const loop = begin(call);
		await turn();
		loop.abort();
		await loop.cancelled(1);
		fail(busy);
		await turn();
	});

	test("with NaN as the reason, the promise is rejected with NaN after the last event", async () => {
		const { events, ...hooks } = notes();
		const controller = new AbortController();
		const fn = () => {
			controller.abort(Number.NaN);
			throw busy;
		};
		const { error } = await endOf(retry(fn, { shouldRetry: always, signal: controller.signal, ...hooks }));
		assert.ok(Number.isNaN(error));
		assert.deepEqual(
			events.map(([hook, { reason }]) => [hook, reason]),
			[["stop", "cancelled"]],
		);
	});

	describe("by the call, a turn before it ends", () => {
		const ending = (options, end) => {
			const loop = begin(async () => {
				await turn();
				loop.abort();
				return end();
			}, options);
			return loop;
		};

		test("with a value: that is a success", async () => {
			const { promise, events, stats, isIdle } = ending({}, () => "ok");
			assert.deepEqual(await promise, { value: "ok" });
			assert.deepEqual(
				events.map(([hook, { reason, outcome, value }]) => [hook, reason, outcome, value]),
				[["stop", "success", "success", "ok"]],
			);
			assert.equal(stats.counts().stops.success, 1);
			assert.ok(isIdle());
		});

		for (const [name, shouldRetryResult] of [
			["calls permanent", () => "permanent"],
			["has not accepted yet", pending],
		]) {
			test(`with a value that a predicate ${name}: that is cancelled, and the event has the value`, async () => {
				assert.equal((await ending({ shouldRetryResult }, () => "ok").cancelled(1)).value, "ok");
			});
		}

		test("with an error: shouldRetry is not called", async () => {
			const shouldRetry = () => assert.fail("it is not asked");
			await ending({ shouldRetry }, throwing(busy)).cancelled(1);
		});
	});

	test("by a predicate that accepts the value: that is a success", async () => {
		const shouldRetryResult = () => loop.abort();
		const loop = begin(script("ok"), { shouldRetryResult });
		assert.deepEqual(await loop.promise, { value: "ok" });
	});

	test("by a hook that throws the reason of the signal", async () => {
		const onRetry = () => {
			loop.abort();
			loop.signal.throwIfAborted();
		};
		const loop = begin(script(busy), { onRetry });
		await loop.cancelled(1);
	});

	test("at each turn of the microtasks: no further callback is called but the predicate of a value", async () => {
		for (let turns = 0; turns < 200; turns++) {
			const controller = new AbortController();
			const { signal } = controller;
			let isLate = false;
			const look = (result) => () => {
				isLate ||= signal.aborted;
				return result;
			};
			const { events, ...hooks } = notes();
			const options = { policy: "constant:base=1s", clock: new FakeClock(), ...hooks, onRetry: look() };
			let left = turns;
			const count = () => (left-- > 0 ? Promise.resolve().then(count) : controller.abort(why));
			const loop = endOf(retry(look("no"), { ...options, shouldRetryResult: always, signal }));
			count();
			assert.equal((await loop).error, why);
			assert.deepEqual([isLate, events.length], [false, 1], `after ${turns} turns`);
		}
	});

	test("after the end: nothing happens", async () => {
		const { abort, signal, events, promise } = begin(script("ok"));
		assert.deepEqual(await promise, { value: "ok" });
		abort();
		await turn();
		assert.equal(events.length, 1);
		assert.equal(listeners(signal), 0);
	});
});

test("cancelled loops are garbage collected, even if the call is pending and the signal lives on", async () => {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc");
	const { signal } = new AbortController();
	const calls = [];
	const forgotten = [];
	const one = async (number) => {
		const controller = new AbortController();
		// The call never ends, and is held from outside.
		const call = pending();
		calls.push(call);
		const hooks = { onRetry: () => number, onStop: () => number };
		forgotten.push(new WeakRef(hooks.onStop));
		const options = { shouldRetry: always, policy: "constant:base=1h", ...hooks };
		const cancelled = endOf(retry(number % 2 ? () => call : script(busy), { ...options, signal: controller.signal }));
		await retry(script("ok"), { ...options, signal });
		controller.abort(why);
		assert.equal((await cancelled).error, why);
	};
	for (let number = 0; number < 200; number++) {
		await one(number);
	}
	for (let times = 0; times < 2; times++) {
		await turn();
		collect();
	}
	const left = forgotten.filter((reference) => reference.deref() !== undefined);
	assert.ok(left.length < 5, `${left.length} of 200`);
	assert.equal(calls.length, 200);
});

test("loops of one signal share one listener, which they remove", async () => {
	const controller = new AbortController();
	const { signal } = controller;
	const before = timers();
	const options = { shouldRetry: always, policy: "constant:base=1h", signal };
	const loops = Array.from({ length: 100 }, () => endOf(retry(script(busy), options)));
	await turn();
	assert.deepEqual([listeners(signal), timers()], [1, before + 100]);
	assert.equal(await retry(script(busy, "ok"), { ...options, policy: "constant:base=1ms" }), "ok");
	assert.equal(listeners(signal), 1);
	controller.abort(why);
	assert.ok((await Promise.all(loops)).every(({ error }) => error === why));
	assert.deepEqual([listeners(signal), timers()], [0, before]);
});

test("no kind of end leaves a listener or a timer", async () => {
	const before = timers();
	const { signal } = new AbortController();
	const wrong = new Error("wrong");
	const broken = throwing(wrong);
	for (const [fn, more, expected] of [
		[script("ok"), {}, "ok"],
		[script(busy), {}, busy],
		[script("no"), { shouldRetryResult: always }, RetryError],
		[script(busy), { onRetry: broken }, wrong],
		[script(busy), { shouldRetry: broken }, wrong],
		[script(busy), { onStop: broken }, wrong],
		[script(busy), { deadline: 0 }, busy],
	]) {
		const options = { policy: "constant:base=1ms,max_retries=1", signal, shouldRetry: always, ...more };
		const { error, value = error } = await endOf(retry(fn, options));
		assert.ok(value === expected || value instanceof expected);
		assert.deepEqual([listeners(signal), timers()], [0, before]);
	}
});

test("a signal without a reason, as of React Native, rejects with one AbortError", async () => {
	/** The parts that the polyfill has. */
	const signal = Object.assign(new EventTarget(), { aborted: false });
	const abort = () => {
		signal.aborted = true;
		signal.dispatchEvent(new Event("abort"));
	};
	const options = { policy: "constant:base=1h", signal, shouldRetry: always };
	const loops = [
		retry(throwing(busy), { ...options, onRetry: () => void setTimeout(abort) }),
		retry(pending, options),
	].map(endOf);
	const reasons = (await Promise.all(loops)).map(({ error }) => error);
	reasons.push((await endOf(retry(throwing(busy), options))).error);
	assert.equal(reasons[0].name, "AbortError");
	assert.ok(reasons.every((reason) => reason === reasons[0]));
});

test("a clock of the caller gets the signal of the loop, so that its wait can end, too", async () => {
	const { signal } = new AbortController();
	const given = [];
	const clock = new FakeClock({ sleep: (_, signal) => void given.push(signal) });
	const fn = script(busy, "ok");
	assert.equal(
		await retry(fn, { policy: "constant:base=1ms,max_retries=1", shouldRetry: always, clock, signal }),
		"ok",
	);
	assert.deepEqual([given.length, given[0] === signal], [1, true]);
});
