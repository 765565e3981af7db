// What the caller says of how a call ended (SPEC 18.3).

import { wrongType } from "./error.js";
import { own } from "./options.js";
import { AbortError } from "./retry-error.js";

/** The verdict of the caller, who is asked only of what it wants to be asked of. */
export async function verdict(ended, { shouldRetry, shouldRetryResult }, context) {
	if (!("error" in ended)) {
		return shouldRetryResult
			? read("shouldRetryResult", await shouldRetryResult(ended.value, context), "success")
			: { outcome: "success" };
	}
	if (!shouldRetry || ended.error instanceof AbortError) {
		return { outcome: "permanent" };
	}
	const said = read("shouldRetry", await shouldRetry(ended.error, context), "permanent");
	// There is no value that the caller could get.
	return said.outcome === "success" ? { outcome: "permanent" } : said;
}

/** A verdict as it may be said: `false` is what ends the loop. */
function read(name, answer, end) {
	if (typeof answer === "boolean") {
		return { outcome: answer ? "transient" : end };
	}
	if (typeof answer === "string") {
		return { outcome: answer };
	}
	if (typeof answer !== "object") {
		wrongType(name, "a function that answers with a boolean, an outcome or a verdict", answer);
	}
	return own("a verdict", answer, ["outcome", "hint"]);
}
