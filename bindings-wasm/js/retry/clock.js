// The default clock of loops.

import { whenAborted } from "./abort.js";

/** `setTimeout` fires at once for a longer time. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** A timer counts whole milliseconds, so it may fire up to this many ms early. */
const MAX_EARLY = 1;

/** One clock for all loops, so that they can share a budget with operations that use `performance.now()`. */
export function defaultClock(unref) {
	return { now: () => performance.now(), sleep: (delay, signal) => sleep(delay, signal, unref) };
}

/** Waits at least `delay` ms, or until the signal aborts. */
async function sleep(delay, signal, unref) {
	let left = delay;
	while (!signal.aborted) {
		const wait = Math.min(Math.ceil(left), MAX_TIMEOUT);
		const start = performance.now();
		await timer(wait, signal, unref);
		const elapsed = performance.now() - start;
		// Only the fake timer of a test fires in less than half the time. It is trusted.
		left -= wait - elapsed > MAX_EARLY && elapsed < wait / 2 ? wait : elapsed;
		if (left <= 0) {
			return;
		}
	}
}

function timer(wait, signal, unref) {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timeout);
			unregister();
			resolve();
		};
		const timeout = setTimeout(end, wait);
		const unregister = whenAborted(signal, end);
		if (unref) {
			timeout.unref?.();
		}
	});
}
