import { levelOf } from "../core/level.js";
import { checkBudget } from "./budget.js";
import { VersionedAccount } from "./states.js";

/** What a state of a budget has left, or the budget itself if the text is empty; undefined if the text is no state. */
export function levelOfText(budget, text, now) {
	const account = checkBudget(budget);
	const read = text === "" ? account : VersionedAccount.read(account.fields, text);
	return read && levelOf(...read.levelAt(now));
}
