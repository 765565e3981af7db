// The loop of SPEC 18. An operation makes its decisions.

import { finite } from "../core/arguments.js";
import { toNanoseconds } from "../core/duration.js";
import { wrongType } from "../core/errors.js";
import { Operation } from "../core/operation.js";
import { define, withJSON } from "../core/show.js";
import { StartError } from "../wasm/errors.js";
import { startFailure } from "../wasm/module.js";
import { ABORTED, reasonOf, throwIfAborted, unlessAborted } from "./abort.js";
import { beginLoop, RetryError, unwrap, withFailure } from "./errors.js";
import { resolveRetryOptions } from "./options.js";
import { askPredicate, readVerdict } from "./verdict.js";

const NOT_ENDED = Object.freeze(Object.create(null));
const SUCCESS = { outcome: "success", retryAfter: undefined };
const NOW = { name: "now", option: "clock.now():" };
const PERMANENT = "permanent";
const CANCELLED = { delay: 0, delayNs: 0n, reason: "cancelled" };
/** In place of an operation, if the core cannot start: it decides as under max_retries=0. */
const ONCE = {
	decide: (outcome) => ({
		...CANCELLED,
		reason: outcome === SUCCESS.outcome || outcome === PERMANENT ? outcome : "max_retries",
	}),
	cancel() {},
};

/** Calls a function, and again after failures that may be repeated; resolves to its value. */
export async function retry(fn, options) {
	const resolved = resolveRetryOptions("retry", options);
	checkFunction(fn);
	// Awaiting takes fewer turns of the microtask queue than returning the promise.
	return await loop(fn, resolved);
}

/** A function that calls another with `retry`. */
export function makeRetriable(fn, options) {
	const resolved = resolveRetryOptions("makeRetriable", options);
	checkFunction(fn);
	const retriable = function (...args) {
		const apply = (callback) => callback.apply(this, args);
		return loop(() => apply(fn), resolved, apply);
	};
	define(retriable, "name", fn.name);
	return define(retriable, "length", fn.length);
}

function checkFunction(fn) {
	if (typeof fn !== "function") {
		wrongType("fn", "a function", fn);
	}
}

async function loop(fn, options, apply) {
	const { budget, clock, policy, stats, onRetry, onStop, streamOf, deadlineOf } = options;
	const number = beginLoop();
	let { signal } = options;
	let start;
	/** The last time that the clock returned. */
	let latest;
	let operation;
	let attempts = 0;
	/** How the last call ended, if it has: its `value` or its `error`. */
	let ended = NOT_ENDED;
	let stop;

	const now = () => {
		const time = finite(NOW, clock.now(), -Infinity);
		toNanoseconds(NOW, time); // an error about the time names the clock
		latest = time;
		return time;
	};

	/** A signal in any case. It is made only on demand, because making one is slow and few calls need it. */
	const someSignal = () => {
		signal ??= new AbortController().signal;
		return signal;
	};
	const until = (step) => (signal ? unlessAborted(signal, step) : step);
	const call = async (context) => {
		try {
			ended = { __proto__: null, value: await fn(context) };
		} catch (error) {
			ended = { __proto__: null, error: unwrap(error) };
		}
	};
	const makeEvent = ({ delay, delayNs, reason }, outcome, time) =>
		Object.freeze(withJSON({ attempts, outcome, reason, delay, delayNs, elapsed: time - start, ...ended }));
	const decide = ({ outcome, retryAfter }) => {
		const time = now();
		return makeEvent(operation.decide(outcome, { now: time, retryAfter }), outcome, time);
	};

	try {
		start = now();
		if (!signal?.aborted) {
			const deadline = deadlineOf(start, apply);
			operation = startFailure ? ONCE : new Operation(policy, streamOf(apply), { now: start, deadline, budget });
		}
		try {
			while (!stop) {
				throwIfAborted(signal);
				attempts++;
				ended = NOT_ENDED;
				const context = Object.freeze({
					attempt: attempts,
					get signal() {
						return someSignal();
					},
				});
				await until(call(context));
				let verdict = SUCCESS;
				if (!("value" in ended) || options.shouldRetryResult) {
					if (!("value" in ended)) {
						throwIfAborted(signal);
					}
					const returned = await until(askPredicate(ended, options, context, number));
					verdict = returned !== ABORTED && readVerdict(ended, returned);
				}
				if (verdict.outcome !== SUCCESS.outcome) {
					// A value that is accepted is a success even if the signal has aborted by now.
					throwIfAborted(signal);
				}
				const event = decide(verdict);
				if (event.reason) {
					stop = event;
				} else {
					await until(onRetry?.(event));
					throwIfAborted(signal);
					await until(clock.sleep(event.delay, someSignal()));
				}
			}
		} catch (failure) {
			// Any failure but the abort itself takes precedence over an abort at the same moment.
			if (!signal?.aborted || !Object.is(unwrap(failure), reasonOf(signal))) {
				throw failure;
			}
			operation?.cancel();
			try {
				now();
			} catch {
				// The caller gets the reason of the abort, not an error of the clock.
			}
			stop = makeEvent(CANCELLED, undefined, latest);
		}
	} catch (thrown) {
		operation?.cancel();
		stats?.record(attempts, CANCELLED.reason);
		throw withFailure(unwrap(thrown), ended);
	}
	stats?.record(attempts, stop.reason);
	const end = endOf(stop, signal);
	if (onStop) {
		try {
			await onStop(stop);
		} catch (thrown) {
			const error = withFailure(unwrap(thrown), end);
			// After an abort the caller gets its reason; the last failure is then another error. The reason
			// itself stays as it is, because all loops of the signal share it.
			throw "error" in end && Object.is(error, end.error) ? error : withFailure(error, ended);
		}
	}
	if ("error" in end) {
		throw end.error;
	}
	return end.value;
}

/** What the caller gets: the `value` or the `error`. */
function endOf({ attempts, reason, ...ended }, signal) {
	if (reason === "success") {
		return { __proto__: null, value: ended.value };
	}
	if (reason === CANCELLED.reason) {
		return { error: reasonOf(signal) };
	}
	const error = Object.hasOwn(ended, "error") ? ended.error : new RetryError(reason, attempts, ended.value);
	if (!startFailure || reason === PERMANENT) {
		return { error };
	}
	return { error: new StartError("not_retried", `the call was not retried: ${startFailure.message}`, error) };
}
