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
		"^failed to fetch\\b(?! dynamically)|^network ?error", // Chrome, Firefox
		"^load failed|^the (?:internet|network) connection", // Safari
		"^fetch failed|^terminated$", // Node.js
		"^error (?:sending request|reading a body|decoding response)|^request or response body error", // Deno
		"^ ?a network error occurred", // WebKit
		"^network request failed", // React Native and other replacements of fetch
	].join("|"),
	"i",
);

/** The message of workerd, where the error is a plain `Error`. */
const WORKERD = /^network connection lost/i;

/** In the message of Deno, or of the cause in Node.js: the same request fails again. */
const LASTING = /invalid peer certificate|corrupt message|unknown scheme|bad port|are blocked|redirect/;

/** The codes of Node.js, undici and axios, and those of Bun, for failures of the network. */
const NETWORK_CODE = new RegExp(
	"^E(?:CONN(?:RESET|REFUSED|ABORTED)|PIPE|NOTFOUND|AI_AGAIN|(?:HOST|NET)(?:UNREACH|DOWN)|NETRESET)$" +
		"|^ERR_NETWORK$|^HPE_INVALID_EOF_STATE$|^UND_ERR_(?:SOCKET|CLOSED|DESTROYED|RES_CONTENT_LENGTH_MISMATCH)$" +
		"|^Connection(?:Refused|Closed|Reset)$|^FailedToOpenSocket$",
);

/** The codes for a response that did not arrive in time. */
const TIMEOUT_CODE = /TIMEDOUT|TIMEOUT|^Timeout$/;

/** Causes may form a cycle. */
const MAX_CAUSES = 5;

/** The outcome of a rejection of `fetch`. */
export function fetchOutcome(error) {
	const [name, message, cause] = ["name", "message", "cause"].map((part) => read(error, part));
	if (name === "TimeoutError") {
		return "timeout";
	}
	const code = codeOf(error);
	if (code !== undefined) {
		return TIMEOUT_CODE.test(code) ? "timeout" : NETWORK_CODE.test(code) ? "transient" : "permanent";
	}
	const isNetwork = WORKERD.test(message) || (name === "TypeError" && NETWORK.test(message));
	return isNetwork && !LASTING.test(read(cause, "message") ?? message) ? "transient" : "permanent";
}

/** The code of an error or of its nearest cause that has one. The code of a `DOMException` is a number. */
function codeOf(error) {
	for (let depth = 0, current = error; depth < MAX_CAUSES; depth++) {
		const code = read(current, "code");
		if (typeof code === "string") {
			return code;
		}
		current = read(current, "cause");
	}
	return undefined;
}

/** A property of an error or of a response, which a class may define, but not `Object.prototype`. */
function read(object, name) {
	const value = Object(object)[name];
	return value === Object.prototype[name] ? undefined : value;
}

/** The wait that a `Retry-After` header asks for, in ms; undefined without a valid header. */
export function parseRetryAfter(from, now) {
	const ns = parseRetryAfterNs(from, now);
	return ns === undefined ? undefined : toMilliseconds(ns);
}

/** The same in ns. */
export function parseRetryAfterNs(from, now = Date.now()) {
	const found = headerOf(from);
	const first = Array.isArray(found) ? found[0] : found;
	// Some clients have numbers in their headers.
	const header = typeof first === "number" ? `${first}` : first;
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
	const headers = read(from, "headers") ?? from;
	if (typeof read(headers, "get") === "function") {
		return headers.get(RETRY_AFTER);
	}
	return read(
		headers,
		Object.keys(headers).find((name) => name.toLowerCase() === RETRY_AFTER),
	);
}
