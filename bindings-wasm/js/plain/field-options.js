// The fields as options of JavaScript.

import { optionOf } from "../core/option-name.js";
import { EVERY_INDEX } from "./fields.js";
import { MAX } from "./numbers.js";

/** What stands for no limit. */
const NO_LIMIT = {
	cap: MAX,
	max_retries: EVERY_INDEX,
	max_attempts: 0x100000001n,
	max_elapsed: MAX,
	retry_after_max: MAX,
	retry_after_max_extra: MAX,
	attempt_timeout: MAX,
	reset_after: MAX,
};

/** The fields, each with the name of its option. */
export function optionsOf(fields) {
	return Object.values(fields).map((field) => ({
		...field,
		option: optionOf(field.name),
		noLimit: NO_LIMIT[field.name],
	}));
}
