// The default clock of loops.

import { whenAborted } from "./abort.js";

/** `setTimeout` fires at once for a longer time. */
const MAX_TIMEOUT = 2_147_483_647;

/** A timer counts whole milliseconds, so it may fire up to this many ms early. */
const MAX_EARLY = 1;

/** One clock for all loops, so that they can share a budget with operations that use `performance.now()`. */
const now = () => performance.now();
export const DEFAULT_CLOCK = { now, sleep: (delay, signal) => sleep(delay, signal, false) };
export const UNREF_CLOCK = { now, sleep: (delay, signal) => sleep(delay, signal, true) };

/** The clock of real time, with timers that keep Node.js running or not. */
export const realTime = (unref) => (unref ? UNREF_CLOCK : DEFAULT_CLOCK);

/** Whether a clock is one of these. They need no signal that nobody aborts. */
export const isDefault = (clock) => clock === DEFAULT_CLOCK || clock === UNREF_CLOCK;

/** Waits at least `delay` ms, or until the signal, if there is one, aborts. */
function sleep(delay, signal, unref) {
	if (signal?.aborted) {
		return undefined;
	}
	return new Promise((resolve) => {
		let timeout;
		const unregister =
			signal &&
			whenAborted(signal, () => {
				clearTimeout(timeout);
				end();
			});
		const end = () => {
			unregister?.();
			resolve();
		};
		const wait = (left) => {
			const time = Math.min(Math.ceil(left), MAX_TIMEOUT);
			// No clock says that 0 ms have not passed.
			const start = time && performance.now();
			const fire = () => {
				const elapsed = time && performance.now() - start;
				// Only the fake timer of a test fires in less than half the time. It is trusted.
				const rest = left - (time - elapsed > MAX_EARLY && elapsed < time / 2 ? time : elapsed);
				if (rest > 0) {
					wait(rest);
				} else {
					end();
				}
			};
			timeout = setTimeout(fire, time);
			if (unref) {
				timeout.unref?.();
			}
		};
		wait(delay);
	});
}
