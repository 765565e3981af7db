// What a predicate may return in place of yes and no (SPEC 18.3).

/** The outcomes of attempts. */
export const OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"];

/** The member of a verdict that names the function of the caller which returned it. All copies of this package share it. */
export const BY = /* @__PURE__ */ Symbol.for("backoff-wasm.by");

/** Marks a `PermanentError`, also for another copy of this package. */
export const MARK = /* @__PURE__ */ Symbol.for("backoff-wasm.PermanentError");

export function isMarked(error) {
	try {
		return Object(error)[MARK] === true;
	} catch {
		// A proxy may throw.
		return false;
	}
}

/** What a predicate returned, as an object: what is falsy means `no`. Its reader checks the members. */
export function toVerdict(name, returned, no = "permanent") {
	const type = typeof returned;
	if (!returned || (type !== "object" && type !== "function" && type !== "symbol")) {
		return { outcome: !returned ? no : type === "string" ? returned : "transient" };
	}
	if (type !== "object" || !("outcome" in returned)) {
		const got = type === "object" ? "an object without an outcome" : `a ${type}`;
		throw new TypeError(`${name} must return true, false, an outcome or { outcome, retryAfter }, got ${got}`);
	}
	return returned;
}
