import { wrongType } from "./error.js";
import { kindOf } from "./field.js";
import { module, readText, WORD_BYTES, wordAt } from "./module.js";
import { word } from "./number.js";

const length = () => WORD_BYTES * module().sizes.history;

/**
 * Refuses what is no history.
 * @type {(name: string, history: unknown) => asserts history is History}
 */
export let checkHistory;

/** How many operations made how many attempts, and why they stopped. */
export class History {
	// The name that a minifier takes.
	static name = "History";

	#words = new Uint8Array(length());

	record(attempts, reason) {
		const [count, number] = [word("attempts", attempts), kindOf(module().reason, reason)];
		this.#change((exports) => exports.history_record(count, number));
	}

	merge(other) {
		checkHistory("other", other);
		this.#change(({ history_merge }, state) => {
			state.set(other.#words, length());
			history_merge();
		});
	}

	counts() {
		const { exports, reason, sizes } = this.#put();
		exports.history_counts();
		let position = 0;
		const next = () => Number(wordAt(position++));
		const [operations, attempts, retries] = [next(), next(), next()];
		return {
			operations,
			attempts,
			retries,
			stopped: Object.fromEntries(reason.kinds.map((kind) => [kind, next()])),
			buckets: Array.from({ length: sizes.buckets }, next),
			bounds: Array.from({ length: sizes.buckets - 1 }, next),
		};
	}

	prometheus() {
		return readText(this.#put().exports.history_text());
	}

	toString() {
		return this.prometheus();
	}

	#put() {
		module().state.set(this.#words);
		return module();
	}

	#change(event) {
		const { exports, state } = this.#put();
		event(exports, state);
		this.#words = state.slice(0, length());
	}

	static {
		checkHistory = (name, history) => {
			if (typeof history !== "object" || history === null || !(#words in history)) {
				wrongType(name, "a History", history);
			}
		};
	}
}
