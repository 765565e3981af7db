// The errors of this package's own checks.

import { defineError } from "./show.js";

/**
 * A refused value or string: the rule that it broke, the field, the value and the limit; for a
 * string, also the place of the error and the text found there.
 */
export const PolicyError = /* @__PURE__ */ defineError(
	"PolicyError",
	class PolicyError extends RangeError {
		constructor(code, field, value, limit, message, at, found) {
			super(message);
			this.code = code;
			this.field = field;
			this.value = value;
			this.limit = limit;
			this.at = at;
			this.found = found;
		}
	},
);

/**
 * Refuses a value that cannot reach the core, in the style of the core. A field is the name of an
 * argument, or an object with its `name` in the SPEC and with the `option` that the message names.
 */
export function refuse(code, field, value, limit, reason) {
	const { name, option } = typeof field === "string" ? { name: field, option: field } : field;
	throw new PolicyError(code, name, value, limit, `${option} ${reason}`);
}

/** Refuses a value of the wrong type. For the field see `refuse`. */
export function wrongType(field, wanted, input, advice = "") {
	const got = typeName(input);
	// An object whose class has the name of the wanted class of this package is of a second copy of it, or a proxy.
	const [, a, own] = /^(an?) ([A-Z]\w*)/.exec(wanted) ?? [];
	// Where a text is right, the type of a wrong one says nothing.
	const text = typeof input === "string" && /"|^a string/.test(wanted) ? JSON.stringify(input) : got;
	const shown = got === own ? `${a} ${got} of another copy of backoff-wasm, or a proxy` : text;
	throw new TypeError(`${typeof field === "string" ? field : field.option} must be ${wanted}, got ${shown}${advice}`);
}

/** The type of a value; of an object its class. */
export function typeName(input) {
	if (typeof input !== "object" || input === null) {
		return input === null ? "null" : typeof input;
	}
	const name = Array.isArray(input) ? "an array" : Object.getPrototypeOf(input)?.constructor?.name;
	return typeof name === "string" && !/^(?:Object)?$/.test(name) ? name : "object";
}
