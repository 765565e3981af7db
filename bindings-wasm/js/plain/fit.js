// Policies fitted into a time (SPEC 16.5).

import { DECORRELATED, FIELDS, uses } from "./fields.js";
import { MAX, most, sat } from "./numbers.js";
import { rowOf, rowsOf } from "./preview.js";
import { shownOf } from "./print.js";
import { checkFields, checkValue, leastBase } from "./rules.js";
import { RESTART, rangeAt } from "./schedule.js";

/** The fields of the policy with the largest base or cap with which this many attempts fit into a time. */
export function fitted(policy, name, attempts, time, fail) {
	checkValue(FIELDS.max_attempts, attempts, [1n, 65_536n], fail);
	checkValue(FIELDS.max_elapsed, time, [0n, MAX], fail);
	const { base = 0n, cap, floor, offset = 0n, throttled_base: throttled = 0n } = policy;
	let [low, high] = name === "base" ? [leastBase(policy), cap] : [[base, offset, floor, throttled].reduce(most), MAX];
	if (!uses(policy, FIELDS[name])) {
		fail("unused", FIELDS[name], 0n, policy.growth);
	}
	const refuse = (total) => fail("does_not_fit", FIELDS[name], sat(total), time);
	if (low > high) {
		refuse(MAX);
	}
	const shown = shownOf(policy);
	const candidate = (value) => checkFields({ ...shown, [name]: value }, fail);
	const totalWith = (value, limit) => total(candidate(value), Number(attempts) - 1, limit);
	const smallest = totalWith(low, MAX);
	if (smallest > time) {
		refuse(smallest);
	}
	while (low < high) {
		const middle = (low + high + 1n) / 2n;
		if (totalWith(middle, time) <= time) {
			low = middle;
		} else {
			high = middle - 1n;
		}
	}
	return candidate(low);
}

/** The sum of the longest delays of this many waits, or any number above the limit if it is above. */
function total(policy, waits, limit) {
	if (policy.jitter !== DECORRELATED) {
		return rising(policy, waits, limit);
	}
	const cycles = Math.floor(waits / RESTART);
	return BigInt(cycles) * rising(policy, cycles && RESTART, limit) + rising(policy, waits % RESTART, limit);
}

/** The same of waits that never get shorter. */
function rising(policy, waits, limit) {
	const next = rowsOf(policy);
	// After a wait as long as the last one, or after one that repeats in a chain, all are alike.
	let end = waits && policy.jitter !== DECORRELATED ? rowOf(policy, rangeAt(policy, waits - 1))[2] : undefined;
	// Only the first steps may get shorter.
	const falling = policy.waits?.length ?? 0;
	let sum = 0n;
	for (let i = 0; i < waits && sum <= limit; i++) {
		const [, , longest] = next();
		if (longest === end && i >= falling - 1) {
			return sum + BigInt(waits - i) * longest;
		}
		sum += longest;
		end = policy.jitter === DECORRELATED ? longest : end;
	}
	return sum;
}
