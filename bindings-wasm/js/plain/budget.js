import { toNanoseconds } from "../core/duration.js";
import { wrongType } from "../core/errors.js";
import { fromFieldValue } from "../core/field.js";
import { levelOf } from "../core/level.js";
import { optionOf } from "../core/option-name.js";
import { named, TEXT } from "../core/show.js";
import { BUDGET_FIELDS, parseBudgetText, printBudget } from "./budget-fields.js";
import { BudgetAccount } from "./budgets.js";

const accounts = /* @__PURE__ */ new WeakMap();

/** The account of a budget. Throws for anything else. */
export function checkBudget(budget, name = "budget", wanted = "a Budget") {
	return accounts.get(budget) ?? wrongType(name, wanted, budget);
}

/** A limit on retries that many operations share. */
export const Budget = /* @__PURE__ */ named(
	"Budget",
	class Budget {
		constructor(text) {
			accounts.set(this, new BudgetAccount(parseBudgetText(text)));
			Object.defineProperties(this, TEXT);
		}

		static parse(text) {
			return new Budget(text);
		}

		get kind() {
			const { kind } = checkBudget(this);
			return fromFieldValue(BUDGET_FIELDS.budget, kind);
		}

		get params() {
			const { fields } = checkBudget(this);
			const params = Object.entries(fields).slice(1);
			const read = ([name, value]) => [optionOf(name), fromFieldValue(BUDGET_FIELDS[name], value)];
			return Object.freeze(Object.fromEntries(params.map(read)));
		}

		level(now = performance.now()) {
			return levelOf(...checkBudget(this).levelAt(toNanoseconds("now", now)));
		}

		toString() {
			return printBudget(checkBudget(this).fields);
		}

		toJSON() {
			return this.toString();
		}
	},
);
