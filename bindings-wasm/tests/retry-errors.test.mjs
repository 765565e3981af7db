// PermanentError, and failures of hooks, predicates and clocks, on a clock that does not wait.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
	AbortError,
	fetchOutcome,
	installed,
	makeRetriable,
	PermanentError,
	PolicyError,
	RetryError,
	RetryStats,
	retry,
} from "./installed.mjs";
import { always, busy, endOf, FakeClock, job, notes, quickly, run, script, sharedBudget, throwing } from "./loop.mjs";

const gone = new Error("gone");
const why = new Error("the user left");
const once = { policy: "constant:base=1ms,max_retries=0" };

/** Each callback of a loop, by the options with which it is called once, after the call. */
const CALLBACKS = {
	shouldRetry: (act) => ({ shouldRetry: act }),
	"shouldRetry, later": (act) => ({ shouldRetry: async (error) => act(error) }),
	onRetry: (act) => ({ onRetry: act }),
	onStop: (act) => ({ onStop: act, ...once }),
	sleep: (act) => ({ clock: new FakeClock({ sleep: act }) }),
};

/** Asserts that both are in an `AggregateError`. */
function isBoth(error, thrown, failure = busy) {
	assert.ok(error instanceof AggregateError, `${error}`);
	assert.ok(error.errors.length === 2 && error.errors[0] === thrown && error.errors[1] === failure);
}

describe("PermanentError", () => {
	test("makes an error of a message, and keeps what else is thrown", async () => {
		const cause = new Error("cause");
		for (const [given, message, original = new Error(message)] of [
			[["gone"], "gone"],
			[["gone", { cause }], "gone", new Error("gone", { cause })],
			[[busy], "busy", busy],
			[[new PermanentError(busy)], "busy", busy],
			[[{ message: "odd" }], "odd", { message: "odd" }],
			[[5], "5", 5],
			[[Symbol.for("s")], "Symbol(s)", Symbol.for("s")],
			[[null], "null", null],
			[[], ""],
		]) {
			const permanent = new PermanentError(...given);
			assert.deepEqual(
				[permanent.name, permanent.message, permanent.originalError],
				["PermanentError", message, original],
			);
			const fn = () => Promise.reject(permanent);
			const { error, stop } = await run(fn, job);
			assert.deepEqual([error, stop.attempts, stop.reason], [original, 1, "permanent"]);
		}
	});

	test("AbortError, as p-retry calls it, is the same class", () => assert.equal(AbortError, PermanentError));

	test("ends enclosing loops, too", async () => {
		const fn = script(new PermanentError(Object.freeze(new Error("frozen"))));
		const inner = async () => throwing((await quickly({}, fn)).error)();
		const middle = async () => throwing((await quickly({}, inner)).error)();
		const shouldRetry = () => assert.fail("it is not asked");
		const { error, stop } = await run(middle, { ...job, shouldRetry });
		assert.deepEqual([error.message, stop.reason, stop.attempts, fn.contexts.length], ["frozen", "permanent", 1, 1]);
	});

	test("does not end a loop that begins later, even with the same error, and has no effect if it is not thrown", async () => {
		const shared = new Error("shared");
		await quickly({}, script(new PermanentError(shared)));
		assert.equal((await quickly({}, script(shared, "ok"))).value, "ok");
		void new PermanentError(busy);
		assert.equal((await quickly({}, script(busy, "ok"))).value, "ok");
	});

	test("ends a loop that began before it was thrown, even the latest one, in which its error is thrown again", async () => {
		const shared = new Error("shared");
		const first = quickly({}, async () => {
			await undefined;
			throw new PermanentError(shared);
		});
		const fn = script(shared, "ok");
		const { error, stop } = await run(async () => {
			await first;
			return fn();
		}, job);
		assert.deepEqual([error, stop.reason, stop.attempts], [shared, "permanent", 1]);
	});

	test("of another copy of the package ends the loop, too", async () => {
		const copy = await import(`${pathToFileURL(join(installed, "dist/index.js")).href}?copy`);
		assert.notEqual(copy.PermanentError, PermanentError);
		const fn = script(new copy.PermanentError(gone));
		assert.equal((await run(fn, job)).error, gone);
		assert.equal(fn.contexts.length, 1);
		assert.equal(new PermanentError(new copy.PermanentError(gone)).originalError, gone);
		await assert.rejects(retry(script("ok"), { ...job, policy: copy.Policy.parse("default") }), {
			message: "policy must be a Policy or a policy string, got a Policy of another copy of backoff-wasm, or a proxy",
		});
	});

	for (const [name, options] of Object.entries(CALLBACKS)) {
		test(`of ${name} is unwrapped, and ends enclosing loops`, async () => {
			const inner = new Error("inner");
			const fn = script(busy);
			const loop = () => retry(fn, { ...job, clock: new FakeClock(), ...options(throwing(new PermanentError(inner))) });
			const { error, stop } = await run(loop, job);
			assert.ok(error === inner && inner.cause === busy);
			assert.deepEqual([stop.reason, stop.attempts, fn.contexts.length], ["permanent", 1, 1]);
		});
	}

	test("of a predicate, about a value, and around the error of the call", async () => {
		const inner = new Error("inner");
		const shouldRetryResult = throwing(new PermanentError(inner));
		assert.equal((await quickly({ shouldRetryResult }, script("no"))).error, inner);
		assert.equal(inner.cause, undefined);
		const shouldRetry = (error) => throwing(new PermanentError(error))();
		assert.equal((await quickly({ shouldRetry })).error, busy);
		assert.equal(busy.cause, undefined);
	});

	const of = (...errors) => new AggregateError(errors);
	for (const [name, error] of [
		["alone", of(new PermanentError(gone))],
		["beside another error", of(busy, new PermanentError(gone))],
		["deeper", of(busy, of(of(new PermanentError(gone))))],
	]) {
		test(`inside an AggregateError, ${name}, ends the loop`, async () => {
			const fn = script(error);
			const { error: thrown, stop } = await run(() => retry(fn, { ...job, clock: new FakeClock() }), job);
			assert.equal(thrown, error);
			assert.deepEqual([stop.reason, stop.attempts, fn.contexts.length], ["permanent", 1, 1]);
		});
	}

	test("inside five AggregateErrors, one around the other, ends the loop, and deeper it is not found", async () => {
		const nested = (depth) => (depth === 0 ? new PermanentError(gone) : of(nested(depth - 1)));
		const found = await run(script(nested(5), "ok"), job);
		assert.deepEqual([found.stop.reason, found.stop.attempts], ["permanent", 1]);
		assert.equal((await run(script(nested(6), "ok"), job)).value, "ok");
	});

	test("an AggregateError without one is repeated, even with a cycle", async () => {
		const cyclic = of(busy);
		cyclic.errors.push(cyclic);
		assert.equal((await quickly({}, script(cyclic, of(), "ok"))).value, "ok");
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
	for (const returned of [1, true, 1n]) {
		test(`${typeof returned} ${String(returned)} says yes`, async () => {
			const { error, stop } = await run(script(busy), { ...job, policy, shouldRetry: () => returned });
			assert.deepEqual([error, stop.attempts, stop.outcome], [busy, 3, "transient"]);
			const polled = await run(script("no"), { ...job, policy, shouldRetryResult: () => returned });
			assert.deepEqual([polled.error.result, polled.stop.attempts], ["no", 3]);
		});
	}

	test("a PermanentError ends the loop as one that is thrown", async () => {
		const shouldRetry = (error) => new PermanentError(error);
		const loop = () => retry(script(busy), { ...job, clock: new FakeClock(), shouldRetry });
		const { error, stop } = await run(loop, job);
		assert.deepEqual([error, stop.reason, stop.attempts], [busy, "permanent", 1]);
		const polled = await quickly({ shouldRetryResult: async () => new PermanentError("gone") }, script("no"));
		assert.deepEqual(polled.error, gone);
	});

	const FORMS = "shouldRetry must return true, false, an outcome or { outcome, retryAfter }, got ";
	for (const [returned, failure, message] of [
		[{ retryAfter: 100 }, TypeError, `${FORMS}an object without an outcome`],
		[busy, TypeError, `${FORMS}an object without an outcome`],
		[[], TypeError, `${FORMS}an object without an outcome`],
		[() => true, TypeError, `${FORMS}a function`],
		[Symbol("yes"), TypeError, `${FORMS}a symbol`],
		[{ outcome: "failed" }, PolicyError, 'shouldRetry: outcome "failed" is unknown; the outcomes are success, '],
		["permanant", PolicyError, 'shouldRetry: outcome "permanant" is unknown; the outcomes are success, '],
		[{ outcome: 5 }, TypeError, "shouldRetry: outcome must be one of success, "],
		[{ outcome: "timeout", retryAfter: Number.NaN }, PolicyError, "shouldRetry: retryAfter NaN is not a finite number"],
		[{ outcome: "timeout", retryAfter: 1e-7 }, PolicyError, "shouldRetry: retryAfter 1e-7ms is below 1ns"],
		[
			{ outcome: "timeout", retryAfter: "5" },
			TypeError,
			"shouldRetry: retryAfter must be a number of milliseconds or ",
		],
		[{ outcome: "timeout", after: 5 }, TypeError, "after is unknown; the options of a verdict of shouldRetry are "],
	]) {
		test(`${String(returned)} ${JSON.stringify(returned)} ends the loop with an error, whose cause is the failure`, async () => {
			const { budget, isIdle } = sharedBudget();
			const stats = new RetryStats();
			const { events, ...hooks } = notes();
			const { error } = await endOf(
				retry(script(busy), { ...job, stats, ...hooks, budget, shouldRetry: () => returned }),
			);
			assert.ok(error instanceof failure && error.message.startsWith(message), `${error}`);
			assert.equal(error.cause, busy);
			assert.deepEqual([events, stats.counts().stops.cancelled, stats.counts().attempts], [[], 1, 1]);
			assert.ok(isIdle());
			const polled = await quickly({ shouldRetryResult: () => returned }, script("no"));
			assert.ok(polled.error.message.startsWith(message.replace("shouldRetry", "shouldRetryResult")));
			assert.equal("cause" in polled.error, false);
		});
	}
});

describe("a callback that throws after the call failed", () => {
	let calls = 0;
	const rows = { ...CALLBACKS, now: (act) => ({ clock: { now: () => (calls++ % 2 ? act() : 0), sleep: () => {} } }) };
	for (const [name, options] of Object.entries(rows)) {
		test(`${name}: no failure is lost`, async () => {
			const errorOf = async (thrown) => {
				calls = 0;
				return (await quickly(options(throwing(thrown)))).error;
			};
			const thrown = new Error("broken");
			assert.equal(await errorOf(thrown), thrown);
			assert.equal(thrown.cause, busy);
			assert.deepEqual(Object.keys(thrown), []);
			const frozen = Object.freeze(new Error("frozen"));
			for (const other of [new Error("broken", { cause: 5 }), frozen, "text", 5n, null, undefined]) {
				isBoth(await errorOf(other), other);
			}
			assert.equal(await errorOf(busy), busy);
			assert.equal(busy.cause, undefined);
			const having = new Error("broken", { cause: busy });
			assert.equal(await errorOf(having), having);
		});
	}

	const endWith = async (thrown, failure = busy) =>
		(await quickly({ onRetry: throwing(thrown) }, script(failure))).error;
	const chain = (error) => new Error("outer", { cause: new Error("middle", { cause: error }) });
	const cycle = () => {
		const outer = new Error("outer", { cause: new Error("inner") });
		outer.cause.cause = outer;
		return outer;
	};
	/** 100,000 errors, each the cause of the next. */
	const long = (innermost) => {
		let error = innermost;
		for (let depth = 0; depth < 100_000; depth++) {
			error = { cause: error };
		}
		return error;
	};
	const many = Array.from({ length: 200_000 }, (_, index) => ({ index }));
	const sparse = new AggregateError([], "all", { cause: 5 });
	sparse.errors.length = 2 ** 32 - 1;
	class Endless {
		get cause() {
			return new Endless();
		}
	}
	const odd = (name, more) =>
		Object.defineProperty(Object.assign(new Error("odd"), more), name, { get: throwing(new Error("of the getter")) });

	for (const [name, thrown] of [
		["below a cause", chain(busy)],
		["among errors", new AggregateError([new Error("other"), chain(busy)], "all", { cause: new Error("x") })],
		["beside a cycle", new AggregateError([cycle(), busy])],
		["below many causes", long(busy)],
		["among many errors", new AggregateError([...many, busy])],
		["among errors by name, as those of a validation", Object.assign(new Error("invalid"), { errors: { name: busy } })],
		["beside a getter of a cause that throws", odd("cause", { errors: [busy] })],
		["beside a getter of errors that throws", odd("errors", { cause: busy })],
	]) {
		test(`the failure is in it already, ${name}`, async () => {
			assert.equal(await endWith(thrown), thrown);
			assert.equal(busy.cause, undefined);
		});
	}

	for (const [name, thrown] of [
		["a cycle", cycle()],
		["many causes", long(new Error("inner", { cause: 5 }))],
		["many errors", new AggregateError(many, "all", { cause: 5 })],
		["errors with holes", sparse],
		["causes without end", new Endless()],
		["a getter of a cause that throws", odd("cause")],
		["a getter of errors that throws", odd("errors", { cause: 5 })],
		["a cause that cannot be defined", Object.defineProperty(new Error("odd"), "cause", { get: () => undefined })],
	]) {
		test(`the failure stands beside ${name}`, async () => isBoth(await endWith(thrown), thrown));
	}

	for (const failure of [new Error("failed", { cause: long() }), odd("cause"), odd("errors")]) {
		test(`the failure may be odd: ${failure}`, async () => {
			const thrown = new Error("broken");
			assert.equal(await endWith(thrown, failure), thrown);
			assert.equal(thrown.cause, failure);
			assert.equal((await quickly({}, script(failure, "ok"))).value, "ok");
		});
	}

	const inner = new Error("inner");
	for (const [name, failure] of [
		["its cause", new Error("outer", { cause: inner })],
		["the cause of its cause", new Error("outer", { cause: new Error("middle", { cause: inner }) })],
		["one of its errors", new AggregateError([inner, new Error("other")])],
	]) {
		for (const hook of ["onRetry", "onStop"]) {
			test(`${hook}: a part of the failure, ${name}: the failure is thrown, without a cycle`, async () => {
				const end = (thrown) => quickly(CALLBACKS[hook](throwing(thrown)), script(failure));
				assert.equal((await end(inner)).error, failure);
				assert.equal(inner.cause, undefined);
				const permanently = async () => throwing((await end(new PermanentError(inner))).error)();
				const { error, stop } = await run(permanently, job);
				assert.deepEqual([error === failure, stop.reason, stop.attempts], [true, "permanent", 1]);
			});
		}
	}

	test("onStop after a value that was not accepted", async () => {
		const thrown = new Error("broken");
		await quickly({ shouldRetryResult: always, onStop: throwing(thrown), ...once }, script("no"));
		assert.ok(thrown.cause instanceof RetryError);
	});
});

describe("onStop after an abort during a wait: neither the reason nor the failure is lost", () => {
	const aborted = async (thrown, reason = why) => {
		const controller = new AbortController();
		const clock = { now: () => 0, sleep: () => controller.abort(reason) };
		return (await quickly({ clock, signal: controller.signal, onStop: throwing(thrown) })).error;
	};
	for (const [name, thrown, cause, causeOfBoth] of [
		["an error without a cause", new Error("broken"), why],
		["an error with another cause", new Error("broken", { cause: 5 }), 5, busy],
		["an error with the failure as its cause", new Error("broken", { cause: busy }), busy],
	]) {
		test(name, async () => {
			const error = await aborted(thrown);
			assert.equal(thrown.cause, cause);
			isBoth(error, thrown, cause === why ? busy : why);
			assert.equal(error.cause, causeOfBoth);
		});
	}
	for (const [name, thrown] of [
		["the reason itself", () => why],
		["the reason in a PermanentError", () => new PermanentError(why)],
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
	test("a reason that is no error", async () => assert.equal(await aborted("left", "left"), "left"));
	test("a rejection of fetch", async () => {
		const controller = new AbortController();
		const { signal } = controller;
		const onStop = () => fetch("http://127.0.0.1:9/", { signal });
		const clock = { now: () => 0, sleep: () => controller.abort() };
		for (let loops = 0; loops < 2; loops++) {
			const { error } = await quickly({ clock, signal, onStop });
			assert.deepEqual([error === signal.reason, error.cause], [true, undefined]);
		}
	});
	test("the reason in a PermanentError of onRetry is the abort", async () => {
		const controller = new AbortController();
		const onRetry = () => {
			controller.abort(why);
			throw new PermanentError(why);
		};
		const { stop, error } = await run(script(busy), { ...job, signal: controller.signal, onRetry });
		assert.deepEqual([stop.reason, error === why, Object.hasOwn(why, "cause")], ["cancelled", true, false]);
	});
});

describe("a failure before the first call is counted as a cancelled operation", () => {
	for (const [name, options] of [
		["now throws", { clock: { now: throwing(gone), sleep: () => {} } }],
		["a key function throws", { seed: 1, key: throwing(gone) }],
		["a deadline function throws", { deadline: throwing(gone) }],
	]) {
		test(name, async () => {
			const stats = new RetryStats();
			const fn = makeRetriable(script(busy), { shouldRetry: always, stats, ...options });
			assert.equal((await endOf(fn())).error, gone);
			assert.deepEqual([stats.counts().operations, stats.counts().stops.cancelled], [1, 1]);
		});
	}
});

describe("a fallback that throws", () => {
	const options = { ...job, maxRetries: 0 };

	test("rejects with its error, whose cause is the failure", async () => {
		const away = new Error("cache away");
		const { error } = await endOf(retry(throwing(busy), { ...options, fallback: throwing(away) }));
		assert.deepEqual([error, error.cause], [away, busy]);
		const fallback = async (failure) => Promise.reject(failure);
		assert.equal((await endOf(retry(throwing(gone), { ...options, fallback }))).error, gone);
		assert.equal(gone.cause, undefined);
	});

	test("with the reason of an abort leaves that as it is", async () => {
		const controller = new AbortController();
		const reason = new Error("the user left");
		const fallback = () => {
			controller.abort(reason);
			throw reason;
		};
		const { error } = await endOf(retry(throwing(busy), { ...options, fallback, signal: controller.signal }));
		assert.deepEqual([error, error.cause], [reason, undefined]);
	});
});

test("an error that throws when it is read is thrown as it is", async () => {
	const { proxy, revoke } = Proxy.revocable(() => {}, {});
	revoke();
	const clock = new FakeClock();
	const shouldRetry = (error) => fetchOutcome(error) === "permanent";
	const { error, stop } = await run(throwing(proxy), { ...job, clock, shouldRetry, maxRetries: 1 });
	assert.ok(Object.is(error, proxy));
	assert.deepEqual([clock.waits.length, JSON.parse(JSON.stringify(stop)).error], [1, "[object Object]"]);
});

describe("a clock that returns no time", () => {
	for (const [returned, code, value, message] of [
		[Number.NaN, "not_finite", 0n, "clock.now(): NaN is not a finite number"],
		[Promise.resolve(5), "not_finite", 0n, "clock.now(): Promise is not a finite number"],
		[undefined, "not_finite", 0n, "clock.now(): undefined is not a finite number"],
		[5n, "not_finite", 0n, "clock.now(): bigint is not a finite number"],
		["0", "not_finite", 0n, "clock.now(): string is not a finite number"],
		[-5, "negative", -5_000_000n, "clock.now(): -5ms is negative"],
	]) {
		for (const before of [0, 1]) {
			test(`is named: ${message}, after ${before} calls`, async () => {
				let left = before;
				const clock = { now: () => (left-- > 0 ? 0 : returned), sleep: () => {} };
				const { error } = await quickly({ clock }, script("ok"));
				assert.deepEqual([error.message, error.code, error.field, error.value], [message, code, "now", value]);
			});
		}
	}

	for (const act of [throwing(gone), () => Number.NaN, () => -5, () => 1e300]) {
		test(`after an abort, ${act}: the last time before counts, and the reason is not hidden`, async () => {
			const controller = new AbortController();
			for (const [signal, before, elapsed, attempts] of [
				[controller.signal, [100, 103], 3, 1],
				[AbortSignal.abort(why), [100], 0, 0],
			]) {
				const clock = { now: () => before.shift() ?? act(), sleep: () => controller.abort(why) };
				const { stop, error } = await run(script(busy), { ...job, signal, clock });
				assert.equal(error, why);
				assert.deepEqual([stop.reason, stop.attempts, stop.elapsed], ["cancelled", attempts, elapsed]);
			}
		});
	}
});
