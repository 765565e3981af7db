// The time, and waiting until it has come.

import { whenAborted } from "./abort.js";

/** `setTimeout` fires at once for a longer time. */
const LONGEST = 2 ** 31 - 1;

/** A timer fires less than so many ms early, because it counts whole ones. */
const EARLY = 1;

/** The clock of all loops, so that they can share a budget with operations driven by hand. */
export function clock(unref) {
	return { now: () => performance.now(), sleep: (delay, signal) => sleep(delay, signal, unref) };
}

/** Waits so many ms, never less; an abort ends it. */
async function sleep(delay, signal, unref) {
	let left = delay;
	while (!signal.aborted) {
		const wait = Math.min(Math.ceil(left), LONGEST);
		const begun = performance.now();
		await timer(wait, signal, unref);
		const took = performance.now() - begun;
		// One that fires in less than half of the time is no platform's but a test's fake: it is believed.
		left -= wait - took > EARLY && took < wait / 2 ? wait : took;
		if (left <= 0) {
			return;
		}
	}
}

function timer(wait, signal, unref) {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timeout);
			forget();
			resolve();
		};
		const timeout = setTimeout(end, wait);
		const forget = whenAborted(signal, end);
		if (unref) {
			timeout.unref?.();
		}
	});
}
