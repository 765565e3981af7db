// Where the core cannot start, loops call their function once (SPEC 18.7), and everything else says why it
// cannot start.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { installed, source } from "./installed.mjs";
import { endOf, throwing } from "./loop.mjs";

const code = readFileSync(join(installed, "dist/index.cjs"), "utf8");
const ADVICE = "import backoff-wasm/js, or, if a Content-Security-Policy forbids it, allow 'wasm-unsafe-eval' there";

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

/** The options of a policy, by the table of the page. */
const [, table] = readFileSync(join(source, "docs/policies.md"), "utf8").split("## Options of a policy\n");
const FIELDS = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) => names.match(/\w+(?=`)/g));
assert.deepEqual([FIELDS[0], FIELDS.at(-1)], ["growth", "elapsedFrom"]);

const failure = new Error("down");
const fail = () => Promise.reject(failure);

for (const [where, { api, realm, why }] of Object.entries(REALMS)) {
	const { fetchOutcome, httpOutcome, httpVerdict, makeRetriable, parseRetryAfter, PermanentError, PolicyError } = api;
	const { Policy, RetryError, retry, StartError } = api;
	const shouldRetry = () => true;

	/** Asserts that an error says that the core cannot start, and why. */
	const says = (error, code = "cannot_start", before = "") => {
		const [first, reason] = error.message.split(`${ADVICE}: `);
		assert.equal(first, `${before}backoff-wasm cannot start; `);
		assert.match(reason, why);
		assert.ok(error instanceof StartError && error instanceof api.Error);
		assert.deepEqual([error.name, error.code], ["StartError", code]);
		assert.deepEqual(JSON.parse(JSON.stringify(error)), { name: "StartError", code, message: error.message });
	};
	const saysNotRetried = (error, cause) => {
		says(error, "not_retried", "the call was not retried: ");
		assert.ok(Object.hasOwn(error, "cause") && Object.is(error.cause, cause));
	};
	/** How a loop ends that calls its function once. */
	const once = async (fn, options = { shouldRetry }) => {
		let calls = 0;
		const counted = (context) => {
			calls++;
			return fn(context);
		};
		const end = await endOf(retry(counted, options));
		assert.equal(calls, 1);
		return end;
	};

	describe(where, () => {
		const key = new Uint8Array(5000);
		for (const options of [{}, { policy: "full:base=100ms,cap=20s" }, { policy: "nonsense" }, { seed: 1, key }]) {
			test(`a success is the result: ${JSON.stringify(options).slice(0, 50)}`, async () => {
				assert.deepEqual(await once(({ attempt }) => attempt, { ...options, shouldRetry }), { value: 1 });
			});
		}

		test("a failure that may be repeated is the cause of the error, also if it is no error", async () => {
			for (const verdict of [true, "timeout", { outcome: "throttled", retryAfter: 5 }]) {
				saysNotRetried((await once(fail, { shouldRetry: async () => verdict })).error, failure);
			}
			for (const thrown of [undefined, null, "down", 0]) {
				saysNotRetried((await once(() => Promise.reject(thrown))).error, thrown);
			}
		});

		test("a permanent failure is reported as it is", async () => {
			for (const [options, end = fail] of [
				[{ shouldRetry: () => false }],
				[{ shouldRetry: async () => ({ outcome: "permanent" }) }],
				[{ shouldRetry: () => "success" }],
				[{ shouldRetry: fetchOutcome }],
				[{ shouldRetry: () => ({ outcome: httpOutcome(404), retryAfter: parseRetryAfter("1") }) }],
				[{ shouldRetry: () => httpVerdict({ status: 404, headers: new Map() }) }],
				[{ shouldRetryResult: () => true }],
				[{ shouldRetry }, throwing(new PermanentError(failure))],
			]) {
				assert.equal((await once(end, options)).error, failure);
			}
		});

		test("a predicate that needs the core costs no value, and a failure is then one that may be repeated", async () => {
			const answer = { status: 200, headers: { "Retry-After": "0" } };
			for (const predicate of [
				() => Policy.parse("default").params.maxRetries > 0,
				async () => ({ outcome: "throttled", retryAfter: Policy.parse("default").window(0) }),
			]) {
				assert.equal((await once(() => answer, { shouldRetryResult: predicate })).value, answer);
				saysNotRetried((await once(() => Promise.reject(answer), { shouldRetry: predicate })).error, answer);
			}
		});

		test("a predicate that fails for another reason ends the loop with its error", async () => {
			const own = new Error("of the predicate");
			assert.equal((await once(() => 1, { shouldRetryResult: throwing(own) })).error, own);
			assert.equal((await once(fail, { shouldRetry: throwing(own) })).error, own);
			for (const more of [{ x: 1 }, { retryAfter: "5" }]) {
				const { error } = await once(() => 1, { shouldRetryResult: () => ({ outcome: "timeout", ...more }) });
				assert.ok(error instanceof api.TypeError);
			}
		});

		test("makeRetriable passes `this` and the arguments on", async () => {
			const retriable = makeRetriable(
				function (...args) {
					return [this?.name, ...args];
				},
				{ shouldRetry, seed: 1, key: () => assert.fail("it is not called") },
			);
			for (const args of [[1, 2], [3]]) {
				assert.deepEqual([...(await retriable(...args))], [undefined, ...args]);
			}
			saysNotRetried((await endOf(makeRetriable(fail, { shouldRetry })())).error, failure);
		});

		test("a value that the predicate accepts is the result, and one that it does not is in the cause", async () => {
			for (const accepted of [false, "success", { outcome: "success" }, httpOutcome(204)]) {
				assert.equal((await once(() => "ready", { shouldRetryResult: async () => accepted })).value, "ready");
			}
			for (const refused of [true, httpOutcome(503), "permanent", { outcome: "timeout", retryAfter: 5 }]) {
				const { error } = await once(() => "not ready", { shouldRetryResult: () => refused });
				const isPermanent = refused === "permanent";
				const given = isPermanent ? error : error.cause;
				if (!isPermanent) {
					saysNotRetried(error, given);
				}
				assert.ok(given instanceof RetryError);
				const reason = isPermanent ? "permanent" : "max_retries";
				assert.deepEqual([given.result, given.attempts, given.reason], ["not ready", 1, reason]);
			}
		});

		test("the hook for stops gets the event, and an error of it keeps the failure", async () => {
			const events = [];
			const note = ({ attempts, reason, outcome, error, value }) =>
				void events.push([attempts, reason, outcome, error, value]);
			await once(fail, { shouldRetry, onStop: note });
			await once(() => 1, { shouldRetry, onStop: note });
			assert.deepEqual(events, [
				[1, "max_retries", "transient", failure, undefined],
				[1, "success", "success", undefined, 1],
			]);
			const hook = new api.Error("of the hook");
			assert.equal((await once(fail, { shouldRetry, onStop: throwing(hook) })).error, hook);
			assert.equal(hook.cause.cause, failure);
		});

		test("a loop can be cancelled", async () => {
			const signal = AbortSignal.abort(new Error("early"));
			const never = () => assert.fail("it is not called");
			assert.equal((await endOf(retry(never, { shouldRetry, signal }))).error, signal.reason);
			const controller = new AbortController();
			const hangs = () => {
				setTimeout(() => controller.abort("late"));
				return new Promise(() => {});
			};
			assert.equal((await once(hangs, { shouldRetry, signal: controller.signal })).error, "late");
		});

		test("a mistake in the options is an error as elsewhere, before the call", async () => {
			const never = () => assert.fail("it is not called");
			const [wrongTypes, wrongValues] = [
				[{ shouldRetry: undefined }, { shouldRetry: 1 }, { x: 1 }, { policy: 1 }, { key: "a" }, { seed: "1" }].concat([
					{ seed: 1, key: undefined },
					{ seed: 1, key: 5 },
				]),
				[{ seed: -1 }, { seed: 2 ** 53 }, { seed: 1, key: "\ud800" }, { deadline: NaN }, { deadline: Date.now() }],
			];
			for (const [all, Failure] of [
				[wrongTypes, api.TypeError],
				[wrongValues, PolicyError],
			]) {
				for (const options of all) {
					assert.ok((await endOf(retry(never, { shouldRetry, ...options }))).error instanceof Failure);
				}
			}
			assert.ok((await endOf(retry(1, { shouldRetry }))).error instanceof api.TypeError);
			assert.throws(() => makeRetriable(never, { shouldRetry, seed: -1, key: String }), PolicyError);
			// Only the core knows the fields, but this loop knows how their names begin.
			for (const field of FIELDS) {
				makeRetriable(never, { shouldRetry, [field]: 1 });
			}
		});

		for (const use of [
			"new Policy({ growth: 'constant', base: 1 })",
			"Policy.parse('full:base=1ms,cap=1s')",
			"Budget.parse('ratio')",
			"new RandomStream(1, 'key')",
			"new RandomStream(1).draw(0)",
			"new Backoff(Policy.parse('default'))",
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
					assert.throws(() => Policy.parse("default"));
				}
				assert.equal(realm.compiled, 1);
			});
		}
	});
}
