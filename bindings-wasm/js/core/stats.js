import { copyIn, copyOut, module, readText, readWords, stateOfWords } from "../wasm/module.js";
import { uint64 } from "./arguments.js";
import { wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { inspectable, TEXT } from "./show.js";

/**
 * Throws unless it gets stats.
 * @type {(name: string, stats: unknown) => asserts stats is RetryStats}
 */
export let checkStats;

/** Counts operations by their attempts and by the reason why they stopped. */
export class RetryStats {
	static name = "RetryStats";

	/** The module's words for these stats; zeros count nothing. */
	#state = stateOfWords(module().exports.stats_words());

	constructor() {
		Object.defineProperties(this, TEXT);
	}

	record(attempts, reason) {
		const [count, number] = [uint64("attempts", attempts), kindNumber(module().reason, reason)];
		RetryStats.#change(this, (exports) => exports.stats_record(count, number));
	}

	merge(other) {
		checkStats("other", other);
		RetryStats.#change(this, ({ stats_merge, stats_words }) => {
			copyIn(other.#state, stats_words());
			stats_merge();
		});
	}

	counts() {
		const { exports, reason } = RetryStats.#load(this);
		exports.stats_counts();
		let position = 0;
		const take = (count) => {
			const words = readWords(position, count).map(Number);
			position += count;
			return words;
		};
		const bucketCount = exports.stats_buckets();
		const [operations, attempts, retries] = take(3);
		const stops = take(reason.kinds.length);
		return {
			operations,
			attempts,
			retries,
			stops: Object.fromEntries(reason.kinds.map((kind, number) => [kind, stops[number]])),
			buckets: take(bucketCount),
			bounds: take(bucketCount - 1),
		};
	}

	prometheus() {
		return readText(RetryStats.#load(this).exports.stats_text());
	}

	toString() {
		return this.prometheus();
	}

	toJSON() {
		return this.counts();
	}

	/** Puts the stats into the module. Static, so that it can refuse a proxy. */
	static #load(stats) {
		checkStats("stats", stats);
		copyIn(stats.#state);
		return module();
	}

	static #change(stats, apply) {
		const { exports } = RetryStats.#load(stats);
		apply(exports);
		copyOut(0, stats.#state);
	}

	static {
		inspectable(RetryStats, (stats) => stats.counts());
		checkStats = (name, stats) => {
			if (!(#state in Object(stats))) {
				wrongType(name, "a RetryStats", stats);
			}
		};
	}
}
