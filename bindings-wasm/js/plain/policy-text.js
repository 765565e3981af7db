// Policy strings (SPEC 11).

import { DECORRELATED, EQUAL, EXPONENTIAL, FIELDS, FULL, ON_DELAY, PROPORTIONAL, uses } from "./fields.js";
import { MAX } from "./numbers.js";
import { headsOf, parseText, readPresets } from "./parse.js";
import { PRESETS } from "./presets.js";
import { shownOf } from "./print.js";
import { checkFields } from "./rules.js";

function setBy(key, value, read) {
	if (key === "retry_after_max" && value === "none") {
		return { [key]: MAX };
	}
	if (key === "jitter" && /^\d/.test(value)) {
		const part = read("ratio");
		return { jitter: PROPORTIONAL, jitter_below: part, jitter_above: part };
	}
	return undefined;
}

/** The fields that a key removes of what it changes. */
const alsoRemoved = () => ({
	jitter: Object.keys(FIELDS).filter((name) => name.startsWith("jitter_")),
	max_attempts: ["max_retries"],
});

/** The checked fields of a policy with these as pairs after its string. */
export function changedFields(policy, fields, fail) {
	const kinds = { ...policy, growth: fields.growth ?? policy.growth };
	const gone = Object.keys(fields).flatMap((name) => alsoRemoved()[name] ?? []);
	// What a new growth does not use goes, too: the policy had it for its own.
	const kept = Object.entries(shownOf(policy)).filter(([name]) => uses(kinds, FIELDS[name]) && !gone.includes(name));
	return checkFields({ ...Object.fromEntries(kept), ...fields }, fail);
}

let grammar;

/** The checked fields of a policy string. */
export function parsePolicyText(text) {
	grammar ??= {
		heads: {
			...headsOf(FIELDS.growth),
			full: { growth: EXPONENTIAL, jitter: FULL },
			equal: { growth: EXPONENTIAL, jitter: EQUAL },
			decorrelated: { growth: EXPONENTIAL, jitter: DECORRELATED, cap_on: ON_DELAY },
			...readPresets(PRESETS),
		},
		keys: FIELDS,
		setBy,
		alsoRemoved: alsoRemoved(),
		check: checkFields,
	};
	return parseText(grammar, text);
}
