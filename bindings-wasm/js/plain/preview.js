// The possible delays of each index (SPEC 16.1 to 16.4).

import { DECORRELATED, ON_DELAY } from "./fields.js";
import { least, MAX, sat } from "./numbers.js";
import { growthAfter, RESTART, rangeAfter, rangeAt, slotOf } from "./schedule.js";

/** The rows of a preview, no more than `count`: the minimum, the mean and the maximum, and their totals. */
export function previewed(policy, count) {
	const rows = [];
	const next = rowsOf(policy);
	let totals = [0n, 0n, 0n];
	while (rows.length < count && BigInt(rows.length) < policy.max_retries) {
		const row = next();
		totals = totals.map((total, place) => sat(total + row[place]));
		if (totals[0] > policy.max_elapsed) {
			break;
		}
		rows.push([...row, ...totals]);
	}
	return rows;
}

/** A function that returns the minimum, the mean and the maximum of each index, one after the other. */
export function rowsOf(policy) {
	let [index, growth, mean, max] = [0, undefined, undefined, undefined];
	return () => {
		if (policy.jitter !== DECORRELATED) {
			growth = growthAfter(policy, index, growth);
			return rowOf(policy, rangeAt(policy, index++, growth));
		}
		if (index++ % RESTART === 0) {
			mean = max = policy.base;
		}
		const [min, , longest] = rowOf(policy, rangeAfter(policy, max));
		mean = rowOf(policy, rangeAfter(policy, mean))[1];
		max = longest;
		return [min, mean, max];
	};
}

/** The row of a range. */
export function rowOf(policy, [low, high]) {
	const limit = policy.cap_on === ON_DELAY ? policy.cap : MAX;
	const slot = slotOf(policy);
	const q = least(high, limit / slot);
	const sum = (slot * (low + q) * (q - low + 1n)) / 2n + (high - q) * limit;
	const mean = q < low ? limit : sum / (high - low + 1n);
	return [least(limit, slot * low), mean, least(limit, slot * high)];
}
