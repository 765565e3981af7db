import { pickOptions, uint64 } from "../core/arguments.js";
import { refuse, wrongType } from "../core/errors.js";
import { kindNumber } from "../core/field.js";
import { define, withJSON } from "../core/show.js";
import { checkBudget } from "./budget.js";
import { readOutcome } from "./operation.js";
import { EVENTS, VersionedAccount } from "./states.js";

const OPTIONS = { outcome: undefined, held: undefined };
const MAX_SHOWN = 60;

/** By a state, its budget and its account. */
const states = /* @__PURE__ */ new WeakMap();

/** The state of a budget as a value, for a store that compares and swaps (SPEC 15.5, 15.6). */
export const BudgetState = /* @__PURE__ */ define(
	class BudgetState {
		/** A full state if there is no text. */
		constructor(budget, text) {
			if (text !== undefined && typeof text !== "string") {
				wrongType("text", "a string", text);
			}
			const { fields } = checkBudget(budget);
			const account = text === undefined ? new VersionedAccount(fields) : VersionedAccount.read(fields, text);
			if (!account) {
				const shown = JSON.stringify(text.slice(0, MAX_SHOWN));
				refuse("not_a_state", "text", 0n, 0n, `${shown} is not a state of the budget ${budget}`);
			}
			begin(this, budget, account);
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
			const { outcome, held = 0n } = pickOptions("a step", options, OPTIONS);
			kindNumber({ name: "event", option: "event", kinds: EVENTS }, event);
			const isRequest = event === "retry_requested";
			if (!isRequest && outcome !== undefined) {
				throw new TypeError(`outcome belongs to the event retry_requested, not to ${event}`);
			}
			if (isRequest) {
				readOutcome(outcome);
			}
			const [heldBefore, now] = [uint64("held", held), uint64("nowNs", nowNs)];
			const { budget, account } = states.get(this) ?? wrongType("this", "a BudgetState", this);
			const next = account.copy();
			const { granted = false, held: heldAfter } = next.step(event, now, { outcome, held: heldBefore });
			const state = next.text === this.text ? this : begin(Object.create(BudgetState.prototype), budget, next);
			return withJSON({ state, granted, held: heldAfter });
		}

		toString() {
			return this.text;
		}

		toJSON() {
			return this.text;
		}
	},
	"name",
	"BudgetState",
);

function begin(state, budget, account) {
	states.set(state, { budget, account });
	return Object.defineProperties(state, { text: own(account.text), version: own(account.version) });
}

const own = (value) => ({ __proto__: null, value, enumerable: true });
