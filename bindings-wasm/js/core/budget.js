import { copyIn, copyOut, module, readText, stateOfWords, unsigned } from "../wasm/module.js";
import { parseText } from "./core-errors.js";
import { wrongType } from "./errors.js";
import { fromFieldValue } from "./field.js";
import { named, TEXT } from "./show.js";

/** The module's words for each budget. */
const states = /* @__PURE__ */ new WeakMap();

/** The state of a budget. Throws for anything else. */
export function checkBudget(budget, name = "budget", wanted = "a Budget") {
	return states.get(budget) ?? wrongType(name, wanted, budget);
}

/** Puts a budget's state into the module. */
export function loadBudget(budget) {
	copyIn(checkBudget(budget), module().exports.budget_offset());
}

/** Takes the budget's new state from the module. */
export function saveBudget(budget) {
	copyOut(module().exports.budget_offset(), checkBudget(budget));
}

/** A limit on retries that many operations share. */
export const Budget = /* @__PURE__ */ named(
	"Budget",
	class Budget {
		constructor(text) {
			parseText("budget_parse", text);
			states.set(this, stateOfWords(module().exports.budget_words()));
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
	},
);

/** The value of a field of the budget in the module. */
function read(field) {
	return fromFieldValue(field, unsigned(module().exports.budget_get(field.number)));
}
