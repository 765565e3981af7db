import { define } from "./core/show.js";
import {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	makeRetriable,
	parseRetryAfter,
	parseRetryAfterNs,
	retry,
} from "./exports.js";

export * from "./exports.js";

// The minifier renames functions; stack traces show these names.
const functions = {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	makeRetriable,
	parseRetryAfter,
	parseRetryAfterNs,
	retry,
};
for (const [name, exported] of Object.entries(functions)) {
	define(exported, "name", name);
}
