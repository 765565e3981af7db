import { module, readText, roundedWordAt, wordAt, writeText } from "../wasm/module.js";
import { budgets } from "../wasm/others.js";
import { pickOptions, uint64 } from "./arguments.js";
import { loadBudget } from "./budget.js";
import { refuse, wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { withJSON } from "./show.js";

const NOTHING = 0;
/** Not a call, which a bundler could not leave out. */
const OPTIONS = { outcome: undefined, held: undefined };
const MAX_SHOWN = 60;

/** The state of a budget as a value, for a store that compares and swaps (SPEC 15.5, 15.6). */
export class BudgetState {
	static name = "BudgetState";

	#budget;

	/** A full state if there is no text. */
	constructor(budget, text) {
		if (text !== undefined && typeof text !== "string") {
			wrongType("text", "a string", text);
		}
		const length = change(budget, text, NOTHING, NOTHING, 0n, 0n);
		if (length === 0 || text === "") {
			const shown = JSON.stringify(text.slice(0, MAX_SHOWN));
			refuse("not_a_state", "text", 0n, 0n, `${shown} is not a state of the budget ${budget}`);
		}
		this.#budget = budget;
		const canonical = readText(length);
		const version = BigInt(canonical.split(" ", 1)[0]);
		Object.defineProperties(this, { text: own(canonical), version: own(version) });
	}

	static full(budget) {
		return new BudgetState(budget);
	}

	static parse(budget, text) {
		if (typeof text !== "string") {
			wrongType("text", "a string", text);
		}
		return new BudgetState(budget, text);
	}

	step(event, nowNs, options = {}) {
		if (!(#budget in this)) {
			wrongType("this", "a BudgetState", this);
		}
		const { outcome, held = 0n } = pickOptions("a step", options, OPTIONS);
		const { event: events, outcome: outcomes } = module();
		const number = kindNumber(events, event);
		const isRequest = event === "retry_requested";
		if (!isRequest && outcome !== undefined) {
			throw new TypeError(`outcome belongs to the event retry_requested, not to ${event}`);
		}
		const ofOutcome = isRequest ? kindNumber(outcomes, outcome) : NOTHING;
		const [heldBefore, now] = [uint64("held", held), uint64("nowNs", nowNs)];
		const length = change(this.#budget, this.text, number, ofOutcome, heldBefore, now);
		const text = readText(length);
		const granted = roundedWordAt(0) === 1;
		const heldAfter = wordAt(1);
		const state = text === this.text ? this : new BudgetState(this.#budget, text);
		return withJSON({ state, granted, held: heldAfter });
	}

	toString() {
		return this.text;
	}

	toJSON() {
		return this.text;
	}
}

const own = (value) => ({ __proto__: null, value, enumerable: true });

/** Makes a step from a text, or from a full state; the new text is in the bytes. Its length is 0 for a text of no state. */
function change(budget, text, event, outcome, held, now) {
	loadBudget(budget);
	const { written } = writeText(text ?? "");
	return budgets().exports.budget_step(written, event, outcome, held, now);
}
