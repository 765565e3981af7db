// p-retry: its delays, what it stops for, and its signal.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PermanentError, Policy, PolicyError } from "backoff-wasm";
import { retryOptions } from "backoff-wasm/p-retry";
import pRetry, { AbortError } from "p-retry";

const POLICY = "full:base=100ms,cap=20s,max_retries=3";
const FIRST = { policy: POLICY, seed: 42, key: "job-1" };
const busy = new Error("busy");

/** Calls p-retry with a function that always throws; the attempts, the time between them and the error. */
async function run(options, error = busy) {
	const times = [];
	const thrown = await pRetry(() => {
		times.push(performance.now());
		throw error;
	}, options).catch((error) => error);
	return { attempts: times.length, waits: times.slice(1).map((time, index) => time - times[index]), thrown };
}

/** A timer of Node.js may fire a millisecond early. */
const assertAtLeast = (waits, delays) => {
	assert.equal(waits.length, delays.length);
	assert.ok(
		waits.every((wait, index) => wait > delays[index] - 1),
		`${waits}`,
	);
};

describe("p-retry", () => {
	test("waits the delays of the policy, and throws the last error", async () => {
		const { attempts, waits, thrown } = await run(retryOptions(FIRST));
		assert.deepEqual([attempts, thrown], [4, busy]);
		assertAtLeast(waits, [11.399434, 83.043876, 229.309811]);
	});

	test("tells the retries that are left", async () => {
		const left = [];
		const onFailedAttempt = ({ retriesLeft }) => void left.push(retriesLeft);
		await run({ ...retryOptions({ policy: Policy.parse("constant:base=0s,max_retries=2") }), onFailedAttempt });
		assert.deepEqual(left, [2, 1, 0]);
	});

	test("a verdict has its retry_after, and can end the call", async () => {
		const shouldRetry = async (error, { attempt }) => {
			assert.equal(error, busy);
			return attempt === 1 ? { outcome: "throttled", retryAfter: 150 } : "permanent";
		};
		const { attempts, waits, thrown } = await run(retryOptions({ ...FIRST, shouldRetry }));
		assert.deepEqual([attempts, thrown], [2, busy]);
		assertAtLeast(waits, [150]);
	});

	test("what it does not retry", async () => {
		const once = async (error, options) => (await run(retryOptions({ ...FIRST, ...options }), error)).attempts;
		assert.equal(await once(new AbortError("gone")), 1);
		assert.equal(await once(new TypeError("x is not a function")), 1);
		assert.equal(await once(busy, { shouldRetry: () => false }), 1);
		assert.equal(await once(busy, { policy: "constant:base=1h,max_elapsed=1s" }), 1);
	});

	test("a PermanentError, and what it says of the last attempt", async () => {
		assert.deepEqual(await run(retryOptions(FIRST), new PermanentError(busy)), {
			attempts: 1,
			waits: [],
			thrown: busy,
		});
		const last = await run(retryOptions({ policy: "constant:base=1ms,max_retries=0" }), new PermanentError(busy));
		assert.deepEqual([last.attempts, last.thrown.originalError], [1, busy]);
	});

	test("the signal ends a wait", async () => {
		const controller = new AbortController();
		setTimeout(() => controller.abort(new Error("the user left")), 20);
		const { attempts, thrown } = await run(retryOptions({ policy: "constant:base=1h", signal: controller.signal }));
		assert.deepEqual([attempts, thrown.message], [1, "the user left"]);
	});

	test("options of two calls are an error", async () => {
		const options = retryOptions(FIRST);
		await run(options);
		assert.match((await run(options)).thrown.message, /^retryOptions makes the options of one call/);
	});

	test("an attempt that ran long begins the count anew", async () => {
		let calls = 0;
		const fn = async () => {
			if (++calls < 4) {
				await new Promise((resolve) => setTimeout(resolve, 3));
				throw new Error("away");
			}
			return calls;
		};
		assert.equal(await pRetry(fn, retryOptions({ base: 0, maxRetries: 1, resetAfter: 1 })), 4);
	});

	test("bad options are errors at once", () => {
		assert.throws(() => retryOptions({ retries: 3 }), {
			message: "retries is unknown; did you mean maxRetries?",
		});
		assert.throws(() => retryOptions({ delay: 3 }), { message: "delay is unknown; did you mean base?" });
		assert.throws(() => retryOptions({ policy: "full:base=1" }), PolicyError);
		assert.throws(
			() => retryOptions({ attemptTimeout: 1500 }),
			/^TypeError: attemptTimeout 1500 ms cannot be kept here: \S/,
		);
		assert.throws(() => retryOptions({ key: "job-1" }), { message: "key needs a seed" });
		assert.throws(() => retryOptions({ seed: 1, key: () => "job-1" }), TypeError);
		assert.throws(() => retryOptions({ signal: {} }), TypeError);
	});
});
