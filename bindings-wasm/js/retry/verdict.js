// Classifying how a call ended, with the caller's predicates (SPEC 18.3).

import { pickOptions } from "../core/arguments.js";
import { typeName } from "../core/errors.js";
import { readOutcome, readRetryAfter } from "../core/operation.js";
import { ifStarted } from "../wasm/module.js";
import { isPermanent } from "./errors.js";

/** The predicate's return value, which may be a promise. */
export function askPredicate(ended, { shouldRetry, shouldRetryResult }, context, loop) {
	if ("value" in ended) {
		return shouldRetryResult(ended.value, context);
	}
	return shouldRetry && !isPermanent(ended.error, loop) ? shouldRetry(ended.error, context) : "permanent";
}

/** The verdict that a predicate's return value stands for; `false` ends the loop. */
export function readVerdict(ended, returned) {
	const [name, end] = "value" in ended ? ["shouldRetryResult", "success"] : ["shouldRetry", "permanent"];
	const { outcome, retryAfter } = read(name, returned, end);
	// The operation checks them again, but its errors do not name the predicate. Only the core knows the outcomes.
	ifStarted(() => readOutcome(outcome, `${name}: `));
	readRetryAfter(retryAfter, `${name}: `);
	// A failed call has no value to return, so it cannot be a success.
	return { outcome: outcome === "success" ? end : outcome, retryAfter };
}

function read(name, returned, end) {
	if (typeof returned === "boolean") {
		return { outcome: returned ? "transient" : end, retryAfter: undefined };
	}
	if (typeof returned === "string") {
		return { outcome: returned, retryAfter: undefined };
	}
	if (typeof returned !== "object" || returned === null || Array.isArray(returned)) {
		const wanted = "it must return a boolean, an outcome or a verdict";
		throw new TypeError(`${name} returned ${typeName(returned)}: ${wanted}`);
	}
	return pickOptions(`a verdict of ${name}`, returned, ["outcome", "retryAfter"]);
}
