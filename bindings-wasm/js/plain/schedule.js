// The window and the delay of an index (SPEC 5.2 to 7).

import {
	ADDITIVE,
	DECORRELATED,
	EQUAL,
	EXPONENTIAL,
	FIBONACCI,
	FULL,
	LINEAR,
	ON_DELAY,
	POLYNOMIAL,
	PROPORTIONAL,
	SLOTTED,
	STEPS,
} from "./fields.js";
import { draw, least, MAX, most, sample, sat, scale } from "./numbers.js";

/** A chain of decorrelated delays begins again at each multiple of this. */
export const RESTART = 4096;

/** The growth of an index. */
function growthOf({ growth, base, increment, multiplier, power, origin, waits }, index) {
	const i = BigInt(index);
	switch (growth) {
		case LINEAR:
			return sat(base + sat(increment * i));
		case EXPONENTIAL: {
			let [reached, longer] = [undefined, base];
			// It stays as it is once it does not grow.
			for (let left = index; left > 0 && longer !== reached; left--) {
				reached = longer;
				longer = scale(reached, multiplier);
			}
			return longer;
		}
		case POLYNOMIAL:
			return sat(base * sat((i + origin) ** power));
		case FIBONACCI: {
			let [f, after] = [1n, 1n];
			for (let left = index; left > 0 && f <= MAX; left--) {
				[f, after] = [after, f + after];
			}
			return sat(base * f);
		}
		case STEPS:
			return waits[Math.min(index, waits.length - 1)];
		default:
			return base;
	}
}

/** The growth of the index after one whose growth is known, or of the first index. */
export function growthAfter(policy, index, before) {
	const isKnown = before !== undefined && policy.growth === EXPONENTIAL;
	return isKnown ? scale(before, policy.multiplier) : growthOf(policy, index);
}

export function windowOf(policy, index, growth = growthOf(policy, index)) {
	const { cap, cap_on: capOn, offset = 0n } = policy;
	const window = sat(offset + growth);
	return capOn === ON_DELAY ? window : least(cap, window);
}

/** The delay of an index. Its growth and the delay before it are passed if they are known. */
export function delayOf(policy, stream, index, growth = undefined, previous = undefined) {
	if (policy.jitter !== DECORRELATED) {
		const [low, high] = rangeAt(policy, index, growth);
		const sampled = low === high ? low : sample(draw(stream, index), low, high);
		return capped(policy, sat(slotOf(policy) * sampled));
	}
	const start = index - (index % RESTART);
	const isKnown = previous !== undefined && index > start;
	let delay = isKnown ? previous : policy.base;
	for (let i = isKnown ? index : start; i <= index; i++) {
		delay = capped(policy, sample(draw(stream, i), ...rangeAfter(policy, delay)));
	}
	return delay;
}

/** A function that returns the delays of an index and of those after it, one at a time. */
export function delaysOf(policy, stream, first) {
	let [index, growth, delay] = [first, undefined, undefined];
	return () => {
		growth = growthAfter(policy, index, growth);
		delay = delayOf(policy, stream, index++, growth, delay);
		return delay;
	};
}

/** The unit of the sampled value: a slot, or 1 ns. */
export const slotOf = ({ jitter_slot: slot = 1n }) => slot;

/** What the delay of an index is drawn from: the lowest and the highest value. */
export function rangeAt(policy, index, growth) {
	const { jitter, floor } = policy;
	const w = windowOf(policy, index, growth);
	switch (jitter) {
		case FULL:
			return aboveFloor(policy, 0n, w);
		case EQUAL:
			return aboveFloor(policy, w - w / 2n, w);
		case PROPORTIONAL: {
			const [below, above] = [scale(w, policy.jitter_below), scale(w, policy.jitter_above)];
			return aboveFloor(policy, w - below, sat(w + above));
		}
		case ADDITIVE: {
			const width = sat(policy.jitter_max + sat(policy.jitter_increment * BigInt(index)));
			return aboveFloor(policy, w, sat(w + width));
		}
		case SLOTTED: {
			const slot = slotOf(policy);
			const low = (floor + slot - 1n) / slot;
			return [low, most(low, most(w / slot, 1n) - 1n)];
		}
		default:
			return aboveFloor(policy, w, w);
	}
}

/** The same of a decorrelated delay that follows another one. */
export function rangeAfter(policy, previous) {
	const { base, cap, cap_on: capOn, multiplier } = policy;
	const to = scale(previous, multiplier);
	return aboveFloor(policy, base, capOn === ON_DELAY ? to : least(cap, to));
}

function aboveFloor({ floor }, from, to) {
	const low = most(from, floor);
	return [low, most(to, low)];
}

function capped({ cap, cap_on: capOn }, delay) {
	return capOn === ON_DELAY ? least(cap, delay) : delay;
}
