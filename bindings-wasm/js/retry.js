// The loop of SPEC 18. It decides nothing: an operation does.

import { whenAborted } from "./abort.js";
import { wrongType } from "./error.js";
import { Operation } from "./operation.js";
import { AbortError, RetryError } from "./retry-error.js";
import { settings } from "./settings.js";
import { verdict } from "./verdict.js";

const CANCELLED = { delay: 0, delayNs: 0n, reason: "cancelled" };

/** What a function gives, called again after failures that may be repeated. */
export async function retry(fn, options) {
	const given = settings(options);
	checkFunction(fn);
	return loop(fn, given);
}

/** A function that is retried whenever it is called. */
export function makeRetriable(fn, options) {
	const given = settings(options);
	checkFunction(fn);
	return function (...args) {
		return loop(() => fn.apply(this, args), given);
	};
}

function checkFunction(fn) {
	if (typeof fn !== "function") {
		wrongType("fn", "a function", fn);
	}
}

async function loop(fn, given) {
	const { budget, clock, deadline, history, policy, onRetry, onStop } = given;
	const { signal = new AbortController().signal } = given;
	const begun = clock.now();
	const operation = signal.aborted
		? undefined
		: new Operation(policy, given.stream(), { now: begun, deadline, budget });
	let attempts = 0;
	/** How the last call ended, if it has: its `value` or its `error`. */
	let ended = {};
	let stop;

	const call = async (context) => {
		try {
			ended = { value: await fn(context) };
		} catch (error) {
			ended = { error };
		}
	};
	const event = ({ delay, delayNs, reason }, outcome, now) =>
		Object.freeze({ attempts, outcome, reason, delay, delayNs, elapsed: now - begun, ...unwrapped(ended) });

	try {
		while (!signal.aborted && !stop) {
			attempts++;
			ended = {};
			const context = Object.freeze({ attempt: attempts, signal });
			await unlessAborted(signal, call(context));
			signal.throwIfAborted();
			const { outcome, hint } = await unlessAborted(signal, verdict(ended, given, context));
			signal.throwIfAborted();
			const now = clock.now();
			const decision = operation.decide(outcome, { now, hint });
			const told = event(decision, outcome, now);
			if (decision.reason) {
				stop = told;
			} else {
				await unlessAborted(signal, onRetry?.(told));
				await unlessAborted(signal, clock.sleep(decision.delay, signal));
			}
		}
	} catch (failure) {
		if (!signal.aborted) {
			operation.cancel();
			history?.record(attempts, CANCELLED.reason);
			throw failure;
		}
	}
	if (!stop) {
		operation?.cancel();
		stop = event(CANCELLED, undefined, clock.now());
	}
	history?.record(attempts, stop.reason);
	await onStop?.(stop);
	return result(stop, signal);
}

/** With the failure that the function wrapped. */
function unwrapped(ended) {
	return ended.error instanceof AbortError ? { error: ended.error.originalError } : ended;
}

/** What the caller gets. */
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

/** What a step gives, unless the signal aborts first; nobody then waits for the step. */
async function unlessAborted(signal, step) {
	let forget;
	try {
		return await new Promise((resolve, reject) => {
			forget = whenAborted(signal, () => reject(signal.reason));
			Promise.resolve(step).then(resolve, reject);
			signal.throwIfAborted();
		});
	} finally {
		forget();
	}
}
