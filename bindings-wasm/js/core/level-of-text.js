import { wordAt, writeText } from "../wasm/module.js";
import { budgets } from "../wasm/others.js";
import { loadBudget } from "./budget.js";
import { levelOf } from "./level.js";

/** What a state of a budget has left, or the budget itself if the text is empty; undefined if the text is no state. */
export function levelOfText(budget, text, now) {
	loadBudget(budget);
	const { written } = writeText(text);
	return budgets().exports.budget_level(written, now) ? levelOf(wordAt(0), wordAt(1), wordAt(2)) : undefined;
}
