// The fields of a policy as options of JavaScript.

import { optionOf } from "../core/option-name.js";
import { FIELDS } from "./fields.js";
import { MAX } from "./numbers.js";
import { DEFAULTS, RANGES } from "./rules.js";

let fields;

/** The fields, each with the name of its option and what stands for no limit. */
export function policyFields() {
	fields ??= Object.values(FIELDS).map((field) => ({
		...field,
		option: optionOf(field.name),
		// A time that is long by default may have no limit.
		noLimit: DEFAULTS[field.name] > 1n << 40n ? MAX : /^max_[ar]/.test(field.name) ? RANGES[field.name][1] : undefined,
	}));
	return fields;
}

/** One of them. */
export const fieldOf = (wanted) => policyFields().find(({ name }) => name === wanted);
