import { checkBudget, putBudget, takeBudget } from "./budget.js";
import { kindOf, nanosecondsOf } from "./field.js";
import { module, WORD_BYTES, wordAt } from "./module.js";
import { MAX_WORD, NS_PER_MS } from "./number.js";
import { own } from "./options.js";
import { checkPolicy, use } from "./policy.js";
import { Stream, stateOf } from "./stream.js";

/** The outcome that is none, the deadline that is none. */
const CANCEL = 0;
const NEVER = MAX_WORD;

/** What is attempted until it succeeds or is given up: it says when to wait and when to stop. */
export class Operation {
	// The name that a minifier takes.
	static name = "Operation";

	#policy;
	#budget;
	#words = new Uint8Array(WORD_BYTES * module().sizes.operation);
	#retries;
	#attempts;
	#reason;

	constructor(policy, stream = Stream.fromEntropy(), options) {
		checkPolicy(policy);
		const state = stateOf(stream);
		const { now, deadline, budget } = own("an operation", options, ["now", "deadline", "budget"]);
		const begun = nanosecondsOf("now", now);
		const end = deadline === undefined ? NEVER : nanosecondsOf("deadline", deadline);
		if (budget !== undefined) {
			checkBudget(budget);
		}
		this.#policy = policy;
		this.#budget = budget;
		this.#ask(({ begin }, hasBudget) => begin(state, begun, end, hasBudget));
	}

	get retries() {
		return this.#retries;
	}

	get attempts() {
		return this.#attempts;
	}

	get reason() {
		return this.#reason;
	}

	decide(outcome, options) {
		const number = kindOf(module().outcome, outcome);
		const { now, hint } = own("a decision", options, ["now", "hint"]);
		const over = nanosecondsOf("now", now);
		const hasHint = hint !== undefined && hint !== null;
		const asked = hasHint ? nanosecondsOf("hint", hint) : 0n;
		const delayNs = this.#ask(({ decide }, hasBudget) => decide(number, over, hasHint, asked, hasBudget));
		return { delay: Number(delayNs) / NS_PER_MS, delayNs, reason: this.#reason };
	}

	cancel() {
		this.#ask(({ decide }, hasBudget) => decide(CANCEL, 0n, false, 0n, hasBudget));
		return this.#reason;
	}

	/** One event, as a whole, and the delay that it is answered with. */
	#ask(event) {
		use(this.#policy);
		const { exports, reason, sizes, state } = module();
		state.set(this.#words);
		if (this.#budget) {
			putBudget(this.#budget);
		}
		event(exports, this.#budget !== undefined);
		this.#words = state.slice(0, this.#words.length);
		if (this.#budget) {
			takeBudget(this.#budget);
		}
		// The answer comes after the words of a budget.
		const answer = sizes.operation + sizes.budget;
		this.#retries = Number(wordAt(answer + 1));
		this.#attempts = Number(wordAt(answer + 2));
		this.#reason = reason.kinds[Number(wordAt(answer + 3)) - 1];
		return wordAt(answer);
	}
}
