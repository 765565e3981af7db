// Helpers for the tests of loops: a clock that does not wait, and functions that fail.

import assert from "node:assert/strict";
import { Budget, Operation, Policy, RandomStream, RetryStats, retry } from "./installed.mjs";

export const busy = new Error("busy");
export const always = () => true;
/** A loop that waits for the first delays of `full` of tests/vectors/jitters.json: 11.399434, 83.043876, 229.309811 ms. */
export const job = { seed: 42, key: "job-1", shouldRetry: always };

/** A function that throws this. */
export const throwing = (thrown) => () => {
	throw thrown;
};

/** A clock whose time passes only while a loop waits, or when a test advances it. */
export class FakeClock {
	time = 0;
	waits = [];

	constructor(more) {
		Object.assign(this, more);
	}

	now() {
		return this.time;
	}

	sleep(delay) {
		this.waits.push(delay);
		this.time += delay;
	}
}

/** A function that plays a script: it throws an `Error` and returns anything else. The last entry repeats. */
export function script(...ends) {
	const play = async (context) => {
		play.contexts.push(context);
		const end = ends[Math.min(play.contexts.length, ends.length) - 1];
		if (end instanceof Error) {
			throw end;
		}
		return end;
	};
	play.contexts = [];
	return play;
}

/** How a promise ended: its value or its error. */
export async function endOf(promise) {
	try {
		return { value: await promise };
	} catch (error) {
		return { error };
	}
}

/** Hooks that record their events in order. */
export function notes() {
	const events = [];
	const note = (hook) => (event) => {
		events.push([hook, event]);
	};
	return { events, onRetry: note("retry"), onStop: note("stop") };
}

/** Runs a loop with a fake clock, recording hooks and stats, and returns its end, events and waits. */
export async function run(fn, options) {
	const clock = new FakeClock();
	const stats = new RetryStats();
	const { events, ...hooks } = notes();
	const end = await endOf(retry(fn, { clock, stats, ...hooks, ...options }));
	const { operations, attempts, stops } = stats.counts();
	assert.equal(operations, 1);
	assert.equal(events.filter(([hook]) => hook === "stop").length, 1);
	assert.equal(events.at(-1)[0], "stop");
	const stop = events.at(-1)[1];
	assert.equal(stops[stop.reason], 1);
	assert.equal(attempts, Math.max(stop.attempts, 1));
	return { ...end, events, stop, waits: clock.waits };
}

/** How a loop ends that starts with `busy`, on a clock that does not wait. */
export const quickly = (options, fn = script(busy)) => endOf(retry(fn, { ...job, clock: new FakeClock(), ...options }));

/**
 * A budget for one loop, and a check that the loop released it. The budget grants one retry for every
 * two active operations, so the loop can retry only while its companion operation is active.
 */
export function sharedBudget() {
	const budget = Budget.parse("concurrent:ratio=0.5,min_concurrent=0");
	const begin = () => new Operation(Policy.parse("constant:base=1ms"), new RandomStream(1), { now: 0, budget });
	const companion = begin();
	const isGranted = (operation) => operation.decide("transient", { now: 0 }).reason === undefined;
	const isIdle = () => {
		companion.cancel();
		const alone = isGranted(begin());
		const [first, second] = [begin(), begin()];
		const granted = [alone, isGranted(first), isGranted(second)];
		first.cancel();
		return granted.join() === "false,true,false";
	};
	return { budget, isIdle };
}
