import { copyOptions, pickOptions, uint64 } from "../core/arguments.js";
import { wrongType } from "../core/errors.js";
import { kindNumber } from "../core/field.js";
import { named, TEXT } from "../core/show.js";
import { least, WORD_MAX } from "./numbers.js";

const BOUNDS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50];
const REASONS = ["success", "permanent", "max_retries", "max_elapsed", "deadline", "budget", "cancelled"];

/** Not a call, which a bundler could not leave out. */
const PROMETHEUS = { prefix: undefined, labels: undefined };

const counts = /* @__PURE__ */ new WeakMap();

const plus = (x, y) => least(x + y, WORD_MAX);
const sumOf = (numbers) => numbers.reduce(plus, 0n);

/** The counts of stats. Throws for anything else. */
export function checkStats(name, stats) {
	return counts.get(stats) ?? wrongType(name, "a RetryStats", stats);
}

/** The text of lines with this prefix and these labels (SPEC 17.3). */
function labelled(lines, prefix, labels) {
	if (!/^[A-Za-z_:][A-Za-z0-9_:]*$/.test(prefix)) {
		throw new RangeError(`prefix ${JSON.stringify(prefix)} cannot begin the name of a metric`);
	}
	const given = labels.map(([name, value]) => {
		if (!/^(?!__|(?:le|reason)$)[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
			throw new RangeError(`labels cannot have the name ${JSON.stringify(name)}`);
		}
		if (typeof value !== "string") {
			wrongType(`label ${name}`, "a string", value);
		}
		return `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
	});
	return lines.reduce((text, line) => {
		const [, head, name, own, count] = /^(# \w+ )?backoff(\w+)(?:\{(.*)\})?(.*)$/.exec(line);
		const all = head ? [] : [...given, ...(own ? [own] : [])];
		return `${text}${head ?? ""}${prefix}${name}${all.length ? `{${all}}` : ""}${count}\n`;
	}, "");
}

/** Counts operations by their attempts and by the reason why they stopped (SPEC 17). */
export const RetryStats = /* @__PURE__ */ named(
	"RetryStats",
	class RetryStats {
		constructor() {
			const zeros = (length) => Array.from({ length }, () => 0n);
			counts.set(this, { buckets: zeros(BOUNDS.length + 1), retries: 0n, stops: zeros(REASONS.length) });
			Object.defineProperties(this, TEXT);
		}

		record(attempts, reason) {
			const count = uint64("attempts", attempts);
			const number = kindNumber({ name: "reason", option: "reason", kinds: REASONS }, reason);
			const stats = checkStats("stats", this);
			const bucket = BOUNDS.filter((bound) => count > bound).length;
			stats.buckets[bucket] = plus(stats.buckets[bucket], 1n);
			stats.retries = plus(stats.retries, (count || 1n) - 1n);
			stats.stops[number - 1] = plus(stats.stops[number - 1], 1n);
		}

		merge(other) {
			const { buckets, retries, stops } = checkStats("other", other);
			const stats = checkStats("stats", this);
			stats.buckets = stats.buckets.map((count, bucket) => plus(count, buckets[bucket]));
			stats.retries = plus(stats.retries, retries);
			stats.stops = stats.stops.map((count, reason) => plus(count, stops[reason]));
		}

		counts() {
			const { buckets, retries, stops } = checkStats("stats", this);
			const operations = sumOf(buckets);
			return {
				operations: Number(operations),
				attempts: Number(plus(operations, retries)),
				retries: Number(retries),
				stops: Object.fromEntries(REASONS.map((reason, number) => [reason, Number(stops[number])])),
				buckets: buckets.map(Number),
				bounds: [...BOUNDS],
			};
		}

		prometheus(options = {}) {
			const { prefix = "backoff", labels } = pickOptions("prometheus", options, PROMETHEUS);
			const { buckets, retries, stops } = checkStats("stats", this);
			const operations = sumOf(buckets);
			const lines = [
				"# HELP backoff_attempts Attempts of an operation.",
				"# TYPE backoff_attempts histogram",
				...[...BOUNDS, "+Inf"].map(
					(bound, bucket) => `backoff_attempts_bucket{le="${bound}"} ${sumOf(buckets.slice(0, bucket + 1))}`,
				),
				`backoff_attempts_sum ${plus(operations, retries)}`,
				`backoff_attempts_count ${operations}`,
				"# HELP backoff_retries_total Retries of all operations.",
				"# TYPE backoff_retries_total counter",
				`backoff_retries_total ${retries}`,
				"# HELP backoff_stops_total Operations by the reason for which they stopped.",
				"# TYPE backoff_stops_total counter",
				...REASONS.map((reason, number) => `backoff_stops_total{reason="${reason}"} ${stops[number]}`),
			];
			return labelled(lines, prefix, Object.entries(copyOptions("labels", labels)));
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
