import * as exported from "./exports.js";
import { define } from "./core/show.js";

export * from "./exports.js";

// The minifier renames functions; stack traces show these names.
const functions = [
	"fetchOutcome",
	"httpOutcome",
	"httpVerdict",
	"isIdempotentMethod",
	"makeRetriable",
	"parseRetryAfter",
	"parseRetryAfterNs",
	"retry",
];
for (const name of functions) {
	define(exported[name], "name", name);
}
