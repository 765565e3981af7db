// The fields of policies and budgets (SPEC 5.1, 15.1).

/**
 * The fields by name. A line is a name and a unit, and for a kind its names, for another field the kind that selects
 * it and the numbers of the kinds that use it; without these every policy does.
 */
export function readTable(table) {
	const fields = {};
	for (const line of table.split("\n")) {
		const [name, unit, ...rest] = line.split(" ");
		const isKind = unit === "kind";
		fields[name] = {
			name,
			unit,
			kinds: isKind ? rest : [],
			selector: isKind ? undefined : rest[0],
			users: isKind ? [] : rest.slice(1).map(BigInt),
		};
	}
	for (const field of Object.values(fields)) {
		field.selector = fields[field.selector];
	}
	return fields;
}

/** Every index. */
export const EVERY_INDEX = 0x1_0000_0000n;

export const FIELDS = /* @__PURE__ */ readTable(`growth kind constant linear exponential polynomial fibonacci steps
base duration growth 1 2 3 4 5
increment duration growth 2
multiplier ratio growth 3
power count growth 4
origin count growth 4
offset duration jitter 1 2 3 4 5 7
cap duration
cap_on kind window delay
floor duration
jitter kind none full equal proportional additive decorrelated slotted
jitter_below ratio jitter 4
jitter_above ratio jitter 4
jitter_max duration jitter 5
jitter_increment duration jitter 5
jitter_slot duration jitter 7
max_retries count
max_attempts count
max_elapsed duration
throttled_base duration growth 1 2 3 4 5
retry_after kind at_least exact spread
retry_after_max duration
retry_after_max_extra duration
waits waits growth 6
attempt_timeout duration
reset_after duration
elapsed_from kind begin failure`);

/** Whether a policy or a budget of these kinds uses a field. */
export const uses = (values, { selector, users }) => !selector || users.includes(values[selector.name]);

// The numbers of the kinds whose formulas differ.
export const LINEAR = 2n;
export const EXPONENTIAL = 3n;
export const POLYNOMIAL = 4n;
export const FIBONACCI = 5n;
export const STEPS = 6n;
export const NO_JITTER = 1n;
export const FULL = 2n;
export const EQUAL = 3n;
export const PROPORTIONAL = 4n;
export const ADDITIVE = 5n;
export const DECORRELATED = 6n;
export const SLOTTED = 7n;
export const ON_DELAY = 2n;
export const EXACT = 2n;
export const SPREAD = 3n;
export const FROM_FAILURE = 2n;
