// The loop of SPEC 18. It decides nothing: an operation does.

import { whenAborted } from "./abort.js";
import { wrongType } from "./error.js";
import { Operation } from "./operation.js";
import { RetryError, unwrapped } from "./retry-error.js";
import { settings } from "./settings.js";
import { aboutFailure, answer, verdict } from "./verdict.js";

const SUCCESS = { outcome: "success" };
const CANCELLED = { delay: 0, delayNs: 0n, reason: "cancelled" };

/** What a function gives, called again after failures that may be repeated. */
export async function retry(fn, options) {
	const given = settings("retry", options);
	checkFunction(fn);
	// To be awaited takes fewer turns than to be returned.
	return await loop(fn, given);
}

/** A function that is retried whenever it is called. */
export function makeRetriable(fn, options) {
	const given = settings("makeRetriable", options);
	checkFunction(fn);
	return function (...args) {
		const ofCall = (of) => of.apply(this, args);
		return loop(() => ofCall(fn), given, ofCall);
	};
}

function checkFunction(fn) {
	if (typeof fn !== "function") {
		wrongType("fn", "a function", fn);
	}
}

async function loop(fn, given, ofCall) {
	const { budget, clock, history, policy, onRetry, onStop } = given;
	const isAsked = given.shouldRetryResult !== undefined;
	let { signal } = given;
	const begun = clock.now();
	const operation = signal?.aborted
		? undefined
		: new Operation(policy, given.stream(ofCall), { now: begun, deadline: given.deadline(ofCall), budget });
	let attempts = 0;
	/** How the last call ended, if it has: its `value` or its `error`. */
	let ended = {};
	let stop;

	/** The signal; to make one takes long, and few calls ask for it. */
	const someSignal = () => {
		signal ??= new AbortController().signal;
		return signal;
	};
	const until = (step) => (signal ? unlessAborted(signal, step) : step);
	const call = async (context) => {
		try {
			ended = { value: await fn(context) };
		} catch (error) {
			ended = { error: unwrapped(error) };
		}
	};
	const event = ({ delay, delayNs, reason }, outcome, now) =>
		Object.freeze({ attempts, outcome, reason, delay, delayNs, elapsed: now - begun, ...ended });
	const decide = ({ outcome, hint }) => {
		const now = clock.now();
		return event(operation.decide(outcome, { now, hint }), outcome, now);
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
			let told;
			if ("value" in ended && !isAsked) {
				// Also if the signal has aborted by now.
				told = decide(SUCCESS);
			} else {
				signal?.throwIfAborted();
				const answered = await until(answer(ended, given, context));
				signal?.throwIfAborted();
				told = aboutFailure(ended, () => decide(verdict(ended, answered)));
			}
			if (told.reason) {
				stop = told;
			} else {
				await until(onRetry?.(told));
				signal?.throwIfAborted();
				await until(clock.sleep(told.delay, someSignal()));
			}
		}
	} catch (failure) {
		// What else fails while the signal aborts counts more than the abort.
		if (!signal?.aborted || failure !== signal.reason) {
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
	if (onStop) {
		await onStop(stop);
	}
	return result(stop, signal);
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

/** What a step gives, or nothing once the signal aborts; nobody then waits for the step. */
async function unlessAborted(signal, step) {
	let forget;
	try {
		return await new Promise((resolve, reject) => {
			forget = whenAborted(signal, resolve);
			Promise.resolve(step).then(resolve, reject);
			if (signal.aborted) {
				// After a step that has ended.
				Promise.resolve().then(resolve);
			}
		});
	} finally {
		forget();
	}
}
