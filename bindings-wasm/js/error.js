/**
 * A value or a line that was refused: which rule it broke, the field, the value and the limit;
 * of a line, where, and what was found there.
 */
export class PolicyError extends RangeError {
	// The name that a minifier takes.
	static name = "PolicyError";

	constructor(code, field, value, limit, message, at, found) {
		super(message);
		this.code = code;
		this.field = field;
		this.value = value;
		this.limit = limit;
		this.at = at;
		this.found = found;
	}

	get name() {
		return PolicyError.name;
	}
}

/** Refuses what cannot reach the core, in the style of the core. */
export function refuse(code, field, value, limit, reason) {
	throw new PolicyError(code, field, value, limit, `${field} ${reason}`);
}

export function wrongType(field, wanted, given) {
	throw new TypeError(`${field} must be ${wanted}, got ${typeName(given)}`);
}

export function typeName(given) {
	return given === null ? "null" : Array.isArray(given) ? "an array" : typeof given;
}
