import { copy, module, readText, roundedWordAt, wordAt } from "../wasm/module.js";
import { budgets } from "../wasm/others.js";
import { parseText } from "./core-errors.js";
import { toNanoseconds } from "./duration.js";
import { wrongType } from "./errors.js";
import { fromFieldValue } from "./field.js";
import { levelOf } from "./level.js";
import { named, TEXT } from "./show.js";

/** The module's bytes of each budget, and how it takes an event. */
const accounts = /* @__PURE__ */ new WeakMap();

/** The account of a budget. Throws for anything else. */
export function checkBudget(budget, name = "budget", wanted = "a Budget") {
	return accounts.get(budget) ?? wrongType(name, wanted, budget);
}

/** Makes a budget the module's current one. */
export function loadBudget(budget) {
	const { state } = checkBudget(budget);
	copy(state, budgets().place);
}

/** A limit on retries that many operations share. */
export const Budget = /* @__PURE__ */ named(
	"Budget",
	class Budget {
		constructor(text) {
			parseText((length) => budgets().exports.budget_parse(length), text);
			accounts.set(this, { state: copy(budgets().place), report });
			Object.defineProperties(this, TEXT);
		}

		static parse(text) {
			return new Budget(text);
		}

		get kind() {
			const [{ field, value }] = read(this);
			return fromFieldValue(field, value);
		}

		get params() {
			const params = read(this)
				.slice(1)
				.filter(({ isUsed }) => isUsed);
			return Object.freeze(
				Object.fromEntries(params.map(({ field, value }) => [field.option, fromFieldValue(field, value)])),
			);
		}

		level(now = performance.now()) {
			loadBudget(this);
			budgets().exports.budget_level(0, toNanoseconds("now", now));
			return levelOf(wordAt(0), wordAt(1), wordAt(2));
		}

		toString() {
			loadBudget(this);
			return readText(budgets().exports.budget_text());
		}

		toJSON() {
			return this.toString();
		}
	},
);

/** The fields of budgets with their values, and whether the kind of this one uses them. */
function read(budget) {
	loadBudget(budget);
	budgets().exports.budget_params();
	return module().budgetFields.map((field, position) => ({
		field,
		isUsed: roundedWordAt(2 * position) === 1,
		value: wordAt(2 * position + 1),
	}));
}

/** Reports an event to the budget of an account; returns what a retry that it grants gives, and otherwise undefined. */
function report(event, outcome, held, now) {
	const { exports, place } = budgets();
	copy(this.state, place);
	exports.budget_report(event, outcome, held, now);
	copy(place, this.state);
	return roundedWordAt(0) === 1 ? wordAt(1) : undefined;
}
