// What a predicate may return in place of yes and no (SPEC 18.3).

/** The outcomes of attempts. */
export const OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"];

/** The member of a verdict that names the function of the caller which returned it. All copies of this package share it. */
export const BY = Symbol.for("backoff-wasm.by");

/** Whether a value that is not falsy says more than yes. A text that is no outcome is an error, which its reader reports. */
export function isVerdict(returned) {
	return typeof returned === "object" ? "outcome" in returned : typeof returned === "string";
}
