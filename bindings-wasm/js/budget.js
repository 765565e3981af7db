import { wrongType } from "./error.js";
import { ofLine } from "./line.js";
import { module, readText, WORD_BYTES } from "./module.js";

/** Where a budget's words are among the module's: after those of an operation. */
const first = () => WORD_BYTES * module().sizes.operation;

/**
 * Refuses what is no budget.
 * @type {(budget: unknown) => asserts budget is Budget}
 */
export let checkBudget;

/**
 * Puts a budget into the module's words.
 * @type {(budget: Budget) => void}
 */
export let putBudget;

/**
 * Takes what became of it from there.
 * @type {(budget: Budget) => void}
 */
export let takeBudget;

/** Bounds the retries of many operations together, which share it. */
export class Budget {
	// The name that a minifier takes.
	static name = "Budget";

	#words;

	constructor(line) {
		ofLine("budget_of_line", line);
		takeBudget(this);
	}

	static parse(line) {
		return new Budget(line);
	}

	toString() {
		putBudget(this);
		return readText(module().exports.budget_line());
	}

	toJSON() {
		return this.toString();
	}

	static {
		checkBudget = (budget) => {
			if (typeof budget !== "object" || budget === null || !(#words in budget)) {
				wrongType("budget", "a Budget", budget);
			}
		};
		putBudget = (budget) => module().state.set(budget.#words, first());
		takeBudget = (budget) => {
			const { sizes, state } = module();
			budget.#words = state.slice(first(), first() + WORD_BYTES * sizes.budget);
		};
	}
}
