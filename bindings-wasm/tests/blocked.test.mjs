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

/** Counts the attempts to compile a module. */
const COUNT = `
	globalThis.compiled = 0;
	WebAssembly.Module = new Proxy(WebAssembly.Module, {
		construct(...args) {
			compiled++;
			return Reflect.construct(...args);
		},
	});
`;

/** The package in a realm of its own. Errors of the tests are of that realm, too. */
function load(options, setUp) {
	const realm = createContext({ module: { exports: {} }, atob, performance, setTimeout, clearTimeout }, options);
	runInContext(setUp, realm);
	runInContext(`(function (module) {${code}})(module)`, realm);
	const errors = ["Error", "TypeError"].map((name) => [name, runInContext(name, realm)]);
	return { api: { ...realm.module.exports, ...Object.fromEntries(errors) }, realm };
}

const REALMS = {
	"under a Content-Security-Policy": {
		...load({ codeGeneration: { wasm: false } }, COUNT),
		why: /^WebAssembly\.Module\(\): Wasm code generation disallowed by embedder$/,
	},
	"without WebAssembly": {
		...load({}, "delete globalThis.WebAssembly"),
		why: /^WebAssembly is not defined$/,
	},
};

for (const [where, { api, realm, why }] of Object.entries(REALMS)) {
	const { PermanentError, fetchOutcome, httpOutcome, httpVerdict, makeRetriable, parseRetryAfter, PolicyError } = api;
	const { RetryError, retry, StartError } = api;
	const shouldRetry = () => true;

	/** Whether an error says that the core cannot start, and why. */
	const says = (error, code = "cannot_start", before = "") => {
		const [first, reason] = error.message.split(`${ADVICE}: `);
		assert.equal(first, `${before}backoff-wasm cannot start; `);
		assert.match(reason, why);
		assert.ok(error instanceof StartError && error instanceof api.Error);
		assert.deepEqual([error.name, error.code], ["StartError", code]);
		assert.deepEqual(JSON.parse(JSON.stringify(error)), { name: "StartError", code, message: error.message });
	};
	const saysNotRetried = (error) => says(error, "not_retried", "the call was not retried: ");
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
		const key = new Uint8Array(5000);
		for (const options of [{}, { policy: "full:base=100ms,cap=20s" }, { policy: "nonsense" }, { seed: 1, key }]) {
			test(`a success is the result: ${JSON.stringify(options)}`, async () => {
				const fn = counted(({ attempt }) => attempt);
				assert.equal(await retry(fn, { ...options, shouldRetry }), 1);
				assert.equal(fn.calls, 1);
			});
		}

		test("a failure that may be repeated is the cause of the error", async () => {
			const failure = new Error("down");
			for (const verdict of [true, "timeout", { outcome: "throttled", retryAfter: 5 }]) {
				const fn = counted(() => Promise.reject(failure));
				const error = await rejection(retry(fn, { shouldRetry: async () => verdict }));
				saysNotRetried(error);
				assert.equal(error.cause, failure);
				assert.equal(fn.calls, 1);
			}
		});

		test("so is a failure that is no error", async () => {
			for (const failure of [undefined, null, "down", 0]) {
				const error = await rejection(retry(() => Promise.reject(failure), { shouldRetry }));
				saysNotRetried(error);
				assert.ok(Object.hasOwn(error, "cause") && Object.is(error.cause, failure));
			}
		});

		test("a permanent failure is reported as it is", async () => {
			const failure = new Error("gone");
			const fail = () => Promise.reject(failure);
			const abort = () => Promise.reject(new PermanentError(failure));
			for (const [end, options] of [
				[fail, { shouldRetry: () => false }],
				[fail, { shouldRetry: async () => ({ outcome: "permanent" }) }],
				[fail, { shouldRetry: () => "success" }],
				[fail, { shouldRetry: fetchOutcome }],
				[fail, { shouldRetry: () => ({ outcome: httpOutcome(404), retryAfter: parseRetryAfter({}) }) }],
				[fail, { shouldRetry: () => httpVerdict({ status: 404, headers: new Map() }) }],
				[fail, { shouldRetryResult: () => true }],
				[abort, { shouldRetry }],
			]) {
				const fn = counted(end);
				assert.equal(await rejection(retry(fn, options)), failure);
				assert.equal(fn.calls, 1);
			}
		});

		test("a predicate that needs the core costs no value, and a failure is then one that may be repeated", async () => {
			const answer = { status: 200, headers: { "Retry-After": "0" } };
			for (const judge of [
				({ headers }) => parseRetryAfter(headers) === 0,
				async (response) => ({ outcome: "throttled", retryAfter: parseRetryAfter(response) }),
			]) {
				assert.equal(await retry(() => answer, { shouldRetryResult: judge }), answer);
				const error = await rejection(retry(() => Promise.reject(answer), { shouldRetry: judge }));
				saysNotRetried(error);
				assert.equal(error.cause, answer);
			}
		});

		test("a predicate that fails for another reason ends the loop with its error", async () => {
			const own = new Error("of the predicate");
			const throws = () => Promise.reject(own);
			assert.equal(await rejection(retry(() => 1, { shouldRetryResult: throws })), own);
			assert.equal(await rejection(retry(() => Promise.reject(1), { shouldRetry: throws })), own);
			for (const verdict of [
				{ outcome: "timeout", x: 1 },
				{ outcome: "timeout", retryAfter: "5" },
			]) {
				const error = await rejection(retry(() => 1, { shouldRetryResult: () => verdict }));
				assert.ok(error instanceof api.TypeError);
			}
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
			saysNotRetried(await rejection(fails()));
		});

		test("a value that the predicate accepts is the result", async () => {
			for (const accepted of [false, "success", { outcome: "success" }, httpOutcome(204)]) {
				const fn = counted(() => "ready");
				assert.equal(await retry(fn, { shouldRetryResult: async () => accepted }), "ready");
				assert.equal(fn.calls, 1);
			}
		});

		test("one that it does not accept is in the cause", async () => {
			for (const refused of [true, httpOutcome(503), "permanent", { outcome: "timeout", retryAfter: 5 }]) {
				const fn = counted(() => "not ready");
				const error = await rejection(retry(fn, { shouldRetryResult: () => refused }));
				const isPermanent = refused === "permanent";
				if (!isPermanent) {
					saysNotRetried(error);
				}
				const { attempts, reason, result } = isPermanent ? error : error.cause;
				assert.ok((isPermanent ? error : error.cause) instanceof RetryError);
				assert.deepEqual([result, attempts, fn.calls], ["not ready", 1, 1]);
				assert.equal(reason, isPermanent ? "permanent" : "max_retries");
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
					[1, "max_retries", "transient", failure, undefined],
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
			for (const options of [{ key: "a" }, { seed: "1" }, { seed: 1, key: undefined }, { seed: 1, key: 5 }]) {
				assert.ok((await rejection(retry(fn, { shouldRetry, ...options }))) instanceof api.TypeError);
			}
			for (const options of [{ seed: -1 }, { seed: 2 ** 53 }, { seed: 1, key: "\ud800" }, { deadline: NaN }]) {
				assert.ok((await rejection(retry(fn, { shouldRetry, ...options }))) instanceof PolicyError);
			}
			assert.ok((await rejection(retry(fn, { shouldRetry, deadline: Date.now() }))) instanceof PolicyError);
			assert.throws(() => makeRetriable(fn, { shouldRetry, seed: -1, key: String }), PolicyError);
			assert.equal(fn.calls, 0);
		});

		for (const use of [
			"new Policy({ growth: 'constant', base: 1 })",
			"Policy.parse('full:base=1ms,cap=1s')",
			"Budget.parse('ratio')",
			"new RetryStats()",
			"new RandomStream(1, 'key')",
			"new RandomStream(1).draw(0)",
			"parseRetryAfter('1')",
		]) {
			test(`the same error: ${use}`, () => {
				const names = Object.keys(api).filter((name) => !/^(?:Type)?Error$/.test(name));
				const run = new Function(...names, `return ${use};`);
				assert.throws(
					() => run(...names.map((name) => api[name])),
					(error) => {
						says(error);
						return why.test(error.cause.message);
					},
				);
			});
		}

		if (realm.compiled !== undefined) {
			test("it is compiled once, because a page reports each attempt", async () => {
				for (const _ of [1, 2, 3]) {
					assert.equal(await retry(() => 1, { shouldRetry }), 1);
					assert.throws(() => parseRetryAfter("1"));
				}
				assert.equal(realm.compiled, 1);
			});
		}
	});
}
