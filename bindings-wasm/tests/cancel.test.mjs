// Cancelling at any moment: promptly, with one last event, and with nothing left behind.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { getActiveResourcesInfo } from "node:process";
import { describe, test } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Budget, Operation, Policy, RandomStream, RetryError, RetryStats, retry } from "./installed.mjs";
import { endOf, FakeClock, notes, script, sharedBudget } from "./loop.mjs";

const busy = new Error("busy");
const why = new Error("the caller cancelled");
const always = () => true;

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
// Some policies here have no limit.
process.on("warning", (warning) => warning.name === "BackoffWarning" || unhandled.push(warning));

const timers = () => getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** Asserts what must hold after a cancelled loop. */
async function assertGone({ controller, isIdle, stats, events, error }, attempts) {
	assert.equal(error, why);
	const [, stop] = events.at(-1);
	assert.equal(events.filter(([hook]) => hook === "stop").length, 1);
	const { elapsed, ...others } = stop;
	assert.ok(elapsed >= 0);
	const { error: _, value: __, ...members } = others;
	const nothing = { delay: 0, delayNs: "0", budgetIsLocal: false };
	assert.deepEqual(members, { attempts, outcome: undefined, reason: "cancelled", ...nothing });
	const { operations, attempts: counted, stops } = stats.counts();
	assert.deepEqual([operations, counted, stops.cancelled], [1, Math.max(attempts, 1), 1]);
	await turn();
	assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
	assert.ok(isIdle());
	assert.deepEqual(unhandled, []);
	return stop;
}

/** A loop of its own signal and budget. */
function begin(fn, options = {}) {
	const controller = new AbortController();
	const { budget, isIdle } = sharedBudget();
	const stats = new RetryStats();
	const { events, ...hooks } = notes();
	const all = { shouldRetry: always, policy: "constant:base=1h", budget, stats, ...hooks, ...options };
	const promise = endOf(retry(fn, { ...all, signal: controller.signal }));
	const end = async () => ({ ...(await promise), controller, isIdle, stats, events });
	return { controller, events, end };
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

	test("during the call, by a function that ignores the signal", async () => {
		const { controller, end } = begin(() => new Promise(() => {}));
		await turn();
		controller.abort(why);
		const stop = await assertGone(await end(), 1);
		assert.equal("error" in stop || "value" in stop, false);
	});

	test("during the second call: the event has nothing of the first", async () => {
		const fn = ({ attempt }) => (attempt === 1 ? Promise.reject(busy) : new Promise(() => {}));
		const { controller, events, end } = begin(fn, { clock: new FakeClock() });
		await turn();
		controller.abort(why);
		const stop = await assertGone(await end(), 2);
		assert.equal("error" in stop || "value" in stop, false);
		assert.equal(events[0][1].error, busy);
	});

	test("during the call, which fails later", async () => {
		let fail;
		const { controller, end } = begin(
			() =>
				new Promise((_, reject) => {
					fail = reject;
				}),
		);
		await turn();
		controller.abort(why);
		await assertGone(await end(), 1);
		fail(busy);
		await turn();
		assert.deepEqual(unhandled, []);
	});

	test("with NaN as the reason, the promise is rejected with NaN after the last event", async () => {
		const { events, ...hooks } = notes();
		const controller = new AbortController();
		const fn = () => {
			controller.abort(Number.NaN);
			throw busy;
		};
		const { signal } = controller;
		const { error } = await endOf(retry(fn, { shouldRetry: always, signal, ...hooks }));
		assert.ok(Number.isNaN(error));
		assert.deepEqual(
			events.map(([hook, { reason }]) => [hook, reason]),
			[["stop", "cancelled"]],
		);
	});

	describe("during the call, by the call, which then ends at once", () => {
		const ending = (options, end) => {
			const loop = begin(async () => {
				await turn();
				loop.controller.abort(why);
				return end();
			}, options);
			return loop.end();
		};

		test("with a value: that is a success", async () => {
			const { value, error, events, stats, isIdle } = await ending({}, () => "ok");
			assert.deepEqual([value, error], ["ok", undefined]);
			assert.deepEqual(
				events.map(([hook, { reason, outcome, value }]) => [hook, reason, outcome, value]),
				[["stop", "success", "success", "ok"]],
			);
			assert.equal(stats.counts().stops.success, 1);
			assert.ok(isIdle());
		});

		for (const [name, classify] of [
			["calls permanent", () => "permanent"],
			["has not accepted yet", () => new Promise(() => {})],
		]) {
			test(`with a value that a predicate ${name}: that is cancelled, and the event has the value`, async () => {
				const stop = await assertGone(await ending({ shouldRetryResult: classify }, () => "ok"), 1);
				assert.equal(stop.value, "ok");
			});
		}

		test("with an error: shouldRetry is not called", async () => {
			let calls = 0;
			const shouldRetry = () => ++calls > 0;
			const fail = () => {
				throw busy;
			};
			await assertGone(await ending({ shouldRetry }, fail), 1);
			assert.equal(calls, 0);
		});
	});

	test("by a predicate that accepts the value: that is a success", async () => {
		const loop = begin(script("ok"), {
			shouldRetryResult: () => {
				loop.controller.abort(why);
				return false;
			},
		});
		assert.equal((await loop.end()).value, "ok");
	});

	test("while a predicate is pending", async () => {
		const { controller, end } = begin(script(busy), { shouldRetry: () => new Promise(() => {}) });
		await turn();
		controller.abort(why);
		const stop = await assertGone(await end(), 1);
		assert.equal(stop.error, busy);
	});

	test("by a hook that then is pending", async () => {
		const loop = begin(script(busy), {
			onRetry: () => {
				loop.controller.abort(why);
				return new Promise(() => {});
			},
		});
		await assertGone(await loop.end(), 1);
	});

	describe("by a callback that throws at once: its error wins, and no hook is called", () => {
		const bug = new TypeError("bug");
		for (const [name, fn] of [
			["shouldRetry", script(busy)],
			["shouldRetryResult", script("no")],
		]) {
			for (const isAsync of [false, true]) {
				test(isAsync ? `${name}, async` : name, async () => {
					const act = () => {
						loop.controller.abort(why);
						throw bug;
					};
					const loop = begin(fn, { [name]: isAsync ? async () => act() : act });
					const { error, events, stats, isIdle } = await loop.end();
					assert.deepEqual([error, events], [bug, []]);
					assert.deepEqual([stats.counts().operations, stats.counts().stops.cancelled], [1, 1]);
					assert.ok(isIdle());
				});
			}
		}

		test("unless it throws the reason of the signal", async () => {
			const loop = begin(script(busy), {
				onRetry: () => {
					loop.controller.abort(why);
					loop.controller.signal.throwIfAborted();
				},
			});
			await assertGone(await loop.end(), 1);
		});
	});

	test("while a hook that uses the signal is pending", async () => {
		const loop = begin(script(busy), { onRetry: () => sleep(60_000, undefined, { signal: loop.controller.signal }) });
		await turn();
		loop.controller.abort(why);
		await assertGone(await loop.end(), 1);
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
			const onRetry = look();
			const shouldRetryResult = () => true;
			const options = { policy: "constant:base=1s", clock: new FakeClock(), ...hooks, onRetry, shouldRetryResult };
			let left = turns;
			const count = () => (left-- > 0 ? Promise.resolve().then(count) : controller.abort(why));
			const loop = endOf(retry(look("no"), { ...options, signal }));
			count();
			assert.equal((await loop).error, why);
			assert.deepEqual([isLate, events.length], [false, 1], `after ${turns} turns`);
		}
	});

	test("during the wait: no timer remains", async () => {
		const before = timers();
		const { controller, events, end } = begin(script(busy));
		await turn();
		assert.deepEqual([events.map(([hook]) => hook), timers()], [["retry"], before + 1]);
		const begun = performance.now();
		controller.abort(why);
		const stop = await assertGone(await end(), 1);
		assert.equal(stop.error, busy);
		assert.ok(performance.now() - begun < 60_000);
		assert.equal(timers(), before);
	});

	test("during the wait of a clock that rejects", async () => {
		const sleep = (_, signal) =>
			new Promise((_, reject) => signal.addEventListener("abort", () => reject(busy), { once: true }));
		const { controller, end } = begin(script(busy), { clock: Object.assign(new FakeClock(), { sleep }) });
		await turn();
		controller.abort(why);
		await assertGone(await end(), 1);
	});

	test("after the end: nothing happens", async () => {
		const { controller, events, end } = begin(script("ok"));
		assert.equal((await end()).value, "ok");
		controller.abort(why);
		await turn();
		assert.deepEqual(
			events.map(([, { reason }]) => reason),
			["success"],
		);
		assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
	});

	test("onStop runs to its end, and may throw", async () => {
		const order = [];
		const { controller, end } = begin(() => new Promise(() => {}), {
			onStop: async () => {
				await turn();
				order.push("stopped");
				throw busy;
			},
		});
		controller.abort(why);
		const { error } = await end();
		assert.deepEqual([error, order], [busy, ["stopped"]]);
	});
});

test("a thousand times at random moments", async () => {
	const before = timers();
	const budget = Budget.parse("concurrent:ratio=0.5,min_concurrent=1000");
	const stats = new RetryStats();
	const policy = Policy.parse("full:base=2ms,cap=6ms");
	// Random numbers that are the same in each run.
	const draws = new RandomStream(7, "moments");
	let index = 0;
	const below = (limit) => Number(draws.draw(index++) % BigInt(Math.round(limit * 1000))) / 1000;

	let late = 0;
	const one = async (number) => {
		const controller = new AbortController();
		const { events, ...hooks } = notes();
		const call = async () => {
			const kind = below(3);
			if (kind >= 1) {
				await (kind >= 2 ? new Promise((resolve) => setTimeout(resolve, below(4))) : turn());
			}
			throw busy;
		};
		const { signal } = controller;
		const loop = endOf(retry(call, { policy, budget, stats, signal, shouldRetry: always, ...hooks }));
		let aborted;
		setTimeout(() => {
			aborted = performance.now();
			controller.abort(why);
		}, below(20));
		const { error } = await loop;
		late = Math.max(late, performance.now() - aborted);
		assert.equal(error, why);
		const stops = events.filter(([hook]) => hook === "stop");
		assert.deepEqual([stops.length, events.at(-1)[0], stops[0][1].reason], [1, "stop", "cancelled"]);
		assert.deepEqual(
			events.map(([, { attempts }]) => attempts).slice(0, -1),
			events.slice(0, -1).map((_, position) => position + 1),
		);
		assert.ok([0, 1].includes(stops[0][1].attempts - (events.length - 1)), `loop ${number}`);
		assert.deepEqual(getEventListeners(signal, "abort"), []);
	};
	for (let batch = 0; batch < 20; batch++) {
		await Promise.all(Array.from({ length: 50 }, (_, number) => one(number)));
	}
	const counts = stats.counts();
	assert.deepEqual([counts.operations, counts.stops.cancelled], [1000, 1000]);
	assert.ok(late < 60_000, `${late} ms late`);
	await new Promise((resolve) => setTimeout(resolve, 10));
	assert.equal(timers(), before);
	assert.deepEqual(unhandled, []);
	// The budget has no active operations left: half of 2,001 new ones may retry.
	const operations = Array.from({ length: 2001 }, () => new Operation(policy, new RandomStream(1), { now: 0, budget }));
	const granted = operations.filter((operation) => operation.decide("transient", { now: 0 }).reason === undefined);
	assert.equal(granted.length, 1000);
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
		const call = new Promise(() => {});
		calls.push(call);
		const hooks = { onRetry: () => number, onStop: () => number };
		forgotten.push(new WeakRef(hooks.onStop));
		const fn = number % 2 ? () => call : script(busy);
		const options = { shouldRetry: always, policy: "constant:base=1h", ...hooks };
		const cancelled = endOf(retry(fn, { ...options, signal: controller.signal }));
		await retry(script("ok"), { ...options, signal });
		controller.abort(why);
		assert.equal((await cancelled).error, why);
	};
	for (let number = 0; number < 200; number++) {
		await one(number);
	}
	await turn();
	collect();
	await turn();
	collect();
	const left = forgotten.filter((reference) => reference.deref() !== undefined);
	assert.ok(left.length < 5, `${left.length} of 200`);
	assert.equal(calls.length, 200);
});

test("loops of one signal share one listener, which they remove", async () => {
	const controller = new AbortController();
	const { signal } = controller;
	const before = timers();
	const loops = Array.from({ length: 100 }, () =>
		endOf(retry(script(busy), { shouldRetry: always, policy: "constant:base=1h", signal })),
	);
	await turn();
	assert.deepEqual([getEventListeners(signal, "abort").length, timers()], [1, before + 100]);
	const done = await retry(script(busy, "ok"), { shouldRetry: always, policy: "constant:base=1ms", signal });
	assert.equal(done, "ok");
	assert.equal(getEventListeners(signal, "abort").length, 1);
	controller.abort(why);
	assert.ok((await Promise.all(loops)).every(({ error }) => error === why));
	assert.deepEqual([getEventListeners(signal, "abort").length, timers(), unhandled], [0, before, []]);
});

test("no kind of end leaves a listener or a timer", async () => {
	const before = timers();
	const { signal } = new AbortController();
	const wrong = new Error("wrong");
	const broken = () => {
		throw wrong;
	};
	const options = { policy: "constant:base=1ms,max_retries=1", signal, shouldRetry: always };
	const ends = [
		[script("ok"), {}, "ok"],
		[script(busy), {}, busy],
		[script("no"), { shouldRetryResult: always }, RetryError],
		[script(busy), { onRetry: broken }, wrong],
		[script(busy), { shouldRetry: broken }, wrong],
		[script(busy), { onStop: broken }, wrong],
		[script(busy), { deadline: 0 }, busy],
	];
	for (const [fn, more, expected] of ends) {
		const { error, value = error } = await endOf(retry(fn, { ...options, ...more }));
		assert.ok(value === expected || value instanceof expected);
		assert.deepEqual([getEventListeners(signal, "abort").length, timers()], [0, before]);
	}
	assert.deepEqual(unhandled, []);
});

test("a signal without a reason, as of React Native, rejects with one AbortError", async () => {
	/** The parts that the polyfill has. */
	const signal = Object.assign(new EventTarget(), { aborted: false });
	const abort = () => {
		signal.aborted = true;
		signal.dispatchEvent(new Event("abort"));
	};
	const fail = () => {
		throw new Error("down");
	};
	const options = { policy: "constant:base=1h", signal, shouldRetry: () => true };
	const loops = [
		retry(fail, { ...options, onRetry: () => void setTimeout(abort) }),
		retry(() => new Promise(() => {}), options),
	];
	const reasons = await Promise.all(loops.map((loop) => loop.catch((error) => error)));
	reasons.push(await retry(fail, options).catch((error) => error));
	assert.equal(reasons[0].name, "AbortError");
	assert.ok(reasons.every((reason) => reason === reasons[0]));
});
