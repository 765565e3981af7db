// The loop of SPEC 18. An operation makes its decisions.

import { wrongType } from "../core/errors.js";
import { Operation } from "../core/operation.js";
import { unlessAborted } from "./abort.js";
import { RetryError, unwrap } from "./errors.js";
import { resolveRetryOptions } from "./options.js";
import { askPredicate, readVerdict, withCause } from "./verdict.js";

const SUCCESS = { outcome: "success" };
const CANCELLED = { delay: 0, delayNs: 0n, reason: "cancelled" };

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
	return function (...args) {
		const apply = (callback) => callback.apply(this, args);
		return loop(() => apply(fn), resolved, apply);
	};
}

function checkFunction(fn) {
	if (typeof fn !== "function") {
		wrongType("fn", "a function", fn);
	}
}

async function loop(fn, options, apply) {
	const { budget, clock, policy, stats, onRetry, onStop, streamOf, deadlineOf } = options;
	const hasResultPredicate = options.shouldRetryResult !== undefined;
	let { signal } = options;
	const start = clock.now();
	const operation = signal?.aborted
		? undefined
		: new Operation(policy, streamOf(apply), { now: start, deadline: deadlineOf(apply), budget });
	let attempts = 0;
	/** How the last call ended, if it has: its `value` or its `error`. */
	let ended = {};
	let stop;

	/** A signal in any case. It is made only on demand, because making one is slow and few calls need it. */
	const someSignal = () => {
		signal ??= new AbortController().signal;
		return signal;
	};
	const until = (step) => (signal ? unlessAborted(signal, step) : step);
	const call = async (context) => {
		try {
			ended = { value: await fn(context) };
		} catch (error) {
			ended = { error: unwrap(error) };
		}
	};
	const makeEvent = ({ delay, delayNs, reason }, outcome, now) =>
		Object.freeze({ attempts, outcome, reason, delay, delayNs, elapsed: now - start, ...ended });
	const decide = ({ outcome, retryAfter }) => {
		const now = clock.now();
		return makeEvent(operation.decide(outcome, { now, retryAfter }), outcome, now);
	};

	try {
		while (!stop) {
			signal?.throwIfAborted();
			attempts++;
			ended = {};
			const context = Object.freeze({
				attempt: attempts,
				get signal() {
					return someSignal();
				},
			});
			await until(call(context));
			let event;
			if ("value" in ended && !hasResultPredicate) {
				// Also if the signal has aborted by now.
				event = decide(SUCCESS);
			} else {
				signal?.throwIfAborted();
				const returned = await until(askPredicate(ended, options, context));
				signal?.throwIfAborted();
				event = withCause(ended, () => decide(readVerdict(ended, returned)));
			}
			if (event.reason) {
				stop = event;
			} else {
				await until(onRetry?.(event));
				signal?.throwIfAborted();
				await until(clock.sleep(event.delay, someSignal()));
			}
		}
	} catch (failure) {
		// Any failure but the abort itself takes precedence over an abort at the same moment.
		if (!signal?.aborted || failure !== signal.reason) {
			operation.cancel();
			stats?.record(attempts, CANCELLED.reason);
			throw failure;
		}
	}
	if (!stop) {
		operation?.cancel();
		stop = makeEvent(CANCELLED, undefined, clock.now());
	}
	stats?.record(attempts, stop.reason);
	if (onStop) {
		await onStop(stop);
	}
	return result(stop, signal);
}

/** Returns or throws, to the caller, how the loop ended. */
function result(stop, signal) {
	const { attempts, error, reason, value } = stop;
	if (reason === "success") {
		return value;
	}
	if (reason === CANCELLED.reason) {
		throw signal.reason;
	}
	throw "error" in stop ? error : new RetryError(reason, attempts, value);
}
