import { MAX_UINT64 } from "../core/arguments.js";
import { unsigned, writeText } from "./module.js";
import { more } from "./more.js";

// The core refuses a longer value than the bytes hold, also when it is cut.

/** The nanoseconds that fields of one name ask for, or undefined. */
export function retryAfterOf(status, name, values, now) {
	const { written } = writeText(values.map((value) => `${name}:${value}`).join("\n"));
	return optional(more().exports.http_retry_after(status, written, now));
}

/** The nanoseconds that a `Retry-After` asks for, or undefined. */
export function parsedRetryAfter(value, now) {
	const { written } = writeText(value);
	return optional(more().exports.parse_retry_after(written, now));
}

function optional(word) {
	const ns = unsigned(word);
	return ns === MAX_UINT64 ? undefined : ns;
}
