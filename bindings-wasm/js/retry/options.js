// The options of a loop, checked once.

import { finite, pickOptions } from "../core/arguments.js";
import { checkBudget } from "../core/budget.js";
import { checkAhead, toDeadline, toNanoseconds } from "../core/duration.js";
import { wrongType } from "../core/errors.js";
import { checkPolicy, Policy } from "../core/policy.js";
import { checkStats } from "../core/stats.js";
import { nextLoopStream, RandomStream, stateOf } from "../core/stream.js";
import { ifStarted, startFailure } from "../wasm/module.js";
import { defaultClock } from "./clock.js";

const PREDICATES = ["shouldRetry", "shouldRetryResult"];
const HOOKS = ["onRetry", "onStop"];
const STREAMS = ["stream", "seed", "key"];
const OTHERS = ["policy", "deadline", "budget", "stats", "signal", "clock", "unref"];
const OPTIONS = [...PREDICATES, ...HOOKS, ...STREAMS, ...OTHERS];

/**
 * The options of `retry` or `makeRetriable` with the defaults filled in.
 *
 * `streamOf` and `deadlineOf` return those of one loop. For `makeRetriable` they get `apply`, which
 * calls a function of the caller with the `this` and the arguments of the call.
 *
 * If the core cannot start, what only the core can check is not checked, and there is no `policy` of a policy string
 * and no `streamOf` (SPEC 18.7).
 */
export function resolveRetryOptions(caller, options = {}) {
	const picked = pickOptions(caller, options, OPTIONS);
	const { policy = "default", budget, clock, deadline, signal, stats, unref = false } = picked;
	for (const name of [...PREDICATES, ...HOOKS]) {
		if (picked[name] !== undefined && typeof picked[name] !== "function") {
			wrongType(name, "a function", picked[name]);
		}
	}
	if (PREDICATES.every((name) => picked[name] === undefined)) {
		throw new TypeError("shouldRetry is missing: say which failures may be repeated; () => true for all");
	}
	const isText = typeof policy === "string";
	if (!isText) {
		checkPolicy(policy, "a Policy or a policy string");
	}
	const resolved = isText ? ifStarted(() => Policy.parse(policy)) : policy;
	if (budget !== undefined) {
		checkBudget(budget);
	}
	if (stats !== undefined) {
		checkStats("stats", stats);
	}
	if (signal !== undefined && !(hasMethods(signal, "addEventListener", "removeEventListener") && "aborted" in signal)) {
		wrongType("signal", "an AbortSignal", signal);
	}
	if (clock !== undefined && !hasMethods(clock, "now", "sleep")) {
		wrongType("clock", "an object with now() and sleep(delay, signal)", clock);
	}
	if (typeof unref !== "boolean") {
		wrongType("unref", "a boolean", unref);
	}
	const isPerCall = caller === "makeRetriable";
	return {
		__proto__: null,
		...picked,
		...(startFailure && withoutCore(picked)),
		policy: resolved,
		streamOf: ifStarted(() => resolveStream(picked, isPerCall)),
		deadlineOf: resolveDeadline(deadline, isPerCall),
		clock: clock ?? defaultClock(unref),
	};
}

/**
 * The predicates for loops without the core. One that needs it tells nothing: a value is then taken for a success, and
 * a failure for one that another attempt might have helped.
 */
function withoutCore({ shouldRetry, shouldRetryResult }) {
	const ask =
		(predicate, otherwise) =>
		async (...args) => {
			try {
				return await predicate(...args);
			} catch (error) {
				if (error !== startFailure) {
					throw error;
				}
				return otherwise;
			}
		};
	return {
		shouldRetry: shouldRetry && ask(shouldRetry, true),
		shouldRetryResult: shouldRetryResult && ask(shouldRetryResult, false),
	};
}

/** Whether an object has these methods. Not `instanceof`: the object may come from another realm. */
function hasMethods(object, ...methods) {
	return methods.every((method) => typeof object?.[method] === "function");
}

function resolveStream(picked, isPerCall) {
	const { key, seed, stream } = picked;
	if (stream !== undefined) {
		stateOf(stream);
		if (seed !== undefined || "key" in picked) {
			throw new TypeError("pass either stream or seed and key, not both");
		}
		return () => stream;
	}
	if (seed === undefined && "key" in picked) {
		throw new TypeError("key needs a seed");
	}
	if (seed === undefined) {
		return nextLoopStream;
	}
	if (isPerCall && typeof key === "function") {
		new RandomStream(seed, ""); // checks the seed now
		return (apply) => new RandomStream(seed, apply(key));
	}
	// An explicit `key: undefined` is a bug, which the constructor refuses.
	const keyed = new RandomStream(seed, ...("key" in picked ? [key] : []));
	return () => keyed;
}

function resolveDeadline(deadline, isPerCall) {
	if (isPerCall && typeof deadline === "function") {
		return (now, apply) => readDeadline(apply(deadline), now);
	}
	if (hasMethods(deadline, "getTime")) {
		finite("deadline", deadline.getTime(), -Infinity);
	} else {
		toDeadline(deadline);
	}
	return (now) => readDeadline(deadline, now);
}

/** The deadline of a loop that begins now: a time of its clock, or a date. */
function readDeadline(deadline, now) {
	const time = hasMethods(deadline, "getTime") ? Math.max(now + (deadline.getTime() - Date.now()), 0) : deadline;
	const nanoseconds = toDeadline(time);
	checkAhead(nanoseconds, toNanoseconds("now", now), "clock.now(); pass a Date");
	return { nanoseconds };
}
