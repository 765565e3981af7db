// HTTP: the outcome of a response or of a rejected fetch, and the Retry-After header.

import { module, unsigned, writeText } from "../wasm/module.js";
import { checkIndex, MAX_UINT64 } from "./arguments.js";
import { toMilliseconds, toNanoseconds } from "./duration.js";
import { wrongType } from "./errors.js";

const MAX_STATUS = 2 ** 16 - 1;
const RETRY_AFTER = "retry-after";

/** The outcome of an HTTP status. */
export function httpOutcome(status) {
	const number = module().exports.http_outcome(checkIndex("status", status, MAX_STATUS));
	return module().outcome.kinds[number - 1];
}

/** The messages of the engines for a network failure; `fetch` rejects with a `TypeError` for it. */
const NETWORK = new RegExp(
	[
		"^failed to fetch|^network ?error", // Chrome, Firefox
		"^load failed|^the (?:internet|network) connection", // Safari
		"^fetch failed|^terminated$", // Node.js
		"^error sending request for url", // Deno
		"^ ?a network error occurred", // WebKit
		"^network connection lost", // workerd
		"^network request failed", // React Native and other replacements of fetch
	].join("|"),
	"i",
);

/** The codes of Node.js for a response that did not arrive in time. */
const TIMEOUT = /TIMEDOUT|TIMEOUT/;

/** The outcome of a rejection of `fetch`. */
export function fetchOutcome(error) {
	const { name, message, cause } = Object(error);
	if (name === "TimeoutError") {
		return "timeout";
	}
	if (name !== "TypeError" || !NETWORK.test(message)) {
		return "permanent";
	}
	return TIMEOUT.test(Object(cause).code) ? "timeout" : "transient";
}

/** The wait that a `Retry-After` header asks for, in ms; undefined without a valid header. */
export function parseRetryAfter(from, now) {
	const ns = parseRetryAfterNs(from, now);
	return ns === undefined ? undefined : toMilliseconds(ns);
}

/** The same in ns. */
export function parseRetryAfterNs(from, now = Date.now()) {
	const header = headerOf(from);
	// `headers.get` returns null for a header that is not there.
	if (header === null || header === undefined) {
		return undefined;
	}
	if (typeof header !== "string") {
		wrongType("header", "a string, a response or its headers", header);
	}
	const time = toNanoseconds("now", now);
	// The core refuses a longer header than the bytes hold, also when it is cut.
	const { written } = writeText(header);
	const ns = unsigned(module().exports.parse_retry_after(written, time));
	return ns === MAX_UINT64 ? undefined : ns;
}

/** The header of a response or of its headers. Anything else is taken for the header itself. */
function headerOf(from) {
	if (typeof from !== "object" || from === null || Array.isArray(from)) {
		return from;
	}
	const headers = from.headers ?? from;
	if (typeof headers.get === "function") {
		return headers.get(RETRY_AFTER);
	}
	return headers[Object.keys(headers).find((name) => name.toLowerCase() === RETRY_AFTER)];
}
