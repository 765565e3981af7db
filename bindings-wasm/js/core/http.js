// HTTP: the outcome of a response or of a rejected fetch, and the Retry-After header.

import { parsedRetryAfter, retryAfterOf } from "../plain/retry-after.js";
import { checkIndex } from "./arguments.js";
import { toMilliseconds, toNanoseconds } from "./duration.js";
import { wrongType } from "./errors.js";

const MAX_STATUS = 65_535;
const RETRY_AFTER = "retry-after";
const RATE_LIMIT = "ratelimit";
/** The fields of a response that ask for a wait, in the order in which they count (SPEC 14.5). */
const FIELDS = ["retry-after-ms", RETRY_AFTER, RATE_LIMIT, "ratelimit-reset", "x-ratelimit-reset"];
/** Values with a control character ask for nothing. A line feed would begin another field. */
const VALUE = /^[\t -~\u0080-\uffff]+$/;

/** Pairs of a status and the outcome from there on: the text of the core's own table, which build.mjs puts here. */
const OUTCOMES = /* @__PURE__ */ JSON.parse(HTTP_OUTCOMES);

/** The outcome of an HTTP status. */
export function httpOutcome(status) {
	checkIndex("status", status, MAX_STATUS);
	return outcomeOf(status);
}

const outcomeOf = (status) => OUTCOMES.find(([first]) => first <= status)[1];

/** The statuses of proxies and of overloaded services, which are in no standard (SPEC 14.8). */
export const proxyStatuses = /* @__PURE__ */ Object.freeze({
	520: "transient",
	521: "transient",
	522: "timeout",
	523: "transient",
	524: "timeout",
	529: "throttled",
});

/** The idempotent methods among those of RFC 9110: what the core says of each, which build.mjs puts here. */
const METHODS = /* @__PURE__ */ JSON.parse(IDEMPOTENT_METHODS);

/** Whether a request with this method may be repeated without asking anyone. */
export function isIdempotentMethod(method) {
	if (typeof method !== "string") {
		wrongType("method", "a string", method);
	}
	return METHODS.includes(method);
}

/** The verdict on a response: the outcome of its status, and the wait that its headers ask for. */
export function httpVerdict(response, now = Date.now()) {
	const outcome = httpOutcome(Object(response).status);
	// One at a time, in the order of the rules.
	for (const name of FIELDS) {
		const found = headerOf(response, name);
		// All lines of this field count, and of every other field the first one.
		const values = name === RATE_LIMIT ? [found].flat() : [firstOf(found)];
		const lines = values.filter((value) => typeof value === "string" && VALUE.test(value));
		if (lines.length > 0) {
			// As a predicate it gets a context.
			const time = toNanoseconds("now", Object(now) === now && "attempt" in now ? Date.now() : now);
			const ns = retryAfterOf(response.status, name, lines, time);
			if (ns !== undefined) {
				return { outcome, retryAfter: toMilliseconds(ns) };
			}
		}
	}
	return { outcome };
}

/** The messages of the engines for a network failure; `fetch` rejects with a `TypeError` for it. */
const NETWORK = /* @__PURE__ */ new RegExp(
	"^failed to fetch\\b(?! dynamically)|^network ?error" + // Chrome, Firefox
		"|^load failed|^the (?:internet|network) connection" + // Safari
		"|^fetch failed|^terminated$" + // Node.js
		"|^error (?:sending request|reading a body|decoding response)|^request or response body error" + // Deno
		"|^ ?a network error occurred" + // WebKit
		"|^network request failed", // React Native and other replacements of fetch
	"i",
);

/** The message of workerd, where the error is a plain `Error`. */
const WORKERD = /^network connection lost/i;

/** In the message of Deno, or of the cause in Node.js: the same request fails again. */
const LASTING = /invalid peer certificate|corrupt message|unknown scheme|bad port|are blocked|redirect/;

/**
 * A code, a space and the message: failures of the network in Node.js, undici, node-fetch and Bun; last, codes
 * that need the message: axios for a body that was cut off, and undici for a connection of HTTP/2 that ends.
 */
const NETWORK_CODE = /* @__PURE__ */ new RegExp(
	"^(?:E(?:CONN(?:RESET|REFUSED|ABORTED)|PIPE|NOTFOUND|SERVFAIL|AI_(?:AGAIN|FAIL)|(?:HOST|NET)(?:UNREACH|DOWN)|NETRESET)" +
		"|HPE_(?!HEADER_OVERFLOW )\\w+|UND_ERR_(?:SOCKET|RES_CONTENT_LENGTH_MISMATCH)" +
		"|ERR_(?:NETWORK|STREAM_PREMATURE_CLOSE|HTTP2_(?:GOAWAY_SESSION|(?:SESSION_|STREAM_)?ERROR))" +
		"|Connection(?:Refused|Closed|Reset)|FailedToOpenSocket" +
		"|ERR_BAD_RESPONSE stream has been aborted|UND_ERR_INFO HTTP/2: .GOAWAY.) ",
);

/** The same for a response that did not arrive in time. Those of axios and superagent have a code of the network. */
const TIMEOUT_CODE = /^\S*TIMED?OUT|^Timeout |^ECONNABORTED [tT]imeout/;

/** A proxy refuses a tunnel to the host: the text of undici, and that of agents of Node.js 24, with its status. */
const REFUSED_TUNNEL = /^(?:UND_ERR_ABORTED Proxy response \(|ERR_PROXY_TUNNEL .* HTTP\/\d\.\d )(\d{3})\b/;

/** Causes may form a cycle. */
const MAX_CAUSES = 5;

/** The outcome of a rejection of `fetch`. */
export function fetchOutcome(error) {
	const message = messageOf(error);
	const name = read(error, "name");
	if (name === "TimeoutError") {
		return "timeout";
	}
	const coded = withCode(error);
	if (coded) {
		const text = `${coded.code} ${messageOf(coded)} `;
		const [, refused] = REFUSED_TUNNEL.exec(text) ?? [];
		if (refused) {
			const outcome = outcomeOf(Number(refused));
			return outcome === "success" ? "permanent" : outcome;
		}
		return TIMEOUT_CODE.test(text) ? "timeout" : NETWORK_CODE.test(text) ? "transient" : "permanent";
	}
	// Of undici, for an answer that is not HTTP.
	if (name === "HTTPParserError") {
		return "transient";
	}
	const isNetwork = WORKERD.test(message) || (name === "TypeError" && NETWORK.test(message));
	return isNetwork && !LASTING.test(messageOf(read(error, "cause")) ?? message) ? "transient" : "permanent";
}

/** The message of an error. One that is no string says nothing. */
function messageOf(error) {
	const message = read(error, "message");
	return typeof message === "string" ? message : undefined;
}

/** The code of axios for any failure of a `fetch`. The cause says more. */
const ANY_FAILURE = "ERR_NETWORK";

/** An error, or its nearest cause, that has a code. The code of a `DOMException` is a number. */
function withCode(error) {
	let any;
	for (let depth = 0, current = error; depth < MAX_CAUSES; depth++) {
		const code = read(current, "code");
		if (code === ANY_FAILURE) {
			any = current;
		} else if (typeof code === "string") {
			return current;
		}
		current = read(current, "cause");
	}
	return any;
}

/** A property of an error or of a response, which a class may define, but not `Object.prototype`. A proxy may throw. */
function read(object, name) {
	try {
		const value = Object(object)[name];
		return value === Object.prototype[name] ? undefined : value;
	} catch {
		return undefined;
	}
}

/** The wait that a `Retry-After` header asks for, in ms; undefined without a valid header. */
export function parseRetryAfter(from, now) {
	const ns = parseRetryAfterNs(from, now);
	return ns === undefined ? undefined : toMilliseconds(ns);
}

/** The same in ns. */
export function parseRetryAfterNs(from, now = Date.now()) {
	const header = firstOf(headerOf(from, RETRY_AFTER));
	// `headers.get` returns null for a header that is not there.
	if (header === null || header === undefined) {
		return undefined;
	}
	if (typeof header !== "string") {
		wrongType("header", "a string, a response or its headers", header);
	}
	const time = toNanoseconds("now", now);
	return parsedRetryAfter(header, time);
}

/** The first value of a header. Some clients have numbers in their headers. */
function firstOf(found) {
	const first = Array.isArray(found) ? found[0] : found;
	return typeof first === "number" ? `${first}` : first;
}

/** A header of a response or of its headers. Anything else is taken for the header itself. */
function headerOf(from, header) {
	if (typeof from !== "object" || from === null || Array.isArray(from)) {
		return from;
	}
	const headers = read(from, "headers") ?? from;
	const isIt = (name) => `${name}`.toLowerCase() === header;
	if (typeof read(headers, "get") === "function") {
		// The names of a Map are as its owner wrote them.
		return headers.get(headers instanceof Map ? [...headers.keys()].find(isIt) : header);
	}
	return read(headers, Object.keys(headers).find(isIt));
}
