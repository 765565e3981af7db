// Where the core cannot start, loops call their function once (SPEC 18.7), and everything else says why it
// cannot start.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { installed } from "./installed.mjs";

const code = readFileSync(join(installed, "dist/index.cjs"), "utf8");
const ADVICE = "import backoff-wasm/js, or let the Content-Security-Policy allow 'wasm-unsafe-eval'";

/** The package in a realm of its own. Errors of the tests are of that realm, too. */
function load(options, setUp = "") {
	const realm = createContext({ module: { exports: {} }, performance, setTimeout, clearTimeout }, options);
	runInContext(setUp, realm);
	runInContext(`(function (module) {${code}})(module)`, realm);
	return { ...realm.module.exports, Error: runInContext("Error", realm), TypeError: runInContext("TypeError", realm) };
}

const REALMS = {
	"under a Content-Security-Policy": {
		...load({ codeGeneration: { wasm: false } }),
		why: /^WebAssembly\.Module\(\): Wasm code generation disallowed by embedder$/,
	},
	"without WebAssembly": {
		...load({}, "delete globalThis.WebAssembly"),
		why: /^WebAssembly is not defined$/,
	},
};

for (const [where, { why, ...api }] of Object.entries(REALMS)) {
	const { AbortError, makeRetriable, retry, RetryError } = api;
	const shouldRetry = () => assert.fail("it is not asked");

	/** Whether an error says that the core cannot start, and why. */
	const says = ({ message }, before = "") => {
		const [first, reason] = message.split(`${ADVICE}: `);
		assert.equal(first, `${before}backoff-wasm cannot start; `);
		assert.match(reason, why);
	};
	const rejection = async (promise) => {
		try {
			await promise;
		} catch (error) {
			return error;
		}
		return assert.fail("it did not reject");
	};
	/** A function that counts its calls and ends each in the same way. */
	const counted = (end) => {
		const fn = (...args) => {
			fn.calls++;
			return end(...args);
		};
		fn.calls = 0;
		return fn;
	};

	describe(where, () => {
		for (const options of [{}, { policy: "full:base=100ms,cap=20s" }, { policy: "nonsense" }, { seed: 1, key: "a" }]) {
			test(`a success is the result: ${JSON.stringify(options)}`, async () => {
				const fn = counted(({ attempt }) => attempt);
				assert.equal(await retry(fn, { ...options, shouldRetry }), 1);
				assert.equal(fn.calls, 1);
			});
		}

		test("a failure is the cause of the error", async () => {
			const failure = new Error("down");
			const fn = counted(() => Promise.reject(failure));
			const error = await rejection(retry(fn, { shouldRetry }));
			says(error, "the call was not retried: ");
			assert.ok(error instanceof api.Error);
			assert.equal(error.cause, failure);
			assert.equal(fn.calls, 1);
		});

		test("so is a failure that is no error", async () => {
			for (const failure of [undefined, null, "down", 0]) {
				const error = await rejection(retry(() => Promise.reject(failure), { shouldRetry }));
				says(error, "the call was not retried: ");
				assert.ok(Object.hasOwn(error, "cause") && Object.is(error.cause, failure));
			}
		});

		test("a failure that the function marked as permanent is reported as it is", async () => {
			const failure = new Error("gone");
			const fn = counted(() => Promise.reject(new AbortError(failure)));
			assert.equal(await rejection(retry(fn, { shouldRetry })), failure);
			assert.equal(fn.calls, 1);
		});

		test("makeRetriable passes `this` and the arguments on", async () => {
			const retriable = makeRetriable(
				counted(function (...args) {
					return [this?.name, ...args];
				}),
				{ shouldRetry, seed: 1, key: () => assert.fail("it is not called") },
			);
			assert.deepEqual([...(await retriable(1, 2))], [undefined, 1, 2]);
			assert.deepEqual([...(await retriable(3))], [undefined, 3], "every call works");
			const fails = makeRetriable(() => Promise.reject(new Error("down")), { shouldRetry });
			says(await rejection(fails()), "the call was not retried: ");
		});

		test("a value that the predicate accepts is the result", async () => {
			for (const accepted of [false, "success", { outcome: "success" }]) {
				const fn = counted(() => "ready");
				assert.equal(await retry(fn, { shouldRetryResult: async () => accepted }), "ready");
				assert.equal(fn.calls, 1);
			}
		});

		test("one that it does not accept is in the cause", async () => {
			for (const refused of [true, "throttled", "permanent", { outcome: "timeout", retryAfter: 5 }]) {
				const fn = counted(() => "not ready");
				const error = await rejection(retry(fn, { shouldRetryResult: () => refused }));
				says(error, "the call was not retried: ");
				assert.ok(error.cause instanceof RetryError);
				assert.deepEqual([error.cause.result, error.cause.attempts, fn.calls], ["not ready", 1, 1]);
			}
		});

		test("the hook for stops gets the event, and an error of it keeps the failure", async () => {
			const events = [];
			const failure = new Error("down");
			const fn = () => Promise.reject(failure);
			await rejection(retry(fn, { shouldRetry, onStop: (event) => void events.push(event) }));
			await retry(() => 1, { shouldRetry, onStop: (event) => void events.push(event) });
			assert.deepEqual(
				events.map(({ attempts, reason, outcome, error, value }) => [attempts, reason, outcome, error, value]),
				[
					[1, "permanent", "permanent", failure, undefined],
					[1, "success", "success", undefined, 1],
				],
			);
			const hook = new api.Error("of the hook");
			const onStop = () => {
				throw hook;
			};
			assert.equal(await rejection(retry(fn, { shouldRetry, onStop })), hook);
			assert.equal(hook.cause.cause, failure);
		});

		test("a loop can be cancelled", async () => {
			const aborted = AbortSignal.abort(new Error("early"));
			const fn = counted(() => 1);
			assert.equal(await rejection(retry(fn, { shouldRetry, signal: aborted })), aborted.reason);
			assert.equal(fn.calls, 0);
			const controller = new AbortController();
			const hangs = () => {
				setTimeout(() => controller.abort("late"));
				return new Promise(() => {});
			};
			assert.equal(await rejection(retry(hangs, { shouldRetry, signal: controller.signal })), "late");
		});

		test("a mistake in the options is an error as elsewhere, before the call", async () => {
			const fn = counted(() => 1);
			for (const options of [{}, { shouldRetry: 1 }, { shouldRetry, x: 1 }, { shouldRetry, policy: 1 }]) {
				assert.ok((await rejection(retry(fn, options))) instanceof api.TypeError);
			}
			assert.ok((await rejection(retry(1, { shouldRetry }))) instanceof api.TypeError);
			assert.equal(fn.calls, 0);
		});

		for (const use of [
			"new Policy({ growth: 'constant', base: 1 })",
			"Policy.parse('full:base=1ms,cap=1s')",
			"Budget.parse('ratio')",
			"new RetryStats()",
			"new RandomStream(1, 'key')",
			"new RandomStream(1).draw(0)",
			"httpOutcome(500)",
			"parseRetryAfter('1')",
		]) {
			test(`the same error: ${use}`, () => {
				const names = Object.keys(api).filter((name) => !/^(?:Type)?Error$/.test(name));
				const run = new Function(...names, `return ${use};`);
				assert.throws(
					() => run(...names.map((name) => api[name])),
					(error) => {
						says(error);
						return error instanceof api.Error && why.test(error.cause.message);
					},
				);
			});
		}
	});
}
