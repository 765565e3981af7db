// The canonical strings of policies (SPEC 11.8).

import { FIELDS, PROPORTIONAL } from "./fields.js";
import { textOf } from "./messages.js";
import { MAX } from "./numbers.js";
import { defaultOf } from "./rules.js";

/** The fields that are printed, before `jitter_below` and `jitter_above` become one ratio. */
export function shownOf(policy) {
	const { jitter_above: above } = policy;
	const isShown = (name) => {
		const value = policy[name];
		const isDefault = name === "jitter_below" ? value === ZERO && above !== ZERO : value === defaultOf(name, policy);
		return value !== undefined && !isDefault;
	};
	return Object.fromEntries(
		Object.keys(FIELDS)
			.filter(isShown)
			.map((name) => [name, policy[name]]),
	);
}

const ZERO = 1n;

export function printPolicy(policy) {
	const pairs = Object.entries(shownOf(policy)).map(([name, value]) => [name, textOf(FIELDS[name], value)]);
	const texts = new Map(pairs);
	if (policy.retry_after_max === MAX) {
		texts.set("retry_after_max", "none");
	}
	if (policy.jitter === PROPORTIONAL && policy.jitter_below === policy.jitter_above) {
		texts.set("jitter", texts.get("jitter_below"));
		texts.delete("jitter_below");
		texts.delete("jitter_above");
	}
	return joined(texts);
}

/** The first is the head. */
export function joined(texts) {
	const [[, head], ...pairs] = texts;
	return pairs.length ? `${head}:${pairs.map((pair) => pair.join("=")).join(",")}` : head;
}
