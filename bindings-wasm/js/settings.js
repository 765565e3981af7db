// What a loop is made of, checked once.

import { checkBudget } from "./budget.js";
import { clock } from "./clock.js";
import { wrongType } from "./error.js";
import { nanosecondsOf } from "./field.js";
import { checkHistory } from "./history.js";
import { own } from "./options.js";
import { checkPolicy, Policy } from "./policy.js";
import { Stream, stateOf } from "./stream.js";

const STREAMS = ["stream", "seed", "key"];
const PREDICATES = ["shouldRetry", "shouldRetryResult"];
const HOOKS = ["onRetry", "onStop"];
const OTHERS = ["policy", "deadline", "budget", "history", "signal", "clock", "unref"];
const KNOWN = [...PREDICATES, ...HOOKS, ...STREAMS, ...OTHERS];

/**
 * The options of loops with the defaults filled in. `stream` and `deadline` give those of each loop: of
 * `makeRetriable` they may be functions of the call, which is known to what they are given.
 */
export function settings(what, options = {}) {
	const given = own(what, options, KNOWN);
	const hasCalls = what === "makeRetriable";
	const { policy = "default", budget, history, signal, unref = false } = given;
	for (const name of [...PREDICATES, ...HOOKS]) {
		if (given[name] !== undefined && typeof given[name] !== "function") {
			wrongType(name, "a function", given[name]);
		}
	}
	if (PREDICATES.every((name) => given[name] === undefined)) {
		throw new TypeError("shouldRetry is missing: say which failures may be repeated; () => true for all");
	}
	const made = typeof policy === "string" ? Policy.parse(policy) : policy;
	checkPolicy(made);
	if (budget !== undefined) {
		checkBudget(budget);
	}
	if (history !== undefined) {
		checkHistory("history", history);
	}
	if (signal !== undefined && !has(signal, "addEventListener", "removeEventListener", "throwIfAborted")) {
		wrongType("signal", "an AbortSignal", signal);
	}
	if (given.clock !== undefined && !has(given.clock, "now", "sleep")) {
		wrongType("clock", "an object with now() and sleep(delay, signal)", given.clock);
	}
	if (typeof unref !== "boolean") {
		wrongType("unref", "a boolean", unref);
	}
	return {
		...given,
		policy: made,
		stream: streams(given, hasCalls),
		deadline: deadlines(given.deadline, hasCalls),
		clock: given.clock ?? clock(unref),
	};
}

/** Whether it has these methods; not `instanceof`, because it may come from another realm. */
function has(given, ...methods) {
	return methods.every((method) => typeof given?.[method] === "function");
}

/** Gives the stream of a loop: the one that was given, or another for each. */
function streams({ stream, seed, ...given }, hasCalls) {
	if (stream !== undefined) {
		stateOf(stream);
		if (seed !== undefined || "key" in given) {
			throw new TypeError("stream is given beside seed or key");
		}
		return () => stream;
	}
	if (seed === undefined && !("key" in given)) {
		return () => Stream.fromEntropy();
	}
	const { key } = given;
	if (hasCalls && typeof key === "function") {
		new Stream(seed, ""); // refuses the seed at once
		return (ofCall) => new Stream(seed, ofCall(key));
	}
	// A key that is there and undefined is a mistake that would make a crowd.
	const keyed = new Stream(seed, ...("key" in given ? [key] : []));
	return () => keyed;
}

/** Gives the deadline of a loop: the same, unless it is a function of the call. */
function deadlines(deadline, hasCalls) {
	if (hasCalls && typeof deadline === "function") {
		return (ofCall) => ofCall(deadline);
	}
	if (deadline !== undefined) {
		nanosecondsOf("deadline", deadline);
	}
	return () => deadline;
}
