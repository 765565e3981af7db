// AbortError, and failures of hooks, predicates and clocks, on a clock that does not wait.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
	AbortError,
	Backoff,
	installed,
	makeRetriable,
	Policy,
	PolicyError,
	RetryError,
	RetryStats,
	retry,
} from "./installed.mjs";
import { endOf, FakeClock, notes, run, script, sharedBudget } from "./loop.mjs";

const busy = new Error("busy");
const always = () => true;
const job = { seed: 42, key: "job-1", shouldRetry: always };

describe("AbortError", () => {
	test("wraps a message, an error, or another AbortError", () => {
		const rows = [
			[new AbortError("gone"), "gone", new Error("gone")],
			[new AbortError(busy), "busy", busy],
			[new AbortError(new AbortError(busy)), "busy", busy],
		];
		for (const [error, message, original] of rows) {
			assert.ok(error instanceof Error);
			assert.deepEqual([error.name, error.message], ["AbortError", message]);
			assert.deepEqual(error.originalError, original);
		}
		assert.equal(rows[2][0].originalError, busy);
	});

	test("wraps anything else as text", () => {
		for (const [failure, message] of [
			[5, "5"],
			[undefined, ""],
			[null, "null"],
		]) {
			const { originalError } = new AbortError(failure);
			assert.ok(originalError instanceof Error);
			assert.equal(originalError.message, message);
		}
	});

	test("ends enclosing loops, too", async () => {
		const gone = Object.freeze(new Error("gone"));
		const fn = script(new AbortError(gone));
		const inner = () => retry(fn, { ...job, clock: new FakeClock() });
		let calls = 0;
		const { error, stop } = await run(() => retry(inner, { ...job, clock: new FakeClock() }), {
			...job,
			shouldRetry: () => ++calls > 0,
		});
		assert.equal(error, gone);
		assert.deepEqual([stop.reason, stop.attempts, fn.contexts.length, calls], ["permanent", 1, 1, 0]);
	});

	test("does not end a loop that begins later, even with the same error", async () => {
		const shared = new Error("gone");
		await endOf(retry(script(new AbortError(shared)), job));
		assert.equal((await run(script(shared, "ok"), job)).value, "ok");
	});

	test("of another copy of the package ends the loop, too", async () => {
		const copy = await import(`${pathToFileURL(join(installed, "dist/index.js")).href}?copy`);
		assert.notEqual(copy.AbortError, AbortError);
		const gone = new Error("gone");
		const fn = script(new copy.AbortError(gone));
		assert.equal((await run(fn, job)).error, gone);
		assert.equal(fn.contexts.length, 1);
		assert.equal(new AbortError(new copy.AbortError(gone)).originalError, gone);
		const other = copy.Policy.parse("default");
		await assert.rejects(retry(script("ok"), { ...job, policy: other }), {
			message: "policy must be a Policy or a policy string, got a Policy of another copy of backoff-wasm, or a proxy",
		});
	});

	test("an object whose class has only a similar name is not of another copy", () => {
		const named = (name) => new ({ [name]: class {} })[name]();
		for (const [name, shown] of [
			["Policy", "a Policy of another copy of backoff-wasm, or a proxy"],
			["P", "P"],
			["Poli", "Poli"],
			["PolicyOptions", "PolicyOptions"],
			["a", "a"],
		]) {
			assert.throws(() => new Backoff(named(name)), { message: `policy must be a Policy, got ${shown}` });
		}
		for (const name of ["s", "string"]) {
			assert.throws(() => Policy.parse(named(name)), { message: `text must be a string, got ${name}` });
		}
	});

	describe("of a predicate, a hook or a clock is unwrapped as well", () => {
		const stopping = "constant:base=1ms,max_retries=0";
		for (const [name, options] of [
			["shouldRetry", (act) => ({ shouldRetry: act })],
			["shouldRetry, later", (act) => ({ shouldRetry: async (error) => act(error) })],
			["shouldRetryResult", (act) => ({ fn: script("no"), shouldRetryResult: act })],
			["onRetry", (act) => ({ onRetry: act })],
			["onStop", (act) => ({ onStop: act, policy: stopping })],
			["sleep", (act) => ({ clock: Object.assign(new FakeClock(), { sleep: act }) })],
		]) {
			test(name, async () => {
				const gone = new Error("gone");
				let calls = 0;
				const act = () => {
					throw new AbortError(gone);
				};
				const { fn = script(busy), ...chosen } = options(act);
				const inner = () => retry(fn, { ...job, clock: new FakeClock(), ...chosen });
				const { error, stop } = await run(inner, { ...job, shouldRetry: () => ++calls > 0 });
				assert.equal(error, gone);
				assert.equal(gone.cause, fn.contexts.length && chosen.shouldRetryResult ? undefined : busy);
				assert.deepEqual([stop.reason, fn.contexts.length, calls], ["permanent", 1, 0]);
			});
		}

		test("with the error of the call in it", async () => {
			const failed = new Error("failed");
			const shouldRetry = (error) => {
				throw new AbortError(error);
			};
			const { error } = await endOf(retry(script(failed), { ...job, shouldRetry }));
			assert.equal(error, failed);
			assert.equal(error.cause, undefined);
		});
	});

	describe("inside an AggregateError ends the loop", () => {
		const gone = new Error("gone");
		const of = (...errors) => new AggregateError(errors);
		for (const [name, error] of [
			["alone", of(new AbortError(gone))],
			["beside another error", of(busy, new AbortError(gone))],
			["deeper", of(busy, of(of(new AbortError(gone))))],
		]) {
			test(name, async () => {
				const fn = script(error);
				const inner = () => retry(fn, { ...job, clock: new FakeClock() });
				const { error: thrown, stop } = await run(inner, job);
				assert.equal(thrown, error);
				assert.deepEqual([stop.reason, stop.attempts, fn.contexts.length], ["permanent", 1, 1]);
			});
		}

		test("of Promise.any over loops", async () => {
			const inner = (error) => retry(script(error), { ...job, clock: new FakeClock(), policy: "constant:base=1ms" });
			const { stop, error } = await run(() => Promise.any([inner(new AbortError(gone)), Promise.reject(busy)]), job);
			assert.deepEqual([stop.reason, stop.attempts, error.errors], ["permanent", 1, [gone, busy]]);
		});

		test("but one without it is repeated, even with a cycle", async () => {
			const cyclic = of(busy);
			cyclic.errors.push(cyclic);
			assert.equal((await run(script(cyclic, of(), "ok"), job)).value, "ok");
		});
	});

	test("that is not thrown has no effect", async () => {
		const maybe = new Error("maybe");
		void new AbortError(maybe);
		assert.equal((await run(script(maybe, "ok"), job)).value, "ok");
	});
});

describe("a predicate that returns", () => {
	const policy = "constant:base=1ms,max_retries=2";
	for (const returned of [undefined, null, false, 0, -0, Number.NaN, 0n, ""]) {
		test(`${typeof returned} ${returned} says no`, async () => {
			for (const answer of [returned, Promise.resolve(returned)]) {
				const { error, stop } = await run(script(busy), { ...job, policy, shouldRetry: () => answer });
				assert.deepEqual([error, stop.attempts, stop.reason], [busy, 1, "permanent"]);
				const polled = await run(script("no"), { ...job, policy, shouldRetryResult: () => answer });
				assert.deepEqual([polled.value, polled.stop.attempts, polled.stop.reason], ["no", 1, "success"]);
			}
		});
	}
	for (const returned of [1, true, [], {}, /x/, 1n, () => {}, Symbol("yes")]) {
		test(`${typeof returned} ${String(returned)} says yes`, async () => {
			const { error, stop } = await run(script(busy), { ...job, policy, shouldRetry: () => returned });
			assert.deepEqual([error, stop.attempts, stop.outcome], [busy, 3, "transient"]);
			const polled = await run(script("no"), { ...job, policy, shouldRetryResult: () => returned });
			assert.deepEqual([polled.error.result, polled.stop.attempts], ["no", 3]);
		});
	}
});

describe("a failure outside the function ends the loop", () => {
	const broken = new Error("broken");
	const breaks = () => {
		throw broken;
	};
	for (const [name, verdict, failure] of [
		["an unknown outcome", { outcome: "failed" }, PolicyError],
		["a text that is no outcome", "permanant", PolicyError],
		["an invalid Retry-After", { outcome: "timeout", retryAfter: 1e-7 }, PolicyError],
		["a verdict with an unknown option", { outcome: "timeout", delay: 5 }, TypeError],
	]) {
		test(name, async () => {
			const { budget, isIdle } = sharedBudget();
			const stats = new RetryStats();
			const { events, ...hooks } = notes();
			const { error } = await endOf(
				retry(script(busy), { ...job, stats, ...hooks, budget, shouldRetry: () => verdict }),
			);
			assert.ok(error instanceof failure, `${error}`);
			assert.deepEqual([events, stats.counts().stops.cancelled, stats.counts().attempts], [[], 1, 1]);
			assert.ok(isIdle());
		});
	}

	describe("the failure of the call is not lost", () => {
		const rows = [
			["onRetry", (act) => ({ onRetry: act })],
			["shouldRetry", (act) => ({ shouldRetry: act })],
			["onStop", (act) => ({ onStop: act, policy: "constant:base=1ms,max_retries=0" })],
			["sleep", (act) => ({ clock: Object.assign(new FakeClock(), { sleep: act }) })],
			["now", (act) => ({ clock: { now: late(act), sleep: () => {} } })],
		];
		/** A clock's `now` that fails after the call. */
		const late = (act) => {
			let calls = 0;
			return () => (++calls > 1 ? act() : 0);
		};
		for (const [name, options] of rows) {
			const errorOf = async (thrown) => {
				const act = () => {
					throw thrown;
				};
				return (await endOf(retry(script(busy), { ...job, clock: new FakeClock(), ...options(act) }))).error;
			};
			test(`${name}: it is the cause of an error without one`, async () => {
				const thrown = new Error("broken");
				assert.equal(await errorOf(thrown), thrown);
				assert.equal(thrown.cause, busy);
				assert.deepEqual(Object.keys(thrown), []);
			});
			test(`${name}: it stands beside an error with another cause, and beside a value`, async () => {
				const frozen = Object.freeze(new Error("frozen"));
				for (const thrown of [new Error("broken", { cause: 5 }), frozen, "text", 5n, null, undefined]) {
					const error = await errorOf(thrown);
					assert.ok(error instanceof AggregateError);
					assert.ok(error.errors[0] === thrown && error.errors[1] === busy);
				}
			});
			test(`${name}: an error that has it stays as it is`, async () => {
				assert.equal(await errorOf(busy), busy);
				assert.equal(busy.cause, undefined);
				const thrown = new Error("broken", { cause: busy });
				assert.equal(await errorOf(thrown), thrown);
			});
		}

		describe("a failure further down is not listed again", () => {
			const chain = (error) => new Error("outer", { cause: new Error("middle", { cause: error }) });
			const cycle = (error) => {
				const outer = new Error("outer", { cause: new Error("inner") });
				outer.cause.cause = outer;
				return error === undefined ? outer : new AggregateError([outer, error]);
			};
			for (const [name, thrown] of [
				["below a cause", chain(busy)],
				["among errors", new AggregateError([new Error("other"), chain(busy)], "all", { cause: new Error("x") })],
				["beside a cycle", cycle(busy)],
			]) {
				test(name, async () => {
					const onRetry = () => {
						throw thrown;
					};
					assert.equal((await endOf(retry(script(busy), { ...job, clock: new FakeClock(), onRetry }))).error, thrown);
				});
			}
			test("but one that is not there is added", async () => {
				const thrown = cycle();
				const shouldRetry = () => {
					throw thrown;
				};
				const { error } = await endOf(retry(script(busy), { ...job, shouldRetry }));
				assert.ok(error.errors[0] === thrown && error.errors[1] === busy);
			});
		});

		describe("a callback that throws a part of the failure: the failure is thrown, without a cycle", () => {
			const inner = new Error("inner");
			for (const [name, failure] of [
				["its cause", new Error("outer", { cause: inner })],
				["the cause of its cause", new Error("outer", { cause: new Error("middle", { cause: inner }) })],
				["one of its errors", new AggregateError([inner, new Error("other")])],
			]) {
				for (const [hook, policy] of [
					["onRetry", "constant:base=1ms"],
					["onStop", "constant:base=1ms,max_retries=0"],
				]) {
					const endWith = (thrown) => {
						const act = () => {
							throw thrown;
						};
						return endOf(retry(script(failure), { ...job, clock: new FakeClock(), policy, [hook]: act }));
					};
					test(`${hook}: ${name}`, async () => {
						assert.equal((await endWith(inner)).error, failure);
						assert.equal(inner.cause, undefined);
					});
					test(`${hook}: ${name} in an AbortError ends enclosing loops`, async () => {
						const { error, stop } = await run(async () => {
							throw (await endWith(new AbortError(inner))).error;
						}, job);
						assert.deepEqual([error === failure, stop.reason, stop.attempts], [true, "permanent", 1]);
					});
				}
			}

			test("a value stands beside a failure without a cause", async () => {
				const onRetry = () => {
					throw undefined;
				};
				const { error } = await endOf(retry(script(busy), { ...job, onRetry }));
				assert.ok(error.errors[0] === undefined && error.errors[1] === busy);
			});
		});

		describe("errors of any shape", () => {
			const endWith = async (thrown, failure = busy) => {
				const onRetry = () => {
					throw thrown;
				};
				return (await endOf(retry(script(failure), { ...job, clock: new FakeClock(), onRetry }))).error;
			};
			const isBoth = (error, thrown, failure) => {
				assert.ok(error instanceof AggregateError);
				assert.ok(error.errors.length === 2 && error.errors[0] === thrown && error.errors[1] === failure);
			};
			/** 100,000 errors, each the cause of the next. */
			const chain = (innermost) => {
				let error = innermost;
				for (let depth = 0; depth < 100_000; depth++) {
					error = { cause: error };
				}
				return error;
			};

			test("a long chain of causes", async () => {
				const without = chain(new Error("inner", { cause: 5 }));
				isBoth(await endWith(without), without, busy);
				const having = chain(busy);
				assert.equal(await endWith(having), having);
				const failure = new Error("failed", { cause: chain() });
				const thrown = new Error("broken");
				assert.equal(await endWith(thrown, failure), thrown);
				assert.equal(thrown.cause, failure);
			});

			test("many errors in one", async () => {
				const many = Array.from({ length: 200_000 }, (_, index) => ({ index }));
				const without = new AggregateError(many, "all", { cause: 5 });
				isBoth(await endWith(without), without, busy);
				const having = new AggregateError([...many, busy]);
				assert.equal(await endWith(having), having);
				const sparse = new AggregateError([], "all", { cause: 5 });
				sparse.errors.length = 2 ** 32 - 1;
				isBoth(await endWith(sparse), sparse, busy);
			});

			test("errors by name, as those of a validation", async () => {
				const thrown = Object.assign(new Error("invalid"), { errors: { name: busy } });
				assert.equal(await endWith(thrown), thrown);
				assert.equal(thrown.cause, undefined);
			});

			for (const name of ["cause", "errors"]) {
				const throwing = (more) =>
					Object.defineProperty(Object.assign(new Error("odd"), more), name, {
						get() {
							throw new Error("of the getter");
						},
					});
				test(`a getter of ${name} that throws`, async () => {
					const thrown = throwing({ cause: 5 });
					isBoth(await endWith(thrown), thrown, busy);
					const having = throwing({ cause: busy, errors: [busy] });
					assert.equal(await endWith(having), having);
					const failure = throwing();
					const broken = new Error("broken");
					assert.equal(await endWith(broken, failure), broken);
					assert.equal(broken.cause, failure);
					assert.equal((await run(script(throwing(), "ok"), job)).value, "ok");
				});
			}

			test("a cause that cannot be defined", async () => {
				const thrown = Object.defineProperty(new Error("odd"), "cause", { get: () => undefined });
				isBoth(await endWith(thrown), thrown, busy);
			});

			test("causes without end", async () => {
				class Endless {
					get cause() {
						return new Endless();
					}
				}
				const thrown = new Endless();
				isBoth(await endWith(thrown), thrown, busy);
			});
		});

		describe("onStop after an abort during a wait: neither the reason nor the failure is lost", () => {
			const why = new Error("the user left");
			const aborted = async (thrown, reason = why) => {
				const controller = new AbortController();
				const onStop = () => {
					throw thrown;
				};
				const clock = { now: () => 0, sleep: () => controller.abort(reason) };
				return (await endOf(retry(script(busy), { ...job, clock, signal: controller.signal, onStop }))).error;
			};
			test("an error without a cause", async () => {
				const thrown = new Error("broken");
				const error = await aborted(thrown);
				assert.equal(thrown.cause, why);
				assert.ok(error instanceof AggregateError && error.errors[0] === thrown && error.errors[1] === busy);
			});
			test("an error with another cause", async () => {
				const thrown = new Error("broken", { cause: 5 });
				const error = await aborted(thrown);
				assert.ok(error.errors[0] === thrown && error.errors[1] === why && error.cause === busy);
			});
			for (const [name, thrown] of [
				["the reason itself", () => why],
				["the reason in an AbortError", () => new AbortError(why)],
			]) {
				test(`${name} is thrown unchanged to every loop of the signal`, async () => {
					for (let loops = 0; loops < 2; loops++) {
						assert.equal(await aborted(thrown()), why);
						assert.equal(Object.hasOwn(why, "cause"), false);
					}
				});
			}
			test("a part of the reason: the reason is thrown unchanged", async () => {
				const part = new Error("part");
				const reason = new AggregateError([part]);
				assert.equal(await aborted(part, reason), reason);
				assert.deepEqual([part.cause, Object.hasOwn(reason, "cause")], [undefined, false]);
			});
			test("a reason that is no error", async () => {
				assert.equal(await aborted("left", "left"), "left");
			});
			test("a rejection of fetch", async () => {
				const controller = new AbortController();
				const { signal } = controller;
				const onStop = () => fetch("http://127.0.0.1:9/", { signal });
				const clock = { now: () => 0, sleep: () => controller.abort() };
				for (let loops = 0; loops < 2; loops++) {
					const { error } = await endOf(retry(script(busy), { ...job, clock, signal, onStop }));
					assert.equal(error, signal.reason);
					assert.equal(error.cause, undefined);
				}
			});
			test("the reason in an AbortError of onRetry is the abort", async () => {
				const controller = new AbortController();
				const { stop, error } = await run(script(busy), {
					...job,
					signal: controller.signal,
					onRetry: () => {
						controller.abort(why);
						throw new AbortError(why);
					},
				});
				assert.deepEqual([stop.reason, error === why, Object.hasOwn(why, "cause")], ["cancelled", true, false]);
			});
			test("an error with the failure as its cause", async () => {
				const thrown = new Error("broken", { cause: busy });
				const error = await aborted(thrown);
				assert.ok(error.errors[0] === thrown && error.errors[1] === why && error.cause === undefined);
			});
		});

		test("onStop after a value that was not accepted", async () => {
			const thrown = new Error("broken");
			const onStop = () => {
				throw thrown;
			};
			const options = { shouldRetryResult: () => true, policy: "constant:base=1ms,max_retries=0", onStop };
			await endOf(retry(script("no"), options));
			assert.ok(thrown.cause instanceof RetryError);
		});
	});

	describe("the stats count the operation as cancelled", () => {
		const gone = new Error("gone");
		const breaks = () => {
			throw gone;
		};
		/** A clock that fails from its call `from` on. */
		const failing = (from, act) => {
			let calls = 0;
			return { now: () => (++calls >= from ? act() : 0), sleep: () => {} };
		};
		for (const [name, options] of [
			["now throws at the start", { clock: failing(1, breaks) }],
			["now returns NaN at the start", { clock: failing(1, () => Number.NaN) }],
			["now returns nothing at the start", { clock: failing(1, () => undefined) }],
			["a key function throws", { seed: 1, key: breaks }],
			["a deadline function throws", { deadline: breaks }],
		]) {
			test(name, async () => {
				const stats = new RetryStats();
				const { error } = await endOf(makeRetriable(script(busy), { shouldRetry: always, stats, ...options })());
				assert.ok(error === gone || error instanceof PolicyError, `${error}`);
				assert.deepEqual([stats.counts().operations, stats.counts().stops.cancelled], [1, 1]);
			});
		}
	});

	describe("a clock that fails after an abort does not hide the reason", () => {
		const why = new Error("the user left");
		for (const [name, act] of [
			["now throws", breaks],
			["now returns NaN", () => Number.NaN],
			["now returns a negative time", () => -5],
			["now returns too large a time", () => 1e300],
		]) {
			test(`${name}: the last time before counts`, async () => {
				const controller = new AbortController();
				const times = [100, 103];
				const { stop, error } = await run(script(busy), {
					...job,
					signal: controller.signal,
					clock: { now: () => times.shift() ?? act(), sleep: () => controller.abort(why) },
				});
				assert.equal(error, why);
				assert.deepEqual([stop.reason, stop.attempts, stop.elapsed], ["cancelled", 1, 3]);
			});
			test(`${name}, with a signal that had aborted before`, async () => {
				const times = [100];
				const clock = { now: () => times.shift() ?? act(), sleep: () => {} };
				const { stop, error } = await run(script(busy), { ...job, signal: AbortSignal.abort(why), clock });
				assert.equal(error, why);
				assert.deepEqual([stop.reason, stop.attempts, stop.elapsed], ["cancelled", 0, 0]);
			});
		}
	});

	describe("a clock that returns no time is named", () => {
		for (const [returned, code, value, message] of [
			[Number.NaN, "not_finite", 0n, "clock.now(): NaN is not a finite number"],
			[undefined, "not_finite", 0n, "clock.now(): undefined is not a finite number"],
			[5n, "not_finite", 0n, "clock.now(): 5 is not a finite number"],
			[-5, "negative", -5_000_000n, "clock.now(): -5ms is negative"],
		]) {
			for (const calls of [0, 1]) {
				test(`${message}, after ${calls} calls`, async () => {
					let left = calls;
					const clock = { now: () => (left-- > 0 ? 0 : returned), sleep: () => {} };
					const { error } = await endOf(retry(script("ok"), { ...job, clock }));
					assert.deepEqual([error.message, error.code, error.field, error.value], [message, code, "now", value]);
				});
			}
		}
	});

	describe("a refused verdict is an error whose cause is the failure in question", () => {
		const invalid = { outcome: "timeout", retryAfter: Number.NaN };
		for (const [returned, message] of [
			[{ outcome: "failed" }, 'shouldRetry: outcome "failed" is unknown; the outcomes are success, '],
			[{ outcome: 5 }, "shouldRetry: outcome must be one of success, "],
			[invalid, "shouldRetry: retryAfter NaN is not a finite number"],
			[{ outcome: "timeout", retryAfter: "5" }, "shouldRetry: retryAfter must be a number of milliseconds or "],
			[{ outcome: "timeout", after: 5 }, "after is unknown; the options of a verdict of shouldRetry are "],
		]) {
			test(`${JSON.stringify(returned)}`, async () => {
				const { error } = await endOf(retry(script(busy), { ...job, shouldRetry: () => returned }));
				assert.ok(error.message.startsWith(message), error.message);
				assert.equal(error.cause, busy);
				const polled = await endOf(retry(script("no"), { ...job, shouldRetryResult: () => returned }));
				assert.ok(polled.error.message.startsWith(message.replace("shouldRetry", "shouldRetryResult")));
				assert.equal("cause" in polled.error, false);
			});
		}

		test("an error that can have no cause is joined with the failure in an AggregateError", async () => {
			const frozen = Object.freeze(new Error("frozen"));
			const shouldRetry = () => ({
				get outcome() {
					throw frozen;
				},
			});
			const { error } = await endOf(retry(script(busy), { ...job, shouldRetry }));
			assert.ok(error instanceof AggregateError);
			assert.deepEqual(error.errors, [frozen, busy]);
			assert.ok(error.errors[0] === frozen && error.errors[1] === busy);
		});
	});
});
