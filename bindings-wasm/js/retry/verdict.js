// Classifying how a call ended, with the caller's predicates (SPEC 18.3).

import { noOptions, pickOptions } from "../core/arguments.js";
import { typeName } from "../core/errors.js";
import { readOutcome, readRetryAfter } from "../core/operation.js";
import { ifStarted } from "../wasm/module.js";

const VERDICT = noOptions("outcome", "retryAfter");

/** The verdict that a predicate's return value stands for; `false` ends the loop. The Retry-After is in nanoseconds. */
export function readVerdict(name, returned) {
	const end = name === "shouldRetry" ? "permanent" : "success";
	if (typeof returned === "boolean") {
		return { outcome: returned ? "transient" : end, retryAfter: undefined };
	}
	const { outcome, retryAfter } = read(name, returned);
	// Only the core knows the outcomes.
	ifStarted(() => readOutcome(outcome, `${name}: `));
	// A failed call has no value to return, so it cannot be a success.
	return { outcome: outcome === "success" ? end : outcome, retryAfter: readRetryAfter(retryAfter, `${name}: `) };
}

function read(name, returned) {
	if (typeof returned === "string") {
		return { outcome: returned, retryAfter: undefined };
	}
	if (typeof returned !== "object" || returned === null || Array.isArray(returned)) {
		const wanted = "it must return a boolean, an outcome or a verdict";
		throw new TypeError(`${name} returned ${typeName(returned)}: ${wanted}`);
	}
	return pickOptions(`a verdict of ${name}`, returned, VERDICT);
}
