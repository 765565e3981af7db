import { copy, module, readText, readWords } from "../wasm/module.js";
import { more } from "../wasm/more.js";
import { uint64 } from "./arguments.js";
import { wrongType } from "./errors.js";
import { kindNumber } from "./field.js";
import { named, TEXT } from "./show.js";

/** The module's bytes of each RetryStats; zeros count nothing. */
const states = /* @__PURE__ */ new WeakMap();

/** The bytes of stats. Throws for anything else. */
export function checkStats(name, stats) {
	return states.get(stats) ?? wrongType(name, "a RetryStats", stats);
}

/** Counts operations by their attempts and by the reason why they stopped. */
export const RetryStats = /* @__PURE__ */ named(
	"RetryStats",
	class RetryStats {
		constructor() {
			states.set(this, new Uint32Array(more().stats.length));
			Object.defineProperties(this, TEXT);
		}

		record(attempts, reason) {
			const [count, number] = [uint64("attempts", attempts), kindNumber(module().reason, reason)];
			change(this, (exports) => exports.stats_record(count, number));
		}

		merge(other) {
			copy(checkStats("other", other), more().added);
			change(this, (exports) => exports.stats_merge());
		}

		counts() {
			const exports = load(this);
			const { reason } = module();
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
			return readText(load(this).stats_text());
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

/** Makes stats the module's current ones. */
function load(stats) {
	copy(checkStats("stats", stats), more().stats);
	return more().exports;
}

function change(stats, apply) {
	apply(load(stats));
	copy(more().stats, checkStats("stats", stats));
}
