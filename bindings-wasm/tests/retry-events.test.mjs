// The arguments of calls, predicates and hooks, on a clock that does not wait.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AbortError, retry } from "./installed.mjs";
import { FakeClock, run, script } from "./loop.mjs";

const busy = new Error("busy");
const always = () => true;
const job = { seed: 42, key: "job-1", shouldRetry: always };

describe("the context of calls and predicates", () => {
	test("the attempt, and the signal", async () => {
		const { signal } = new AbortController();
		const fn = script(busy, "no", "ok");
		const seen = [];
		const shouldRetry = (...args) => seen.push(args) > 0;
		const shouldRetryResult = (...args) => seen.push(args) < 3;
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

	test("without a signal, one is made only on demand", async () => {
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

	test("an AbortError calls no predicate", async () => {
		let calls = 0;
		await run(script(new AbortError("no")), { ...job, shouldRetry: () => ++calls > 0 });
		assert.equal(calls, 0);
	});
});

describe("events", () => {
	test("are frozen, and a copy of one is JSON, too", async () => {
		const { events } = await run(script(busy, "no", "yes"), {
			...job,
			shouldRetry: () => true,
			shouldRetryResult: (value) => value === "no",
		});
		assert.deepEqual(
			events.map(([, event]) => JSON.parse(JSON.stringify({ message: "a log line", ...event })).delayNs),
			// `full` of tests/vectors/jitters.json.
			["11399434", "83043876", "0"],
		);
		assert.ok(events.every(([, event]) => Object.isFrozen(event)));
	});

	test("a hook is awaited, and the whole delay follows", async () => {
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

	test("hooks are optional", async () => {
		assert.equal(await retry(script(busy, "ok"), { ...job, clock: new FakeClock() }), "ok");
	});
});
