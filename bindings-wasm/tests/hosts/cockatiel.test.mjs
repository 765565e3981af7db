// cockatiel: the delays that it waits, and how often.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PermanentError, PolicyError } from "backoff-wasm";
import { retryOptions } from "backoff-wasm/cockatiel";
import { handleAll, handleWhenResult, retry } from "cockatiel";

const POLICY = "full:base=100ms,cap=20s,max_retries=3";
const FIRST = { policy: POLICY, seed: 42, key: "job-1" };

/** The delays of an execution that always fails, and how it ended. */
async function run(policy, fn = () => Promise.reject(new Error("busy"))) {
	const delays = [];
	const { dispose } = policy.onRetry(({ delay }) => void delays.push(delay));
	const end = await policy.execute(fn).catch((error) => error);
	dispose();
	return { delays, end };
}

describe("cockatiel", () => {
	test("waits the delays of the policy, the same in every execution of a stream", async () => {
		const policy = retry(handleAll, retryOptions(FIRST));
		for (const { delays, end } of await Promise.all([run(policy), Promise.resolve().then(() => run(policy))])) {
			assert.equal(end.message, "busy");
			assert.deepEqual(new Set(delays), new Set([12, 84, 230]));
		}
		assert.deepEqual((await run(policy)).delays, [12, 84, 230]);
	});

	test("without a stream each execution has its own delays", async () => {
		const policy = retry(handleAll, retryOptions({ policy: "full:base=40ms,max_retries=3" }));
		const [first, second] = [await run(policy), await run(policy)];
		assert.notDeepEqual(first.delays, second.delays);
	});

	test("a retry_after of an error or of a value delays", async () => {
		const retryAfter = ({ error, value }) => error?.retryAfter ?? value;
		const ofErrors = retry(handleAll, retryOptions({ ...FIRST, retryAfter }));
		const fail = () => Promise.reject(Object.assign(new Error("busy"), { retryAfter: 100 }));
		assert.deepEqual((await run(ofErrors, fail)).delays, [100, 100, 230]);
		const ofValues = retry(
			handleWhenResult((value) => value === 150),
			retryOptions({ ...FIRST, retryAfter }),
		);
		assert.deepEqual(await run(ofValues, () => 150), { delays: [150, 150, 230], end: 150 });
	});

	test("a PermanentError ends the retries, and the caller gets the error inside", async () => {
		const gone = new Error("gone");
		const policy = retry(handleAll, retryOptions(FIRST));
		assert.deepEqual(await run(policy, () => Promise.reject(new PermanentError(gone))), { delays: [], end: gone });
	});

	test("more attempts than those of the policy still wait", async () => {
		const { backoff } = retryOptions({ policy: "linear:base=10ms,max_retries=1" });
		assert.deepEqual((await run(retry(handleAll, { maxAttempts: 3, backoff }))).delays, [10, 20, 30]);
	});

	test("a delay that setTimeout cannot wait is cut", () => {
		const { backoff } = retryOptions({ policy: "constant:base=30d" });
		assert.equal(backoff.next({ result: { error: new Error() } }).duration, 2 ** 31 - 1);
	});

	test("bad options are errors at once", () => {
		assert.throws(() => retryOptions({ attempts: 3 }), {
			message: "attempts is unknown; did you mean maxAttempts?",
		});
		assert.throws(() => retryOptions({ policy: "full:base=1" }), PolicyError);
		assert.throws(
			() => retryOptions({ attemptTimeout: 1500 }),
			/^TypeError: attemptTimeout 1500 ms cannot be kept here: \S/,
		);
		assert.throws(() => retryOptions({ resetAfter: 1500 }), /^TypeError: resetAfter 1500 ms cannot be kept here: \S/);
		assert.throws(() => retryOptions({ policy: `${POLICY},max_elapsed=1m` }), /cannot stop after a max_elapsed/);
		assert.throws(() => retryOptions({ retryAfter: 5 }), { message: "retryAfter must be a function, got number" });
	});
});
