// What a loop has beside a policy (SPEC 18.8, 18.9): fields, its attempt, a fallback, changes of its options, defaults of
// the program, delays of the caller, and the limit of an attempt in real time.

import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Budget, installed, makeRetriable, Policy, RetryError, RetryStats, retry, setDefaults } from "./installed.mjs";
import { always, busy, endOf, FakeClock, job, notes, run, script, throwing } from "./loop.mjs";
import { vectors } from "./vectors.mjs";

const JITTERS = "none, full, equal, proportional, additive, decorrelated, slotted";

describe("fields beside the policy", () => {
	for (const [options, changed] of [
		[{ maxRetries: 1 }, "default:max_retries=1"],
		[{ maxAttempts: 5, base: 10 }, "default:max_attempts=5,base=10ms"],
		[{ policy: "azure-core", jitter: "full", cap: 1000 }, "azure-core:jitter=full,cap=1s"],
		[{ policy: Policy.parse("svix"), waits: [1, 20, 300] }, "svix:waits=1ms/20ms/300ms"],
		[{ policy: "off", maxRetries: undefined }, "off"],
		// A new growth does not keep what it does not use.
		[{ growth: "steps", waits: [1, 2] }, "steps:waits=1ms/2ms,cap=20s,jitter=full,max_retries=3"],
		[{ policy: "svix", growth: "linear", base: 1, increment: 2 }, "linear:base=1ms,increment=2ms,max_retries=7"],
		[
			{ policy: "k8s-conflict", growth: "fibonacci" },
			"fibonacci:base=10ms,jitter=proportional,jitter_above=0.1,max_retries=3",
		],
	]) {
		test(changed, async () => {
			const [own, text] = await Promise.all(
				[options, { policy: changed }].map((each) => run(throwing(busy), { ...job, ...each })),
			);
			assert.deepEqual([own.waits, own.error], [text.waits, busy]);
			const { policy = "default", ...fields } = options;
			assert.equal(`${Policy.parse(`${policy}`).with(fields)}`, `${Policy.parse(changed)}`);
		});
	}

	test("a change is that of these fields, also after another one", async () => {
		const waits = async (base) => (await run(throwing(busy), { ...job, policy: "resilience4j", base })).waits;
		assert.deepEqual(await waits(1), [1, 1]);
		assert.deepEqual(await waits(2), [2, 2]);
		assert.deepEqual(await waits(1), [1, 1]);
		assert.deepEqual(await waits(undefined), [500, 500]);
	});

	for (const [options, message] of [
		[{ maxRetries: -1 }, "maxRetries -1 is negative"],
		[{ maxRetries: 1, maxAttempts: 2 }, "maxAttempts 2 is set as well as maxRetries 1; set one of them"],
		[{ waits: [1] }, "waits is not used by growth exponential (growth=steps uses it)"],
		[{ growth: "steps", waits: [1], base: 1 }, "base 1ms is not used by growth steps"],
		[{ jitter: `x${"\n".repeat(80)}` }, `jitter "x${"\\n".repeat(59)}" is unknown; the kinds are ${JITTERS}`],
		[{ maxElapsed: { nanoseconds: 10n ** 200n } }, `maxElapsed 1${"0".repeat(127)}... is above 9223372036854775807ns`],
		[{ waits: 5 }, "waits must be an array of durations, got number"],
		[{ base: 30_000 }, 'cap 20s is below base 30s; one of them is that of the policy "default"'],
		[{ policy: "full:base=1s,cap=2s", cap: 5 }, "cap 5ms is below base 1s"],
		[{ delays: 5 }, "delays must be an array of durations or a function, got number"],
		[{ delays: [-1] }, "delays -1ms is negative"],
	]) {
		test(message, () => assert.throws(() => makeRetriable(busy.constructor, { ...job, ...options }), { message }));
	}

	for (const [name, meant] of Object.entries({
		retries: "maxRetries",
		tries: "maxAttempts",
		numOfAttempts: "maxAttempts",
		minTimeout: "base",
		startingDelay: "base",
		maxTimeout: "cap",
		factor: "multiplier",
		timeMultiple: "multiplier",
		forever: "maxRetries: Infinity",
		exponent: "multiplier",
		retryDelay: "base",
		maxRetryTime: "maxElapsed",
		max_retries: "maxRetries",
		attempt_timeout: "attemptTimeout",
		maxRetry: "maxRetries",
		retryIf: "shouldRetry",
		abortSignal: "signal",
		onFailedAttempt: "onRetry, and onStop for the last failure",
		backoffLimit: "cap or maxRetries",
		delay: "delays or base",
		basee: "base",
		maxAttempt: "maxAttempts",
		onretry: "onRetry",
		sedd: "seed",
		ceadline: "deadline",
	})) {
		test(`${name} of another library`, async () => {
			const message = `${name} is unknown; did you mean ${meant}?`;
			await assert.rejects(
				retry(() => 1, { shouldRetry: always, [name]: 1 }),
				{ name: "TypeError", message },
			);
		});
	}

	test("a name that is near none has a list of all", async () => {
		const all = /^\(x is unknown; the options of retry are shouldRetry, .*, and those of a policy$/;
		await assert.rejects(
			retry(() => 1, { shouldRetry: always, "(x": 1 }),
			{ name: "TypeError", message: all },
		);
	});
});

describe("a call learns its attempt", () => {
	test("its number, the last error and the time that is left", async () => {
		const seen = [];
		const clock = new FakeClock();
		const fn = (context) => {
			const { attempt, lastError, timeLeft } = context;
			clock.time += 100;
			seen.push([attempt, lastError, timeLeft, context.timeLeft]);
			if (attempt === 2) {
				return "wrong";
			}
			throw busy;
		};
		const shouldRetryResult = (value, { lastError }) => value === "wrong" && lastError === busy;
		const policy = "constant:base=1s,max_retries=2,max_elapsed=10s";
		await endOf(retry(fn, { policy, clock, shouldRetry: always, shouldRetryResult }));
		assert.deepEqual(seen, [
			[1, undefined, 10_000, 9900],
			[2, busy, 8900, 8800],
			[3, undefined, 7800, 7700],
		]);
	});

	test("no time is left where there is no limit", async () => {
		const fn = script(busy, 1);
		await retry(fn, { ...job, clock: new FakeClock(), maxRetries: 3 });
		assert.deepEqual(
			fn.contexts.map(({ timeLeft }) => timeLeft),
			[undefined, undefined],
		);
	});
});

describe("a fallback", () => {
	const options = { ...job, policy: "immediate:max_retries=1" };

	test("is a value in place of the failure, which the hooks and the stats see", async () => {
		const { value, error, stop } = await run(throwing(busy), { ...options, fallback: "cached" });
		assert.deepEqual([value, error, stop.reason, stop.error], ["cached", undefined, "max_retries", busy]);
		assert.equal(await retry(() => "fresh", { ...options, fallback: "cached" }), "fresh");
		assert.equal(await retry(throwing(busy), { ...options, fallback: null }), null);
	});

	test("is a function of the failure", async () => {
		assert.equal(await retry(throwing(busy), { ...options, fallback: async ({ message }) => message }), "busy");
		const shouldRetryResult = always;
		const fallback = (error) => [error instanceof RetryError, error.result];
		assert.deepEqual(await retry(() => 7, { ...options, shouldRetryResult, fallback }), [true, 7]);
		assert.equal(await retry(throwing(busy), { ...options, shouldRetry: () => false, fallback: () => 1 }), 1);
	});

	test("is none for a cancellation or a hook that throws", async () => {
		const broken = new Error("broken");
		const hooked = { ...options, onStop: throwing(broken), fallback: 1 };
		assert.equal((await endOf(retry(throwing(busy), hooked))).error, broken);
		const signal = AbortSignal.abort(broken);
		assert.equal((await endOf(retry(throwing(busy), { ...options, signal, fallback: 1 }))).error, broken);
	});
});

test("withOptions changes some options of a function", async () => {
	const fn = script(busy, busy, "done", busy, busy);
	const load = makeRetriable(fn, { ...job, maxRetries: 2, base: 0 });
	const impatient = load.withOptions({ maxRetries: 0, fallback: "stale" });
	assert.equal(await load(), "done");
	assert.equal(await impatient(), "stale");
	assert.equal(fn.contexts.length, 4);
	assert.throws(() => load.withOptions({ retries: 1 }), /did you mean maxRetries/);
	assert.throws(() => load.withOptions(5), /options of withOptions must be a plain object, got number/);
	assert.equal(load.withOptions().name, load.name);
});

test("a policy of withOptions takes the place of the policy and the fields before it, not of other options", async () => {
	const clock = new FakeClock();
	const load = makeRetriable(throwing(busy), {
		...job,
		clock,
		maxRetries: 4,
		base: 0,
		multiplier: 3,
		fallback: "stale",
	});
	assert.equal(await load.withOptions({ policy: "constant:base=1ms,max_retries=1" })(), "stale");
	assert.deepEqual(clock.waits, [1]);
	assert.equal(await load.withOptions({ policy: "constant:base=1ms", maxRetries: 2 })(), "stale");
	assert.deepEqual(clock.waits, [1, 1, 1]);
});

test("an abort ends the wait for a fallback", async () => {
	const controller = new AbortController();
	const fallback = () => {
		setTimeout(() => controller.abort(busy), 1);
		return new Promise(() => {});
	};
	const { error } = await endOf(retry(throwing(1), { ...job, maxRetries: 0, fallback, signal: controller.signal }));
	assert.equal(error, busy);
});

describe("defaults of the program", () => {
	let restore = () => {};
	afterEach(() => restore());
	const once = makeRetriable(throwing(busy), { ...job, clock: { now: () => 0, sleep: () => {} } });

	test("hold until they are taken back, also for functions that were made before", async () => {
		const stats = new RetryStats();
		const { events, ...hooks } = notes();
		restore = setDefaults({ ...hooks, stats, maxRetries: 1 });
		await endOf(once());
		assert.deepEqual(
			events.map(([hook, { attempts }]) => [hook, attempts]),
			[
				["retry", 1],
				["stop", 2],
			],
		);
		restore();
		await endOf(once());
		assert.deepEqual([events.length, stats.counts().operations], [2, 1]);
	});

	test("give way to options of the loop, and their hooks come first", async () => {
		const order = [];
		const hook = (name) => async () => {
			await undefined;
			order.push(name);
		};
		restore = setDefaults({ maxRetries: 1, base: 5, onStop: hook("program") });
		await endOf(once.withOptions({ maxRetries: 0, onStop: hook("loop"), onRetry: undefined })());
		assert.deepEqual(order, ["program", "loop"]);
		// A policy of the loop's own is not changed.
		const { waits } = await run(throwing(busy), { ...job, policy: "constant:base=9ms,max_retries=3" });
		assert.deepEqual(waits, [9, 9, 9]);
	});

	test("turn retries off", async () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=5");
		restore = setDefaults({ enabled: false });
		for (const options of [{}, { policy: "none", budget }, { delays: [1, 2] }, { delays: () => 1 }]) {
			const { error, stop, waits } = await run(throwing(busy), { ...job, ...options });
			assert.deepEqual([error, stop.reason, stop.attempts, waits], [busy, "max_retries", 1, []]);
		}
		assert.equal(await retry(() => 1, job), 1);
		restore();
		// The token is still there.
		const { waits } = await run(throwing(busy), { ...job, policy: "constant:base=1ms,max_retries=1", budget });
		assert.deepEqual(waits, [1]);
	});

	test("add up, and are taken back in any order", async () => {
		const order = [];
		const note = (name) => () => void order.push(name);
		const back = [
			setDefaults({ enabled: false, onStop: note("first") }),
			setDefaults({ onStop: note("second"), shouldRetry: always }),
			setDefaults({ maxRetries: 1, base: 0 }),
		];
		restore = () => void back.map((each) => each());
		const ended = async () => {
			order.length = 0;
			return [(await endOf(retry(throwing(busy), { onStop: note("own") }))).error, ...order];
		};
		assert.deepEqual(await ended(), [busy, "first", "second", "own"]);
		back[1]();
		const { error } = await endOf(retry(throwing(busy)));
		assert.match(error.message, /^shouldRetry is missing/);
		const stops = async () => (await run(throwing(busy), job)).stop.attempts;
		assert.equal(await stops(), 1);
		back[0]();
		assert.equal(await stops(), 2);
		assert.throws(() => setDefaults({ cap: 1, floor: 2 }), /floor 2ms is above cap 1ms/);
		assert.equal(await stops(), 2);
	});

	for (const { id, steps } of vectors("defaults")) {
		test(id, async () => {
			const taken = new Map();
			restore = () => void [...taken.values()].map((each) => each());
			let called;
			for (const { do: what, call, options: given, waits, hooks } of steps) {
				if (what === "restore") {
					taken.get(call)();
					continue;
				}
				const { policy, max_retries: maxRetries, max_attempts: maxAttempts, enabled, hook } = given;
				const note = (kind) => hook && (() => void called.push(`${kind} ${hook}`));
				const options = { policy, maxRetries, maxAttempts, onRetry: note("retry"), onStop: note("stop") };
				if (what === "set") {
					taken.set(call, setDefaults({ enabled, ...options }));
					continue;
				}
				called = [];
				const clock = new FakeClock();
				await endOf(retry(throwing(busy), { ...job, clock, ...options }));
				assert.deepEqual([clock.waits, called], [waits.map((wait) => Number(wait) / 1e6), hooks]);
			}
		});
	}

	test("give way where a loop says the same in another way", async () => {
		restore = setDefaults({ maxRetries: 5 });
		assert.equal((await run(throwing(busy), { ...job, maxAttempts: 2 })).stop.attempts, 2);
		const load = makeRetriable(throwing(busy), { ...job, base: 0, maxAttempts: 3 });
		const stats = new RetryStats();
		await endOf(load.withOptions({ maxRetries: 0, stats, seed: 1 })());
		assert.equal(stats.counts().attempts, 1);
	});

	test("the last ones count, in whatever order they are taken back", async () => {
		const limit = async () => (await run(throwing(busy), job)).stop.attempts - 1;
		const [first, second] = [setDefaults({ maxRetries: 1 }), setDefaults({ maxRetries: 2 })];
		assert.equal(await limit(), 2);
		first();
		first();
		assert.equal(await limit(), 2);
		second();
		assert.equal(await limit(), 3);
	});

	test("are checked", () => {
		for (const [options, message] of [
			[{ enabled: 1 }, /^enabled must be a boolean, got number$/],
			[{ retries: 1 }, /^retries is unknown; did you mean maxRetries\?$/],
			[{ onStop: 1 }, /^onStop must be a function, got number$/],
			[{ signal: AbortSignal.abort() }, /^signal belongs to one loop; it is no default of all$/],
			[{ seed: 1 }, /^seed belongs to one loop; it is no default of all$/],
			[{ deadline: 5 }, /^deadline belongs to one loop; it is no default of all$/],
			[7, /^options of setDefaults must be a plain object, got number$/],
		]) {
			assert.throws(() => setDefaults(options), { name: "TypeError", message });
		}
	});
});

test("delays is a list, or a function of the index and the failure", async () => {
	const list = await run(throwing(busy), { ...job, delays: [10, { nanoseconds: 7n }] });
	assert.deepEqual([list.waits, list.stop.reason], [[10, 7e-6], "max_retries"]);
	const asked = [];
	// A limit of retries that somebody names counts as well.
	const waits = [1, 1, 1, 1, 1];
	for (const [options, retries] of [
		[{}, 5],
		[{ cap: 1000 }, 5],
		[{ maxRetries: undefined }, 5],
		[{ maxRetries: 4 }, 4],
		[{ maxAttempts: 2 }, 1],
		[{ maxRetries: 9 }, 5],
		[{ policy: "default" }, 3],
		[{ policy: "immediate" }, 5],
		[{ policy: "immediate", maxRetries: 2 }, 2],
	]) {
		const { stop } = await run(throwing(busy), { ...job, policy: undefined, ...options, delays: waits });
		assert.equal(stop.attempts, retries + 1, JSON.stringify(options));
	}
	const restore = setDefaults({ maxRetries: 2 });
	try {
		const { stop } = await run(throwing(busy), { ...job, policy: undefined, delays: waits });
		assert.equal(stop.attempts, 3);
	} finally {
		restore();
	}
	const delays = (index, failure) => {
		asked.push([index, failure]);
		return index === 1 ? 5 : undefined;
	};
	const ofFunction = await run(throwing(busy), { ...job, delays });
	assert.deepEqual(ofFunction.waits, [11.399434, 5, 229.309811]);
	assert.deepEqual(
		asked,
		[0, 1, 2].map((index) => [index, busy]),
	);
	const wrong = await endOf(retry(throwing(busy), { ...job, delays: () => "1s" }));
	assert.match(wrong.error.message, /^delays must be a number of milliseconds/);
	assert.equal(wrong.error.cause, busy);
});

describe("the limit of an attempt", () => {
	const limited = { shouldRetry: () => false, policy: "immediate:max_retries=1", attemptTimeout: 20 };

	test("ends a call by its signal", async () => {
		const reasons = [];
		const fn = ({ attempt, signal }) =>
			attempt === 2
				? "done"
				: new Promise((_, reject) => {
						signal.addEventListener("abort", () => {
							reasons.push(signal.reason);
							reject(signal.reason);
						});
					});
		const events = [];
		assert.equal(await retry(fn, { ...limited, onRetry: (event) => events.push(event) }), "done");
		assert.equal(events[0].outcome, "timeout");
		assert.equal(events[0].error, reasons[0]);
		assert.deepEqual([reasons[0].name, reasons[0].message], ["TimeoutError", "the attempt took longer than 20 ms"]);
	});

	test("leaves a deaf function behind, and its late failure is no unhandled rejection", async () => {
		const unhandled = [];
		const note = (reason) => unhandled.push(reason);
		process.on("unhandledRejection", note);
		const failLate = [];
		const fn = () => new Promise((_, reject) => failLate.push(reject));
		const { error } = await endOf(makeRetriable(fn, limited)());
		assert.equal(error.name, "TimeoutError");
		for (const fail of failLate) {
			fail(busy);
		}
		await new Promise((resolve) => setTimeout(resolve, 1));
		process.off("unhandledRejection", note);
		assert.deepEqual([failLate.length, unhandled], [2, []]);
	});

	test("of the next attempt counts, whatever a call that was left behind does in it", async () => {
		for (const end of [(resolve) => resolve("late"), (_, reject) => reject(busy)]) {
			let endFirst;
			const calls = [
				() =>
					new Promise((...ends) => {
						endFirst = () => end(...ends);
					}),
				() => {
					endFirst();
					return new Promise(() => {});
				},
				() => "third",
			];
			const options = { ...limited, policy: "immediate:max_retries=2" };
			assert.equal(await retry(() => calls.shift()(), options), "third");
		}
	});

	test("keeps no timer once a call has ended, and a value counts even if it is late", async () => {
		const isLate = () => {
			const end = performance.now() + 30;
			while (performance.now() < end) {}
			return "late";
		};
		assert.equal(await retry(isLate, limited), "late");
		const before = process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
		await retry(() => 1, { ...limited, attemptTimeout: 3_600_000 });
		const after = process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;
		assert.equal(after, before);
	});

	test("is not met by a call that has ended at the same moment", async () => {
		const moment = Promise.resolve("done");
		assert.equal(await retry(() => moment, { ...limited, clock: new FakeClock({ timeout: () => moment }) }), "done");
	});

	test("of an attempt that has ended is not that of the next one", async () => {
		const ends = [];
		const timeout = () => new Promise((end) => ends.push(end));
		const fn = async ({ attempt }) => {
			if (attempt === 1) {
				throw busy;
			}
			ends[0]();
			await new Promise((resolve) => setImmediate(resolve));
			return "done";
		};
		const options = { ...limited, shouldRetry: always, clock: new FakeClock({ timeout }) };
		assert.equal(await retry(fn, options), "done");
	});

	test("is not met at the moment of an abort, whose event has no error", async () => {
		const controller = new AbortController();
		const fn = () => {
			controller.abort(busy);
			return new Promise(() => {});
		};
		const clock = new FakeClock({ timeout: async () => {} });
		const { error, stop } = await run(fn, { ...limited, clock, signal: controller.signal });
		assert.equal(error, busy);
		assert.deepEqual([stop.reason, "error" in stop], ["cancelled", false]);
	});

	test("gives way to the signal of the caller", async () => {
		const controller = new AbortController();
		const seen = [];
		const promise = retry(
			({ signal }) => {
				seen.push(signal);
				return new Promise(() => {});
			},
			{ ...limited, attemptTimeout: 3_600_000, signal: controller.signal },
		);
		controller.abort(busy);
		assert.equal((await endOf(promise)).error, busy);
		assert.equal(seen[0].reason, busy);
	});
});

test("retryingFetch takes fields, and its withOptions shares the budget", async () => {
	const { retryingFetch } = await import(pathToFileURL(join(installed, "dist/adapters/fetch.cjs")).href);
	let requests = 0;
	const fetch = async () => {
		requests++;
		return new Response("", { status: 503 });
	};
	const options = { fetch, base: 0, maxRetries: 2, budget: "quota:max_tokens=10,cost=5" };
	const fetching = retryingFetch(options);
	const once = fetching.withOptions({ maxRetries: 0 });
	assert.equal((await once("http://a/")).status, 503);
	assert.equal(requests, 1);
	await fetching("http://a/");
	assert.equal(requests, 4);
	// The two tokens are gone.
	await fetching.withOptions({ maxRetries: 9 })("http://a/");
	assert.equal(requests, 5);
	await fetching.withOptions({ maxRetries: 1, budget: null })("http://a/");
	assert.equal(requests, 7);
	const restore = setDefaults({ fallback: 5 });
	try {
		assert.equal((await fetching.withOptions({ budget: null })("http://a/")).status, 503);
		const offline = () => Promise.reject(busy);
		assert.equal((await endOf(retryingFetch({ fetch: offline, maxRetries: 0 })("http://a/"))).error, busy);
	} finally {
		restore();
	}
	assert.throws(() => retryingFetch({ retries: 1 }), /^TypeError: retries is unknown; did you mean maxRetries\?$/);
});
