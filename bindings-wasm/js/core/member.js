// What a process knows of a shared budget: the state machine of SPEC 15.7, which is the core's.

import { copy, module, readText, roundedWordAt, unsigned, wordAt, writeText } from "../wasm/module.js";
import { members } from "../wasm/others.js";
import { MAX_UINT64 } from "./arguments.js";
import { checkBudget, loadBudget } from "./budget.js";
import { kindNumber } from "./field.js";

/** The words of a step of an exchange. */
const STEP_WORDS = 5;
/** The outcomes after which a retry may be requested, in the order of the answers. */
const RETRIED = ["transient", "throttled", "timeout"];

const [AWAY, UNSENT] = [1, 2];
const [WAITS, , GRANTED] = [0, 1, 2];

const optional = (ns) => (ns === MAX_UINT64 ? undefined : ns);

export class BudgetMember {
	static name = "BudgetMember";

	#state;

	/** `budget` is the shared one, `local` decides while the store is away; the timeout and all times are in ns. */
	constructor(budget, local, lease, fallback, timeout, seed) {
		const { exports, place } = members();
		checkBudget(budget);
		// To read a text is to load its budget.
		const { text } = checkBudget(local) && local;
		loadBudget(budget);
		const { written } = writeText(text);
		exports.member_begin(written, lease, fallback, timeout, seed);
		this.#state = copy(place);
	}

	#change(apply) {
		const { event, outcome } = module();
		const { exports, place } = members();
		copy(this.#state, place);
		const result = apply(exports, event, outcome);
		copy(place, this.#state);
		return result;
	}

	note(event, held, isLocal, now) {
		this.#change((exports, events) => exports.member_note(kindNumber(events, event), held, isLocal, now));
	}

	/** The answer, undefined if the request waits. */
	request(outcome, now) {
		return this.#change((exports, _, outcomes) => {
			const answer = exports.member_request(kindNumber(outcomes, outcome), now);
			const answered = () => ({ granted: answer === GRANTED, held: wordAt(0), isLocal: wordAt(1) === 1n });
			return answer === WAITS ? undefined : answered();
		});
	}

	cancel(outcome) {
		this.#change((exports, _, outcomes) => exports.member_cancel(kindNumber(outcomes, outcome)));
	}

	#is(bit, now) {
		return this.#change((exports) => (exports.member_state(now) & bit) !== 0);
	}

	isAway(now) {
		return this.#is(AWAY, now);
	}

	/** In how many ns an exchange is to begin; undefined for none. */
	dueIn(now) {
		return optional(this.#change((exports) => unsigned(exports.member_due_in(now))));
	}

	hasUnsent() {
		return this.#is(UNSENT, 0n);
	}

	/** How many ns a request may wait now. */
	timeout() {
		return this.#change((exports) => unsigned(exports.member_timeout()));
	}

	/** What has happened so far, for metrics. */
	stats() {
		return this.#change((exports) => {
			exports.member_stats();
			return Object.freeze({
				exchanges: roundedWordAt(0),
				failedExchanges: roundedWordAt(1),
				lostSwaps: roundedWordAt(2),
				localDecisions: roundedWordAt(3),
				processes: roundedWordAt(4),
			});
		});
	}

	begin(now) {
		this.#change((exports) => exports.member_exchange(now));
	}

	/** The text after the steps of a text (null for none) and the steps; undefined if the text is no state. */
	step(text, now) {
		return this.#change((exports, events, outcomes) => {
			const { read, written } = writeText(text ?? "");
			// A text too long for the bytes is none either.
			const length = read < (text ?? "").length ? 0 : exports.member_step(written, text !== null, now);
			if (length === 0) {
				return undefined;
			}
			const steps = Array.from({ length: roundedWordAt(1) }, (_, number) => {
				const [event, outcome, held, count, granted] = Array.from({ length: STEP_WORDS }, (_, place) =>
					wordAt(2 + STEP_WORDS * number + place),
				);
				const isRequest = outcome > 0n;
				return {
					event: events.kinds[Number(event) - 1],
					outcome: isRequest ? outcomes.kinds[Number(outcome) - 1] : null,
					held,
					count: Number(count),
					granted: isRequest ? Number(granted) : null,
				};
			});
			return { after: readText(length), isChanged: wordAt(0) === 1n, steps };
		});
	}

	/** For each outcome that is retried, how many of the oldest requests are granted and refused, and what one gives. */
	stored(now) {
		return this.#change((exports) => {
			exports.member_stored(now);
			return RETRIED.map((outcome, number) => ({
				outcome,
				granted: roundedWordAt(3 * number),
				refused: roundedWordAt(3 * number + 1),
				held: wordAt(3 * number + 2),
			}));
		});
	}

	/** The wait in ns; undefined if the exchange has failed. */
	lost(now) {
		return optional(this.#change((exports) => unsigned(exports.member_lost(now))));
	}

	failed(mayBeStored, now) {
		this.#change((exports) => exports.member_failed(mayBeStored, now));
	}

	late(now) {
		this.#change((exports) => exports.member_late(now));
	}
}
