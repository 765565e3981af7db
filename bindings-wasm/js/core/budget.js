import { copyIn, copyOut, module, readText, stateOfWords, unsigned } from "../wasm/module.js";
import { parseText } from "./core-errors.js";
import { wrongType } from "./errors.js";
import { fromFieldValue } from "./field.js";
import { inspectable, TEXT } from "./show.js";

/**
 * Throws unless it gets a budget.
 * @type {(budget: unknown) => asserts budget is Budget}
 */
export let checkBudget;

/**
 * Puts a budget's state into the module.
 * @type {(budget: Budget) => void}
 */
export let loadBudget;

/**
 * Takes the budget's new state from the module.
 * @type {(budget: Budget) => void}
 */
export let saveBudget;

/** A limit on retries that many operations share. */
export class Budget {
	static name = "Budget";

	/** The module's words for this budget. */
	#state;

	constructor(text) {
		parseText("budget_parse", text);
		saveBudget(this);
		Object.defineProperties(this, TEXT);
	}

	static parse(text) {
		return new Budget(text);
	}

	get kind() {
		loadBudget(this);
		return read(module().budgetFields[0]);
	}

	get params() {
		loadBudget(this);
		const { exports, budgetFields } = module();
		const used = budgetFields.slice(1).filter(({ number }) => exports.budget_has(number));
		return Object.freeze(Object.fromEntries(used.map((field) => [field.option, read(field)])));
	}

	toString() {
		loadBudget(this);
		return readText(module().exports.budget_text());
	}

	toJSON() {
		return this.toString();
	}

	static {
		inspectable(Budget);
		checkBudget = (budget, name = "budget", wanted = "a Budget") => {
			if (!(#state in Object(budget))) {
				wrongType(name, wanted, budget);
			}
		};
		loadBudget = (budget) => {
			checkBudget(budget);
			copyIn(budget.#state, module().exports.budget_offset());
		};
		saveBudget = (budget) => {
			const { exports } = module();
			budget.#state = copyOut(exports.budget_offset(), budget.#state ?? stateOfWords(exports.budget_words()));
		};
	}
}

/** The value of a field of the budget in the module. */
function read(field) {
	return fromFieldValue(field, unsigned(module().exports.budget_get(field.number)));
}
