// The default clock: waits that are never too short, long waits in several timers, and unref.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, mock, test } from "node:test";
import { Budget, project, RetryStats, retry } from "./installed.mjs";
import { endOf, job, script } from "./loop.mjs";

const busy = new Error("busy");
const always = () => true;

test("no wait is shorter than its delay", async () => {
	for (const wait of ["1ns", "300us", "999us", "1ms", "1500us", "2999999ns", "5ms"]) {
		for (let turn = 0; turn < 30; turn++) {
			const policy = `constant:base=${wait},max_retries=1`;
			let wanted;
			let begun;
			const onRetry = ({ delay }) => {
				wanted = delay;
				begun = performance.now();
			};
			const called = [];
			const fn = async () => {
				called.push(performance.now());
				throw busy;
			};
			await endOf(retry(fn, { policy, shouldRetry: always, onRetry }));
			const took = called[1] - begun;
			assert.ok(took >= wanted, `${took} ms instead of ${wanted}`);
			assert.ok(took < wanted + 60_000, `${took} ms instead of ${wanted}`);
		}
	}
});

describe("one reason to read the clock is enough", () => {
	const loop = { policy: "constant:base=1ms", shouldRetry: always };
	const callsOf = async (options) => {
		const fn = script(busy);
		await endOf(retry(fn, { ...loop, ...options }));
		return fn.contexts.length;
	};

	test("a deadline", async () => {
		assert.equal(await callsOf({ deadline: performance.now(), maxRetries: 3 }), 1);
	});

	test("max_elapsed", async () => {
		const calls = await callsOf({ maxElapsed: 5, maxRetries: 100 });
		assert.ok(calls <= 6, `${calls}`);
	});

	test("reset_after", async () => {
		let calls = 0;
		const fn = async () => {
			await new Promise((resolve) => setTimeout(resolve, 3));
			if (++calls < 4) {
				throw busy;
			}
			return "ok";
		};
		assert.equal(await retry(fn, { ...loop, maxRetries: 1, resetAfter: 1 }), "ok");
	});

	test("a budget", async () => {
		const budget = Budget.parse("rate:max_tokens=1,per=1ns");
		assert.equal(await callsOf({ budget, maxRetries: 3 }), 4);
	});
});

test("stats count a loop that reads no clock", async () => {
	const stats = new RetryStats();
	await retry(() => 1, { ...job, stats });
	assert.equal(stats.counts().stops.success, 1);
});

describe("setTimeout", () => {
	/** The times passed to `setTimeout`, which this replaces: `fire` calls the callback. */
	async function timeoutsOf(policy, fire = (act) => act()) {
		const times = [];
		const original = globalThis.setTimeout;
		globalThis.setTimeout = (act, time) => {
			times.push(time);
			return fire(act, times, original);
		};
		try {
			await endOf(retry(script(busy), { policy, shouldRetry: always }));
		} finally {
			globalThis.setTimeout = original;
		}
		return times;
	}
	const soon = (act, _, original) => original(act, 0);

	test("gets whole milliseconds, rounded up", async () => {
		assert.deepEqual(await timeoutsOf("constant:base=7000000001ns,max_retries=1", soon), [7001]);
		assert.deepEqual(await timeoutsOf("exponential:base=100s,max_retries=3", soon), [100_000, 200_000, 400_000]);
	});

	test("gets no more than its maximum", async () => {
		const longest = 2 ** 31 - 1;
		assert.deepEqual(await timeoutsOf("constant:base=2147483647ms,max_retries=1", soon), [longest]);
		assert.deepEqual(await timeoutsOf("constant:base=2147488648ms,max_retries=1", soon), [longest, 5001]);
		assert.deepEqual(await timeoutsOf("constant:base=60d,max_retries=1", soon), [
			longest,
			longest,
			60 * 86_400_000 - 2 * longest,
		]);
	});

	for (const [name, wait, after, expected] of [
		["is set again if it fires a little early", 20, 19.5, [20, 1]],
		["is set again if it fires much too early", 60, 30, [60, 30]],
		["is trusted if it fires in less than half of its time", 60, 29, [60]],
		["is set again for a short time, too", 1, 0.25, [1, 1]],
	]) {
		test(name, async () => {
			let time = 0;
			mock.method(performance, "now", () => time);
			try {
				const times = await timeoutsOf(`constant:base=${wait}ms,max_retries=1`, (act, times, original) => {
					time += times.length === 1 ? after : times.at(-1);
					return original(act, 0);
				});
				assert.deepEqual(times, expected);
			} finally {
				mock.restoreAll();
			}
		});
	}

	test("is used even for a wait of 0", async () => {
		assert.deepEqual(await timeoutsOf("constant:base=0ms,max_retries=2", soon), [0, 0]);
	});

	test("may be the fake of a test runner", async () => {
		mock.timers.enable({ apis: ["setTimeout"] });
		try {
			const loop = retry(script(busy, "ok"), { shouldRetry: always, policy: "constant:base=1h" });
			for (let turn = 0; turn < 50; turn++) {
				await Promise.resolve();
			}
			mock.timers.tick(3_600_000);
			assert.equal(await loop, "ok");
		} finally {
			mock.timers.reset();
		}
	});

	test("may return a number, as in browsers", async () => {
		const number = (act, _, original) => Number(original(act, 0));
		for (const unref of [false, true]) {
			const original = globalThis.setTimeout;
			globalThis.setTimeout = (act, time) => number(act, time, original);
			try {
				const end = await endOf(retry(script(busy, "ok"), { policy: "constant:base=9ms", shouldRetry: always, unref }));
				assert.deepEqual(end, { value: "ok" });
			} finally {
				globalThis.setTimeout = original;
			}
		}
	});
});

test("with unref a wait does not keep Node alive, and without it does", () => {
	const code = (unref) => `
		import { retry } from "backoff-wasm";
		let calls = 0;
		const fn = () => { if (calls++ === 0) throw new Error("busy"); console.log("called again"); };
		retry(fn, { policy: "constant:base=${unref ? "1h" : "20ms"},max_retries=1", shouldRetry: () => true, unref: ${unref} });
	`;
	for (const [unref, printed] of [
		[true, ""],
		[false, "called again\n"],
	]) {
		const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code(unref)], {
			cwd: project,
			encoding: "utf8",
			timeout: 60_000,
		});
		assert.deepEqual([status, stdout, stderr], [0, printed, ""]);
	}
});
