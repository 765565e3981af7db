// The options of loops: streams, makeRetriable, and refused options.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { makeRetriable, Policy, PolicyError, project, RandomStream, retry } from "./installed.mjs";
import { endOf, FakeClock, run, script } from "./loop.mjs";

const busy = new Error("busy");
const always = () => true;
const job = { seed: 42, key: "job-1", shouldRetry: always };

describe("streams", () => {
	const waits = async (options) =>
		(await run(script(busy), { shouldRetry: always, policy: "full:base=1d,max_retries=2", ...options })).waits;

	test("a stream, or its seed and key, gives the same waits each time", async () => {
		const expected = [...Policy.parse("full:base=1d").delays(new RandomStream(42, "job-1"), 2)];
		assert.deepEqual(await waits({ seed: 42, key: "job-1" }), expected);
		assert.deepEqual(await waits({ seed: 42n, key: new TextEncoder().encode("job-1") }), expected);
		assert.deepEqual(await waits({ stream: new RandomStream(42, "job-1") }), expected);
		assert.deepEqual(await waits({ seed: 42 }), [...Policy.parse("full:base=1d").delays(new RandomStream(42), 2)]);
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
		const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
			cwd: project,
			encoding: "utf8",
		});
		assert.equal(printed, "1 true\n");
	});

	test("without one, others in each loop", async () => {
		const options = { stream: undefined, seed: undefined };
		const all = await Promise.all(Array.from({ length: 20 }, () => waits(options)));
		assert.equal(new Set(all.flat()).size, 40);
		const clock = new FakeClock();
		const fn = makeRetriable(script(busy), { shouldRetry: always, policy: "full:base=1d,max_retries=2", clock });
		await Promise.all([endOf(fn()), endOf(fn())]);
		assert.equal(new Set(clock.waits).size, 4);
	});
});

describe("makeRetriable", () => {
	test("keeps this and the arguments", async () => {
		const counter = {
			calls: 0,
			add: makeRetriable(
				async function (a, b) {
					if (++this.calls < 3) {
						throw busy;
					}
					return [this.calls, a, b];
				},
				{ ...job, clock: new FakeClock() },
			),
		};
		assert.deepEqual(await counter.add(5, 6), [3, 5, 6]);
		assert.deepEqual(await counter.add(7), [4, 7, undefined]);
	});

	test("a key that is a function of this and the arguments", async () => {
		const policy = Policy.parse("full:base=1d,max_retries=2");
		const clock = new FakeClock();
		const account = {
			prefix: "job",
			load: makeRetriable(script(busy), {
				shouldRetry: always,
				policy,
				clock,
				seed: 42,
				key(number) {
					return `${this.prefix}-${number}`;
				},
			}),
		};
		for (const number of [1, 2]) {
			await endOf(account.load(number));
			assert.deepEqual(clock.waits.splice(0), [...policy.delays(new RandomStream(42, `job-${number}`), 2)]);
		}
	});

	test("a deadline that is a function of the arguments: each call has its own", async () => {
		const clock = new FakeClock();
		const fn = script(busy);
		const deadline = (time) => (time === undefined ? undefined : clock.now() + time);
		const policy = "constant:base=3s,max_retries=4";
		const load = makeRetriable(fn, { shouldRetry: always, policy, clock, deadline });
		for (const [time, waits] of [
			[7000, [3000, 3000]],
			[4000, [3000]],
			[undefined, [3000, 3000, 3000, 3000]],
			[0, []],
		]) {
			await endOf(load(time));
			assert.deepEqual(clock.waits.splice(0), waits);
		}
	});

	test("the value of such a function is checked before any call, and its error is the error of the loop", async () => {
		const fn = script("ok");
		const broken = () => {
			throw busy;
		};
		for (const [options, message] of [
			[{ seed: 1, key: () => undefined }, /^key must be a string or a Uint8Array, got undefined$/],
			[{ seed: 1, key: async () => "job-1" }, /^key must be a string or a Uint8Array, got Promise$/],
			[{ deadline: () => -1 }, /^deadline -1ms is negative$/],
			[{ deadline: () => "1s" }, /^deadline must be a number of milliseconds or/],
			[{ seed: 1, key: broken }, /^busy$/],
			[{ deadline: broken }, /^busy$/],
		]) {
			await assert.rejects(makeRetriable(fn, { shouldRetry: always, ...options })(), { message });
		}
		assert.deepEqual(fn.contexts, []);
		assert.throws(() => makeRetriable(fn, { shouldRetry: always, seed: -1, key: () => "k" }), {
			message: "seed -1 is negative",
		});
	});

	test("keeps the name and the length of the function", () => {
		const load = makeRetriable(async function fetchUser(_id, _options) {}, job);
		assert.deepEqual([load.name, load.length], ["fetchUser", 2]);
	});

	test("checks its options when it is made", () => {
		assert.throws(() => makeRetriable(script("ok"), { retries: 5, ...job }), {
			message: /^retries is unknown; it is part of the policy: write policy: "default:max_retries=5"$/,
		});
		assert.throws(() => makeRetriable(script("ok"), {}), /shouldRetry is missing/);
		for (const refused of [{ policy: 5 }, { budget: "quota" }, { deadline: -1 }, { stream: 42 }, { stats: {} }]) {
			assert.throws(
				() => makeRetriable(script("ok"), { shouldRetry: always, ...refused }),
				(error) => error instanceof TypeError || error instanceof PolicyError,
			);
		}
		assert.throws(() => makeRetriable("fn", job), { message: "fn must be a function, got string" });
	});
});

describe("deadline", () => {
	const stopOf = async (deadline, clock = new FakeClock()) =>
		(await run(script(busy), { ...job, policy: "constant:base=10s", clock, deadline })).stop;

	test("may be a Date, which is converted to the clock", async () => {
		for (const time of [0, 5e6]) {
			const clock = Object.assign(new FakeClock(), { time });
			const { attempts, reason } = await stopOf(new Date(Date.now() + 25_000), clock);
			assert.deepEqual([attempts, reason], [3, "deadline"]);
		}
		assert.equal((await stopOf(new Date(0))).attempts, 1);
		const load = makeRetriable(script(busy), { ...job, clock: new FakeClock(), deadline: () => new Date(0) });
		assert.equal((await endOf(load())).error, busy);
		await assert.rejects(retry(script("ok"), { ...job, deadline: new Date(Number.NaN) }), {
			message: "deadline NaN is not a finite number",
		});
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
		}
		assert.throws(
			() => makeRetriable(fn, { ...job, deadline: Date.now() + 15 }),
			/10 years after clock\.now\(\); pass a Date$/,
		);
		assert.deepEqual(fn.contexts, []);
		for (const deadline of [Infinity, { nanoseconds: 2n ** 64n - 1n }, 3e11, performance.now() + 50]) {
			assert.equal(await retry(fn, { ...job, deadline }), "ok");
		}
		const clock = { now: Date.now, sleep: () => {} };
		assert.equal(await retry(fn, { ...job, clock, deadline: Date.now() + 15 }), "ok");
	});
});

describe("options", () => {
	const withOption = (option) => retry(script("ok"), { shouldRetry: always, ...option });
	const rows = [
		[() => retry(script("ok")), /^shouldRetry is missing: say which failures may be repeated; \(\) => true for all$/],
		[() => retry(script("ok"), {}), /^shouldRetry is missing/],
		[() => retry(undefined, job), /^fn must be a function, got undefined$/],
		[() => retry(script("ok"), null), /^options of retry must be a plain object, got null$/],
		[
			() => withOption({ retries: 5 }),
			/^retries is unknown; it is part of the policy: write policy: "default:max_retries=5"$/,
		],
		[() => withOption({ shouldRetry: true }), /^shouldRetry must be a function, got boolean$/],
		[() => withOption({ shouldRetryResult: 1 }), /^shouldRetryResult must be a function, got number$/],
		[() => withOption({ onRetry: "log" }), /^onRetry must be a function, got string$/],
		[() => withOption({ onStop: null }), /^onStop must be a function, got null$/],
		[() => withOption({ policy: 5 }), /^policy must be a Policy or a policy string, got number$/],
		[
			() => withOption({ policy: { growth: "constant", base: 1 } }),
			/^policy must be a Policy or a policy string, got object; make it with new Policy\(options\)$/,
		],
		[
			() => withOption({ budget: "quota" }),
			/^budget must be a Budget, got string; share one Budget\.parse\("quota"\) among the loops of a server$/,
		],
		[() => withOption({ stats: {} }), /^stats must be a RetryStats, got object$/],
		[() => withOption({ signal: {} }), /^signal must be an AbortSignal, got object$/],
		[() => withOption({ signal: null }), /^signal must be an AbortSignal, got null$/],
		[() => withOption({ clock: { now: always } }), /^clock must be an object with now\(\) and sleep\(delay, signal\)/],
		[() => withOption({ unref: 1 }), /^unref must be a boolean, got number$/],
		[() => withOption({ stream: 42 }), /^stream must be a RandomStream, got number$/],
		[() => withOption({ stream: new RandomStream(1), seed: 1 }), /^pass either stream or seed and key, not both$/],
		[() => withOption({ stream: new RandomStream(1), key: "k" }), /^pass either stream or seed and key, not both$/],
		[() => withOption({ key: "k" }), /^key needs a seed$/],
		[() => withOption({ seed: 1, key: undefined }), /^key must be a string or a Uint8Array, got undefined$/],
		[() => withOption({ deadline: "1s" }), /^deadline must be a number of milliseconds or/],
		[() => withOption({ deadline: Number.NaN }), /^deadline NaN is not a finite number$/],
		[() => withOption({ seed: 1, key: () => "k" }), /^key must be a string or a Uint8Array, got function$/],
		[() => withOption({ deadline: () => 5 }), /^deadline must be a number of milliseconds or .*, got function$/],
		[() => withOption({ policy: "ful" }), /^at 0: unknown name "ful"/],
		[() => withOption({ seed: -1 }), /^seed -1 is negative$/],
	];
	for (const [misuse, message] of rows) {
		test(`${message}`, async () => {
			const promise = misuse();
			await assert.rejects(promise, (error) => {
				assert.match(error.message, message);
				assert.ok(error instanceof TypeError || error instanceof PolicyError);
				return true;
			});
		});
	}
});
