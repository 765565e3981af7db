// Which policies are valid (SPEC 8.2 to 8.5).

import { DECORRELATED, EVERY_INDEX, EXPONENTIAL, FIELDS, uses } from "./fields.js";
import { MAX, most, ratioOf, termsOf } from "./numbers.js";

export const RANGES = {
	power: [1n, 16n],
	origin: [0n, 0xffff_ffffn],
	jitter_slot: [1n, MAX],
	attempt_timeout: [1n, MAX],
	reset_after: [1n, MAX],
	max_retries: [0n, EVERY_INDEX],
	max_attempts: [1n, 0x1_0000_0001n],
};

const ONE = 0x100000001n;
const ZERO = 1n;
const MAX_TERM = 1_000_000n;

const HOUR = 3_600_000_000_000n;

/** Those that depend on nothing; the others are in `defaultOf`. */
export const DEFAULTS = {
	power: 2n,
	origin: 1n,
	offset: 0n,
	cap: MAX,
	cap_on: 1n,
	floor: 0n,
	jitter: 1n,
	jitter_above: ZERO,
	jitter_increment: 0n,
	max_retries: EVERY_INDEX,
	max_elapsed: MAX,
	retry_after: 1n,
	retry_after_max: HOUR,
	retry_after_max_extra: MAX,
	attempt_timeout: MAX,
	reset_after: MAX,
	elapsed_from: 1n,
};

/** The value of a field that is not set; undefined if that is an error. */
export function defaultOf(name, fields) {
	switch (name) {
		case "increment":
		case "throttled_base":
			return fields.base;
		case "multiplier":
			return fields.jitter === DECORRELATED ? 0x300000001n : 0x200000001n;
		case "jitter_below":
			return fields.jitter_above === undefined ? undefined : ZERO;
		default:
			return DEFAULTS[name];
	}
}

/** The fields of a policy with their defaults. The first rule that is broken goes to `fail`, which throws. */
export function checkFields(fields, fail) {
	const policy = {};
	for (const name of ["growth", "jitter", "cap_on", "retry_after", "elapsed_from"]) {
		const kind = fields[name] ?? DEFAULTS[name];
		const count = BigInt(FIELDS[name].kinds.length);
		if (kind === undefined) {
			fail("missing", FIELDS[name]);
		}
		if (kind < 1n) {
			fail("unknown_kind", FIELDS[name], kind, count);
		}
		policy[name] = kind;
	}
	if (policy.jitter === DECORRELATED && policy.growth !== EXPONENTIAL) {
		fail("not_exponential", FIELDS.growth, policy.growth, EXPONENTIAL);
	}
	for (const field of Object.values(FIELDS)) {
		const { name, unit, selector } = field;
		const value = fields[name];
		if (!uses(policy, field)) {
			if (value !== undefined) {
				fail("unused", field, unit === "waits" ? BigInt(value.length) : value, policy[selector.name]);
			}
		} else if (value !== undefined) {
			if (name === "max_attempts") {
				if (fields.max_retries !== undefined) {
					fail("given_twice", field, value, fields.max_retries);
				}
				policy.max_retries = checkValue(field, value, RANGES[name], fail) - 1n;
			} else {
				policy[name] = checkValue(field, value, RANGES[name], fail);
			}
		} else if (name !== "max_attempts") {
			policy[name] = defaultOf(name, { ...fields, ...policy }) ?? fail("missing", field);
		}
	}
	checkRelations(policy, fail);
	return policy;
}

function checkRelations(policy, fail) {
	const { base, offset, cap, floor, throttled_base: throttled } = policy;
	const m = leastBase(policy);
	for (const [isBroken, code, name, limit] of [
		[cap < base, "cap_below_base", "cap", base],
		[offset > cap, "offset_above_cap", "offset", cap],
		[floor > cap, "floor_above_cap", "floor", cap],
		[base && base < m, "growth_stalls", "base", m],
		[throttled > cap, "too_large", "throttled_base", cap],
		[throttled && throttled < m, "growth_stalls", "throttled_base", m],
	]) {
		if (isBroken) {
			fail(code, FIELDS[name], policy[name], limit);
		}
	}
}

/** The least base that grows (SPEC 8.5, rule 4). */
export function leastBase({ growth, multiplier }) {
	if (growth !== EXPONENTIAL) {
		return 1n;
	}
	const [n, d] = termsOf(multiplier);
	return n > d ? (d - 1n) / (n - d) + 1n : 1n;
}

const MAX_WAITS = 16;

function checkWaits(field, waits, fail) {
	if (waits.length === 0) {
		fail("missing", field);
	}
	if (waits.length > MAX_WAITS) {
		fail("too_many", field, BigInt(MAX_WAITS + 1), BigInt(MAX_WAITS));
	}
	return waits.map((wait) => checkValue({ ...field, unit: "duration" }, wait, undefined, fail));
}

/** Checks a value by the rules 4 to 7 of SPEC 8.4; returns it, a ratio in lowest terms. */
export function checkValue(field, value, [low, high] = [0n, MAX], fail) {
	if (field.unit === "waits") {
		return checkWaits(field, value, fail);
	}
	if (field.unit !== "ratio") {
		if (value > high) {
			fail("too_large", field, value, high);
		}
		if (value < low) {
			fail("too_small", field, value, low);
		}
		return value;
	}
	const ratio = ratioOf(...termsOf(value));
	const [n, d] = termsOf(ratio);
	if (d === 0n) {
		fail("zero_denominator", field, value, 1n);
	}
	if (most(n, d) > MAX_TERM) {
		fail("ratio_too_fine", field, value, MAX_TERM);
	}
	if (field.name !== "multiplier") {
		if (n > d) {
			fail("too_large", field, value, ONE);
		}
	} else if (n < d || (d < n && n * 100n < d * 101n)) {
		fail("too_small", field, value, n < d ? ONE : 0x6500000064n);
	}
	return ratio;
}
