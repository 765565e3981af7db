// effect: schedules on a test clock.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { PermanentError, PolicyError } from "backoff-wasm";
import { schedule } from "backoff-wasm/effect";
import { Duration, Effect, Fiber, Schedule } from "effect";
import { TestClock } from "effect/testing";

const POLICY = "full:base=100ms,cap=20s,max_retries=3";
const FIRST = { policy: POLICY, seed: 42, key: "job-1" };

/** The times of the attempts of an effect that always fails, in ms of the test clock, and its error. */
function run(used, failure = "busy") {
	const times = [];
	const attempt = Effect.clockWith((clock) => clock.currentTimeMillis).pipe(
		Effect.flatMap((now) => {
			times.push(now);
			return Effect.fail(failure);
		}),
	);
	const program = Effect.gen(function* () {
		const fiber = yield* Effect.forkChild(Effect.flip(Effect.retry(attempt, used)));
		for (let elapsed = 0; elapsed < 1000; elapsed++) {
			yield* TestClock.adjust("1 millis");
		}
		return yield* Fiber.join(fiber);
	});
	return Effect.runPromise(Effect.provide(program, TestClock.layer())).then((error) => ({ times, error }));
}

describe("effect", () => {
	test("retries after the delays of the policy, then fails with the last error", async () => {
		const used = schedule(FIRST);
		const expected = { times: [0, 12, 96, 326], error: "busy" };
		assert.deepEqual(await run(used), expected);
		// Every use begins anew.
		assert.deepEqual(await run(used), expected);
	});

	test("outputs the exact delays", async () => {
		const outputs = [];
		const used = schedule(FIRST).pipe(
			Schedule.tap((metadata) => Effect.sync(() => outputs.push(metadata.output ?? metadata))),
		);
		await run(used);
		assert.deepEqual(
			outputs.slice(0, 3).map((output) => Duration.toNanosUnsafe(output)),
			[11399434n, 83043876n, 229309811n],
		);
	});

	test("a verdict has its retry_after, and can end the retries", async () => {
		const shouldRetry = (error, { attempt }) => {
			assert.equal(error, "busy");
			return attempt === 1 ? { outcome: "throttled", retryAfter: 150 } : attempt < 3;
		};
		assert.deepEqual((await run(schedule({ ...FIRST, shouldRetry }))).times, [0, 150, 234]);
	});

	test("a PermanentError ends the retries", async () => {
		const permanent = new PermanentError("gone");
		assert.deepEqual(await run(schedule(FIRST), permanent), { times: [0], error: permanent });
		const shouldRetry = (error) => new PermanentError(error);
		assert.deepEqual((await run(schedule({ ...FIRST, shouldRetry }))).times, [0]);
	});

	test("max_elapsed counts on the clock of effect", async () => {
		const used = schedule({ policy: "constant:base=100ms,max_elapsed=250ms" });
		assert.deepEqual((await run(used)).times, [0, 100, 200]);
	});

	test("without a stream each use has its own delays", async () => {
		const used = schedule({ policy: "full:base=100ms,max_retries=3" });
		assert.notDeepEqual(await run(used), await run(used));
	});

	test("by require", () => {
		assert.equal(typeof createRequire(import.meta.url)("backoff-wasm/effect").schedule, "function");
	});

	test("bad options are errors at once", () => {
		assert.throws(() => schedule({ times: 3 }), {
			message: "times is unknown; did you mean maxAttempts?",
		});
		assert.throws(() => schedule({ policy: "full:base=1" }), PolicyError);
		assert.throws(
			() => schedule({ attemptTimeout: 1500 }),
			/^TypeError: attemptTimeout 1500 ms cannot be kept here: \S/,
		);
		assert.throws(() => schedule({ stream: 5 }), TypeError);
	});
});
