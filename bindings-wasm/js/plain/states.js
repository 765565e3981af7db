// The state of a budget as text, and its steps (SPEC 15.5, 15.6).

import { TTL } from "./budget-fields.js";
import { BudgetAccount } from "./budgets.js";
import { least, most, WORD_MAX, word } from "./numbers.js";

export const EVENTS = [
	"operation_began",
	"attempt_over",
	"attempt_failed",
	"retry_requested",
	"operation_succeeded",
	"operation_ended",
];

const LEAST_LEVEL = -0x8000000000000000n;
const MOST_LEVEL = 0x7fffffffffffffffn;

/** An account with a version. */
export class VersionedAccount extends BudgetAccount {
	constructor(fields) {
		super(fields);
		this.version = 0n;
	}

	/** The account of a text; undefined if it is none. */
	static read(fields, text) {
		const account = new VersionedAccount(fields);
		const { full, kind } = account;
		const numbers = readNumbers(text, 1 + account.numbers.length);
		if (!numbers) {
			return undefined;
		}
		const [version, ...rest] = numbers;
		const isValid = rest.every((number, place) =>
			kind === TTL && place ? number >= LEAST_LEVEL && number <= MOST_LEVEL : number >= 0n && number <= WORD_MAX,
		);
		if (!isValid || version < 0n || version > WORD_MAX || (kind < TTL && rest[0] > full)) {
			return undefined;
		}
		account.version = version;
		account.numbers = rest;
		return account;
	}

	get text() {
		return [this.version, ...this.numbers].join(" ");
	}

	copy() {
		const copy = new VersionedAccount(this.fields);
		copy.version = this.version;
		copy.numbers = [...this.numbers];
		return copy;
	}

	/** Whether a retry is granted (undefined if none was requested), and what the operation then holds. */
	step(event, now, { outcome = undefined, held = 0n, times = 1n } = {}) {
		const before = this.numbers;
		this.numbers = [...before];
		const operation = { held: event === "retry_requested" ? 0n : held };
		let granted;
		switch (event) {
			case "operation_began":
				this.operationBegan(now, times);
				break;
			case "attempt_over":
				this.attemptOver(operation);
				break;
			case "attempt_failed":
				this.attemptFailed(times);
				break;
			case "retry_requested":
				granted = this.retryRequested(operation, outcome, now);
				break;
			case "operation_succeeded":
				this.operationSucceeded(held, times);
				break;
			default:
				this.operationEnded();
		}
		this.numbers = this.numbers.map((number, place) =>
			this.kind === TTL && place ? most(LEAST_LEVEL, least(MOST_LEVEL, number)) : most(0n, least(WORD_MAX, number)),
		);
		if (this.numbers.some((number, place) => number !== before[place])) {
			this.version = word(this.version + 1n);
		}
		return { granted, held: granted ? operation.held : 0n };
	}
}

/** This many numbers of a text; undefined if it is of another form. */
export function readNumbers(text, count) {
	const parts = text.split(" ");
	return parts.length === count && parts.every((part) => /^(?:0|-?[1-9]\d*)$/.test(part))
		? parts.map(BigInt)
		: undefined;
}
