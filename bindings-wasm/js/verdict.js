// What the caller says of how a call ended (SPEC 18.3).

import { typeName } from "./error.js";
import { own } from "./options.js";
import { isMarked } from "./retry-error.js";

/** What the caller answers, who is asked only of what it wants to be asked of; maybe a promise. */
export function answer(ended, { shouldRetry, shouldRetryResult }, context) {
	if ("value" in ended) {
		return shouldRetryResult(ended.value, context);
	}
	return shouldRetry && !isMarked(ended.error) ? shouldRetry(ended.error, context) : "permanent";
}

/** The verdict that an answer is: `false` is what ends the loop. */
export function verdict(ended, answered) {
	const [name, end] = "value" in ended ? ["shouldRetryResult", "success"] : ["shouldRetry", "permanent"];
	const { outcome, hint } = read(name, answered, end);
	// Of a failure there is no value that the caller could get.
	return { outcome: outcome === "success" ? end : outcome, hint };
}

function read(name, answered, end) {
	if (typeof answered === "boolean") {
		return { outcome: answered ? "transient" : end };
	}
	if (typeof answered === "string") {
		return { outcome: answered };
	}
	if (typeof answered !== "object" || answered === null) {
		const wanted = "it must answer with a boolean, an outcome or a verdict";
		throw new TypeError(`${name} answered ${typeName(answered)}: ${wanted}`);
	}
	return own("a verdict", answered, ["outcome", "hint"]);
}

/** Does what may refuse an answer: the failure that was asked about is the refusal's cause. */
export function aboutFailure(ended, act) {
	try {
		return act();
	} catch (refusal) {
		if ("error" in ended && Object.isExtensible(refusal)) {
			refusal.cause ??= ended.error;
		}
		throw refusal;
	}
}
