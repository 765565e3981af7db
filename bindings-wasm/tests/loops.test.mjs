// Loops, call by call (SPEC 18): the vectors of all languages, on the installed package and a clock that does not wait.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { Budget, makeRetriable, PermanentError, RetryError, RetryStats, retry } from "./installed.mjs";
import { endOf } from "./loop.mjs";
import { nanoseconds, stream, vectors } from "./vectors.mjs";

const LOOPS = { retry, makeRetriable: (fn, options) => makeRetriable(fn, options)() };

/** Here a predicate or a hook may be pending at the abort. The loop gives it up, because the abort makes many fail. */
const PENDING = [
	"cancel-call-success-0",
	"cancel-call-success-1",
	"fail-classification-and-cancel",
	"fail-hook-and-cancel",
];

/** The functions of the caller, and the cases that are not played with them. */
const FUNCTIONS = {
	"not async": [(act) => act, []],
	async: [(act) => async (argument) => act(argument), []],
	"async, a turn later": [(act) => async (argument) => act(await argument), PENDING],
};

const milliseconds = (ns) => Number(ns) / 1e6;

/** Runs one loop on what the loops of a case share, and compares everything that its caller sees. */
async function play({ begin, as, hasSignal }, shared, loop) {
	const { calls, cancel, fail } = loop;
	const { clock, stats, ...options } = shared;
	const [why, broken] = [new Error("the caller cancelled"), new Error("broken")];
	const controller = new AbortController();
	const { signal } = controller;
	const [ends, limits, lefts, waits, events] = [[], [], [], [], []];
	let isHanging = false;
	let endAttempt = () => {};
	const before = stats.counts();

	const isAt = (point, where) => point?.where === where && point.call === Math.max(ends.length - 1, 0);
	const reach = (where) => {
		if (isAt(cancel, where)) {
			controller.abort(why);
		}
		if (isAt(fail, where)) {
			throw broken;
		}
	};
	const fn = (context) => {
		if (ends.length === calls.length) {
			throw new PermanentError("one call too many");
		}
		// A function of makeRetriable gets the arguments of its caller, of which there are none.
		if (context) {
			lefts.push(context.timeLeft);
		}
		const { takes, ends: end, mark } = calls[ends.length];
		const limit = loop.limits[ends.length];
		if (limit !== null && BigInt(takes) > BigInt(limit)) {
			isHanging = true;
			clock.time += milliseconds(limit);
			endAttempt();
			ends.push({ late: milliseconds(limit) });
			return new Promise(() => {});
		}
		clock.time += milliseconds(takes);
		const result = end === "value" ? { number: ends.length } : new Error(`of call ${ends.length}`);
		ends.push({ [end === "value" ? "value" : "error"]: result });
		reach("call");
		if (end === "value") {
			return result;
		}
		throw mark === null ? result : new PermanentError(result);
	};
	const classify = () => {
		reach("classification");
		const { outcome, retry_after: retryAfter } = calls[ends.length - 1];
		return { outcome, retryAfter: retryAfter && nanoseconds(retryAfter) };
	};
	const hook = (name) => (event) => {
		const { operations } = stats.counts();
		events.push([name, operations - before.operations, { ...event, elapsed: Math.round(event.elapsed * 1e6) }]);
		reach(`${name}_hook`);
	};
	const sleep = (delay) => {
		reach("wait");
		if (isAt(cancel, "wait")) {
			clock.time += milliseconds(cancel.after);
			return new Promise(() => {});
		}
		waits.push(delay);
		clock.time += delay;
		return undefined;
	};
	/** The time of an attempt ends if its call does not. */
	const timeout = (limit, over) => {
		limits.push(limit);
		return new Promise((resolve) => {
			endAttempt = () => {
				isHanging = false;
				resolve();
			};
			over.addEventListener("abort", () => {
				endAttempt = () => {};
			});
			if (isHanging) {
				endAttempt();
			}
		});
	};
	const { list, function: given } = loop.delays ?? {};
	const own = (delay) => (delay === null || delay === undefined ? undefined : nanoseconds(delay));
	const [shouldRetry, shouldRetryResult] = [as(classify), as(classify)];
	// One predicate is required. The one for errors is not asked about a value, and the other way round.
	const unasked = calls.at(-1)?.ends === "value" ? { shouldRetry } : { shouldRetryResult };

	reach("before");
	const end = await endOf(
		begin(as(fn), {
			...options,
			stats,
			...(loop.classified ? { shouldRetry, shouldRetryResult } : unasked),
			deadline: loop.deadline === null ? undefined : milliseconds(loop.deadline),
			signal: hasSignal || cancel ? signal : undefined,
			onRetry: as(hook("retry")),
			onStop: as(hook("stop")),
			clock: { now: () => clock.time, sleep: as(sleep), timeout },
			...(loop.delays && { delays: list?.map(own) ?? ((index) => own(given[index])) }),
		}),
	);

	for (const end of ends) {
		if (end.late !== undefined) {
			const error = events.find(([, , event]) => event.attempts === ends.indexOf(end) + 1)?.[2].error;
			assert.deepEqual([error.name, error.message], ["TimeoutError", `the attempt took longer than ${end.late} ms`]);
			delete end.late;
			end.error = error;
		}
	}
	const last = ends.at(-1);
	if (loop.ends === "caller") {
		assert.equal(end.error, broken);
		assert.equal(broken.cause, last?.error ?? (last ? undefined : why));
	} else if (loop.reason === "cancelled") {
		assert.equal(end.error, why);
	} else if (loop.ends === "failure" || loop.ends === "timeout" || loop.reason === "success") {
		assert.equal(end.value, last.value);
		assert.equal(end.error, last.error);
	} else {
		const { reason, attempts, result } = end.error;
		assert.ok(end.error instanceof RetryError && result === last.value);
		assert.deepEqual([reason, attempts], [loop.reason, calls.length]);
	}
	assert.equal(ends.length, calls.length);
	assert.deepEqual(waits, loop.waits.map(milliseconds));
	assert.deepEqual(limits, loop.limits.filter((limit) => limit !== null).map(milliseconds));
	const time_left = loop.time_left.map((left) => (left === null ? undefined : milliseconds(left)));
	assert.deepEqual(lefts, begin === retry ? time_left : []);
	assert.deepEqual(
		events,
		loop.events.map(({ hook, attempts, outcome, reason, delay, elapsed }) => {
			const members = { attempts, outcome: outcome ?? undefined, reason: reason ?? undefined, budgetIsLocal: false };
			const times = { delay: milliseconds(delay), delayNs: delay, elapsed: Number(elapsed) };
			return [hook, hook === "stop" ? 1 : 0, { ...members, ...times, ...ends[attempts - 1] }];
		}),
	);
	assert.equal(stats.counts().stops[loop.reason], before.stops[loop.reason] + 1);
	assert.deepEqual(getEventListeners(signal, "abort"), []);
}

const cases = vectors("loops");
for (const [name, begin] of Object.entries(LOOPS)) {
	for (const [kind, [as, skipped]] of Object.entries(FUNCTIONS)) {
		const played = cases.filter(({ id }) => !skipped.includes(id));
		assert.equal(played.length, cases.length - skipped.length);
		for (const hasSignal of [false, true]) {
			describe(`${name}, functions that are ${kind}, ${hasSignal ? "with" : "without"} a signal`, () => {
				for (const { id, policy, budget, seed, key, loops, stats: counts } of played) {
					test(id, async () => {
						const shared = {
							clock: { time: 0 },
							stats: new RetryStats(),
							policy,
							budget: budget && Budget.parse(budget),
							stream: stream(seed, key),
						};
						for (const loop of loops) {
							await play({ begin, as, hasSignal }, shared, loop);
						}
						const { operations, attempts, stops } = shared.stats.counts();
						const counted = Object.fromEntries(Object.entries(stops).filter(([, count]) => count > 0));
						assert.deepEqual({ operations, attempts, stops: counted }, counts);
					});
				}
			});
		}
	}
}
