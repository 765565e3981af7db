// What the tests of loops share: a clock that does not wait, and functions that fail.

import assert from "node:assert/strict";
import { Budget, History, Operation, Policy, retry, Stream } from "./installed.mjs";

/** A clock whose time passes only while a loop waits, or when a test says so. */
export class FakeClock {
	time = 0;
	waits = [];

	now() {
		return this.time;
	}

	sleep(delay) {
		this.waits.push(delay);
		this.time += delay;
	}
}

/** A function that plays its script: an `Error` is thrown, anything else is given; the last again. */
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

/** How a promise ended: its value, or what it was rejected with. */
export async function endOf(promise) {
	try {
		return { value: await promise };
	} catch (error) {
		return { error };
	}
}

/** Hooks that note what they are told, and in what order. */
export function notes() {
	const events = [];
	const note = (hook) => (event) => {
		events.push([hook, event]);
	};
	return { events, onRetry: note("retry"), onStop: note("stop") };
}

/** A loop with a fake clock, hooks that note, and a history: what came of it all. */
export async function run(fn, options) {
	const clock = new FakeClock();
	const history = new History();
	const { events, ...hooks } = notes();
	const end = await endOf(retry(fn, { clock, history, ...hooks, ...options }));
	const { operations, attempts, stopped } = history.counts();
	assert.equal(operations, 1);
	assert.equal(events.filter(([hook]) => hook === "stop").length, 1);
	assert.equal(events.at(-1)[0], "stop");
	const stop = events.at(-1)[1];
	assert.equal(stopped[stop.reason], 1);
	assert.equal(attempts, Math.max(stop.attempts, 1));
	return { ...end, events, stop, waits: clock.waits };
}

/**
 * A budget on which a loop may retry as long as its companion is there, and a way to tell that both
 * have gone: it grants every second operation that is active a retry, and nobody else.
 */
export function sharedBudget() {
	const budget = Budget.parse("concurrent:ratio=0.5,min_concurrent=0");
	const begin = () => new Operation(Policy.parse("constant:base=1ms"), new Stream(1), { now: 0, budget });
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
