import { copyIn, copyOut, module, readText, readWords, stateOfWords } from "../wasm/module.js";
import { uint64 } from "./arguments.js";
import { wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { named, TEXT } from "./show.js";

/** The module's words for each RetryStats; zeros count nothing. */
const states = /* @__PURE__ */ new WeakMap();

/** The words of stats. Throws for anything else. */
export function checkStats(name, stats) {
	return states.get(stats) ?? wrongType(name, "a RetryStats", stats);
}

/** Counts operations by their attempts and by the reason why they stopped. */
export const RetryStats = /* @__PURE__ */ named(
	"RetryStats",
	class RetryStats {
		constructor() {
			states.set(this, stateOfWords(module().exports.stats_words()));
			Object.defineProperties(this, TEXT);
		}

		record(attempts, reason) {
			const [count, number] = [uint64("attempts", attempts), kindNumber(module().reason, reason)];
			change(this, (exports) => exports.stats_record(count, number));
		}

		merge(other) {
			const words = checkStats("other", other);
			change(this, ({ stats_merge, stats_words }) => {
				copyIn(words, stats_words());
				stats_merge();
			});
		}

		counts() {
			const { exports, reason } = load(this);
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
			return readText(load(this).exports.stats_text());
		}

		toString() {
			return this.prometheus();
		}

		toJSON() {
			return this.counts();
		}
	},
	(stats) => stats.counts(),
);

/** Puts the stats into the module. */
function load(stats) {
	copyIn(checkStats("stats", stats));
	return module();
}

function change(stats, apply) {
	const { exports } = load(stats);
	apply(exports);
	copyOut(0, checkStats("stats", stats));
}
