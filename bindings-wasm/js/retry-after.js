import { wrongType } from "./error.js";
import { nanosecondsOf } from "./field.js";
import { module, unsigned, writeText } from "./module.js";
import { MAX_WORD, NS_PER_MS } from "./number.js";

const NAME = "retry-after";

/** The hint of a `Retry-After` header in ms, or undefined. */
export function retryAfter(from, now) {
	const ns = retryAfterNs(from, now);
	return ns === undefined ? undefined : Number(ns) / NS_PER_MS;
}

/** The same in ns. */
export function retryAfterNs(from, now = Date.now()) {
	const header = headerOf(from);
	// So `headers.get` says that there is none.
	if (header === null || header === undefined) {
		return undefined;
	}
	if (typeof header !== "string") {
		wrongType("header", "a string, a response or its headers", header);
	}
	const at = nanosecondsOf("now", now);
	const text = trimmed(header);
	const { bytes, exports } = module();
	// Only digits can be as long as that, and without zeros before them so many of them are as
	// long a hint as there is.
	if (text.length > bytes.length && /\D/.test(text)) {
		return undefined;
	}
	const { written } = writeText(text.replace(/^0+(?=\d)/, ""));
	const ns = unsigned(exports.retry_after(written, at));
	return ns === MAX_WORD ? undefined : ns;
}

/** The header of a response or of its headers; anything else is taken for the header itself. */
function headerOf(from) {
	if (typeof from !== "object" || from === null || Array.isArray(from)) {
		return from;
	}
	const headers = from.headers ?? from;
	if (typeof headers.get === "function") {
		return headers.get(NAME);
	}
	return headers[Object.keys(headers).find((name) => name.toLowerCase() === NAME)];
}

/** Without the spaces and tabs at its ends; `trim` takes more, and a pattern takes too long. */
function trimmed(header) {
	const isBlank = (at) => header[at] === " " || header[at] === "\t";
	let [first, end] = [0, header.length];
	while (isBlank(first)) {
		first++;
	}
	while (end > first && isBlank(end - 1)) {
		end--;
	}
	return header.slice(first, end);
}
