// The state of a budget and its transitions (SPEC 15.3).

import { QUOTA, RATE, RATIO, THROTTLE, TTL } from "./budget-fields.js";
import { UNITS } from "./messages.js";
import { least, most, scale, termsOf } from "./numbers.js";

const SLICES = 10;

/** The levels of the last slices, each at the number of its slice mod 10. */
const noLevels = () => Array.from({ length: SLICES }, () => 0n);

/**
 * A kind uses some of these transitions. What gives or takes tokens may happen several times at once.
 * `operation.held` is what an operation holds.
 */
export class BudgetAccount {
	constructor(fields) {
		this.fields = fields;
		this.kind = fields.budget;
		[this.n, this.d] = termsOf(fields.ratio ?? 1n);
		/** The level of a full budget. */
		this.full = fullOf(this);
		/** The numbers of SPEC 15.5 without the version. */
		this.numbers = this.kind === TTL ? [0n, ...noLevels()] : this.kind < TTL ? [this.full] : [0n, 0n];
		if (this.kind === RATE) {
			this.numbers.push(0n);
		}
	}

	/** Adds to the level, but not above that of a full budget. */
	give(tokens) {
		this.numbers[0] = least(this.full, this.numbers[0] + tokens);
	}

	/** Takes tokens from the level, if it has them. */
	take(tokens) {
		const isGranted = this.numbers[0] >= tokens;
		this.numbers[0] -= isGranted ? tokens : 0n;
		return isGranted;
	}

	/** The index in `numbers` of the level of a time, after expired levels are emptied. An early time belongs to the latest slice. */
	placeOf(now) {
		const { numbers } = this;
		const slice = now / (this.fields.ttl / BigInt(SLICES));
		if (slice > numbers[0]) {
			for (let passed = 0n; passed < SLICES && slice - passed > numbers[0]; passed++) {
				numbers[1 + Number((slice - passed) % 10n)] = 0n;
			}
			numbers[0] = slice;
		}
		return 1 + Number(numbers[0] % 10n);
	}

	/** What is left at a time, what a full budget has, and the parts of a token (SPEC 15.9). It changes nothing. */
	levelAt(now) {
		const { fields, kind, full, d } = this;
		const [first, second, ...others] = this.numbers;
		switch (kind) {
			case RATE: {
				const filled = first + most(0n, now - second) * fields.max_tokens;
				return [least(full, filled), full, fields.per];
			}
			case TTL: {
				const reserve = (fields.min_per_second * fields.ttl * d) / UNITS.s;
				const slice = most(first, now / (fields.ttl / BigInt(SLICES)));
				const numbers = [second, ...others];
				let left = reserve;
				for (let place = 0n; place < SLICES; place++) {
					// The number of the slice whose level is here.
					const of = first - ((((first - place) % 10n) + 10n) % 10n);
					left += of > slice - 10n ? numbers[Number(place)] : 0n;
				}
				return [most(0n, left), reserve, d];
			}
			case QUOTA:
				return [first, full, 1n];
			case THROTTLE:
				return [first, full, 1000n];
			case RATIO:
				return [first, full, d];
			default: {
				const slots = most(fields.min_concurrent, scale(first, fields.ratio));
				return [most(0n, slots - second), slots, 1n];
			}
		}
	}

	operationBegan(now, times = 1n) {
		if (this.kind === RATIO) {
			this.give(this.n * times);
		} else if (this.kind === TTL) {
			this.numbers[this.placeOf(now)] += this.n * times;
		} else if (this.kind > TTL) {
			this.numbers[0] += times;
		}
	}

	attemptOver(operation) {
		if (this.kind > TTL && operation.held) {
			operation.held = 0n;
			this.numbers[1]--;
		}
	}

	attemptFailed(times = 1n) {
		if (this.kind === THROTTLE) {
			this.numbers[0] = most(0n, this.numbers[0] - 1000n * times);
		}
	}

	/** Whether a retry is granted. */
	retryRequested(operation, outcome, now) {
		const { fields, numbers, d } = this;
		switch (this.kind) {
			case QUOTA: {
				const { cost, cost_throttled: throttled, cost_timeout: timeout } = fields;
				const tokens = { throttled, timeout }[outcome] ?? cost;
				const isGranted = this.take(tokens);
				operation.held = isGranted ? tokens : operation.held;
				return isGranted;
			}
			case THROTTLE:
				return 2n * numbers[0] > this.full;
			case RATIO:
				return this.take(d);
			case RATE: {
				const last = most(numbers[1], now);
				this.give((last - numbers[1]) * fields.max_tokens);
				numbers[1] = last;
				return this.take(fields.per);
			}
			case TTL: {
				const place = this.placeOf(now);
				const reserve = (fields.min_per_second * fields.ttl * d) / UNITS.s;
				const isGranted = numbers.slice(1).reduce((sum, level) => sum + level, reserve) >= d;
				numbers[place] -= isGranted ? d : 0n;
				return isGranted;
			}
			default: {
				const isGranted = numbers[1] < most(fields.min_concurrent, scale(numbers[0], fields.ratio));
				numbers[1] += isGranted ? 1n : 0n;
				operation.held = isGranted ? 1n : operation.held;
				return isGranted;
			}
		}
	}

	operationSucceeded(held, times = 1n) {
		if (this.kind === QUOTA) {
			this.give(times * (held || 1n));
		} else if (this.kind === THROTTLE) {
			this.give(((1000n * this.n) / this.d) * times);
		}
	}

	operationEnded() {
		if (this.kind > TTL) {
			this.numbers[0]--;
		}
	}
}

function fullOf({ kind, fields, d }) {
	const { max_tokens: maxTokens, per } = fields;
	switch (kind) {
		case THROTTLE:
			return 1000n * maxTokens;
		case RATIO:
			return d * maxTokens;
		case RATE:
			return per * maxTokens;
		default:
			return maxTokens;
	}
}
