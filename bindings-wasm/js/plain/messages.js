// The text of values and the messages of rules (SPEC 8.8, 8.9).

import { ratioOf, termsOf } from "./numbers.js";

export const UNITS = {
	d: 86_400_000_000_000n,
	h: 3_600_000_000_000n,
	m: 60_000_000_000n,
	s: 1_000_000_000n,
	ms: 1_000_000n,
	us: 1000n,
	ns: 1n,
};

/** The text of a field's value. */
export function textOf({ unit, kinds }, value) {
	if (unit === "ratio") {
		return ratioText(value);
	}
	if (unit === "waits" && Array.isArray(value)) {
		return value.map((wait) => textOf({ unit }, wait)).join("/");
	}
	if (unit === "duration" || unit === "waits") {
		const [name, ns] = Object.entries(UNITS).find(([, ns]) => value && value % ns === 0n) ?? ["s", 1n];
		return `${value / ns}${name}`;
	}
	return kinds[Number(value) - 1] ?? `${value}`;
}

function ratioText(value) {
	const [n, d] = termsOf(ratioOf(...termsOf(value)));
	if (d === 0n || 1_000_000n % d) {
		return `${n}/${d}`;
	}
	const millionths = `${n * (1_000_000n / d)}`.padStart(7, "0");
	return `${millionths.slice(0, -6)}.${millionths.slice(-6)}`.replace(/\.?0+$/, "");
}

/**
 * Of rules and of texts: `F` is the field, `V` the value or what was found, `L` the limit, `K` the kinds or what else is
 * known, and `S` what selects the field.
 */
const MESSAGES = {
	unknown_kind: "F V is unknown; the kinds are K",
	missing: "F is missing",
	unused: "F V is not used by S",
	too_large: "F V is above L",
	too_small: "F V is below L",
	too_many: "F has more than L entries",
	zero_denominator: "F V has a zero denominator",
	ratio_too_fine: "F V has a term above 1000000",
	not_exponential: "F V cannot be combined with jitter decorrelated, which needs growth exponential",
	cap_below_base: "F V is below base L",
	offset_above_cap: "F V is above cap L",
	floor_above_cap: "F V is above cap L",
	growth_stalls: "F V is too short to grow by the multiplier; it must be at least L",
	given_twice: "F V is set as well as max_retries L; set one of them",
	does_not_fit: "F cannot be made short enough: the delays take at least V, which is above L",
	text_too_long: "the text is longer than 1024 bytes",
	unknown_head: "unknown name V",
	unknown_key: "unknown key V",
	repeated_key: "key V is repeated",
	missing_value: "F has no value",
	not_a_duration: "F V is not a duration such as 100ms or 1.5s",
	missing_unit: "F has no unit; the units are K",
	unknown_unit: "F has the unknown unit V; the units are K",
	duration_too_fine: "F V is not a whole number of nanoseconds",
	not_a_count: "F V is not a whole number",
	not_a_ratio: "F V is not a ratio such as 2, 1.6, 8/5 or 20%",
};

/** The message of a code. */
export const fillIn = (code, parts) => fill(MESSAGES[code], parts);

const fill = (message, parts) => message.replace(/\b[FVLKS]\b/g, (part) => parts[part]);

/** `name` is what the field is called, and `shown` the text of the value. */
export function messageOf(code, field, value, limit, name = field.name, shown = undefined) {
	const { selector } = field;
	// An error about a wait that is too long has the unit `duration`. The other errors are about the list.
	const shownAs = field.unit === "waits" ? { ...field, unit: "count" } : field;
	const isOfList = code === "unused" && field.unit === "waits";
	return fill(isOfList ? "F is not used by S (growth=steps uses it)" : MESSAGES[code], {
		F: name,
		V: shown ?? textOf(shownAs, value),
		L: textOf(shownAs, limit),
		K: field.kinds.join(", "),
		S: selector && `${selector.name} ${textOf(selector, limit)}`,
	});
}
