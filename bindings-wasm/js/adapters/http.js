// What the adapters of HTTP clients share: which requests may be repeated, what an attempt means, and the events.

import { fetchOutcome, httpVerdict, isIdempotentMethod } from "backoff-wasm";
import { define, toJSON } from "../core/show.js";
import { BY } from "../retry/is-verdict.js";
import { shown, verdictOf } from "./common.js";

/** The fields by which a server knows a request again. */
export const KEYS = ["idempotency-key", "x-idempotency-key"];

/** The member of a function that repeats requests: what it calls. Every copy of this package has the same symbol. */
const NATIVE = Symbol.for("backoff-wasm.native");

export const withNative = (retrying, native) => Object.defineProperty(retrying, NATIVE, { value: native });

/** What a function calls that repeats requests, so that no other one repeats its repetitions; otherwise the function. */
export const nativeOf = (called) => called?.[NATIVE] ?? called;

/**
 * Why a request is sent once, or undefined if it may be repeated (SPEC 19.2). `own` is the caller's switch for this
 * request, `request` what the caller's predicate gets, and `keys` are the values of the fields of `KEYS`.
 */
export function whySentOnce({ mayRepeat, methods }, { own, request, method, keys, isOneShot }) {
	const isAllowed = readSwitch("retry of a request", own) ?? readSwitch("what mayRepeat returns", mayRepeat?.(request));
	if (isAllowed === false) {
		return "caller";
	}
	if (isOneShot) {
		return "body";
	}
	const hasKey = keys.some((key) => `${key ?? ""}`.trim() !== "");
	const isListed = methods ? methods.includes(method) : isIdempotentMethod(method);
	return isAllowed || hasKey || isListed ? undefined : "method";
}

function readSwitch(what, given = null) {
	if (given !== null && typeof given !== "boolean") {
		throw new TypeError(`${what} must be true (it may be repeated) or false (it is sent once), got ${shown(given)}`);
	}
	return given;
}

/** Whether a status says that a request failed, so that the body of the response may be missing (SPEC 19.7). */
export const isFailure = ({ statuses }, status) =>
	(statuses.get(status) ?? (status < 400 ? "success" : "")) !== "success";

/** Whether a body can be sent only once. */
export function isOneShot(body) {
	return (
		Object(body) === body &&
		(Symbol.asyncIterator in body || ["getReader", "pipe", "next"].some((name) => typeof body[name] === "function"))
	);
}

/** The URL of a request as it is shown: without user information, query and fragment. Empty for an invalid one. */
export function shownUrl(url) {
	const { protocol, host, pathname } = parsed(url) ?? {};
	return protocol === undefined ? "" : `${protocol}//${host}${pathname}`;
}

/** A text without the user information, the query and the fragment of the URLs in it: these may be secret (SPEC 19.9). */
function withoutSecrets(text, url) {
	// That of an invalid URL may have spaces.
	const others = /[?#@]/.test(url) ? text.replaceAll(url, shownUrl(url)) : text;
	return others.replace(/(\S)[?#](?:\S*[^\s"')\]>,.;:])?/g, "$1").replace(/\/\/[^\s/]*@/g, "//");
}

/** The origin of a URL, by which it gets a budget. */
export function originOf(url) {
	return parsed(url)?.origin;
}

function parsed(url) {
	try {
		return new URL(url, globalThis.location?.href);
	} catch {
		return undefined;
	}
}

/** A request, and how its attempts end. */
export class Classifier {
	/** The status of the last response, if the last attempt ended with one. */
	status = undefined;

	/**
	 * `client` says what only its adapter knows: `request` is the caller's, with its `method` and its `url`, `sentOnce`
	 * is why it is sent once, `headOf(response)` has the status and the headers, `wasNeverSent(error)` is true if the client is sure of that, and `endsWithResponse` if it repeats nothing
	 * but failures.
	 */
	constructor(settings, client) {
		this.settings = settings;
		this.client = client;
		this.sentOnce = client.sentOnce;
	}

	/** The verdict on how an attempt ended (SPEC 19.3): with a `response`, or with an `error` that may hold one. */
	async verdictOn(end) {
		const { classify } = this.settings;
		const { request, headOf } = this.client;
		const { response, error } = end;
		const head = response && headOf(response);
		this.status = head?.status;
		const own = await classify?.(request, end);
		const isOwn = own !== undefined && own !== null;
		const verdict = isOwn ? { ...verdictOf(own, "classify"), [BY]: "classify" } : this.#verdictOf(head, error);
		const isAllowed = this.sentOnce === undefined || this.#wasNeverSent(end);
		const isPossible = error !== undefined || !this.client.endsWithResponse;
		return verdict.outcome === "success" || (isAllowed && isPossible) ? verdict : { outcome: "permanent" };
	}

	#verdictOf(head, error) {
		if (!head) {
			return { outcome: (this.client.outcomeOf ?? fetchOutcome)(error) };
		}
		// Mocks of tests often have none, and axios accepts such a response, too.
		if (head.status === undefined) {
			return { outcome: "success" };
		}
		const outcome = this.settings.statuses.get(head.status);
		return outcome ? { ...httpVerdict(head), outcome } : httpVerdict(head);
	}

	#wasNeverSent({ response, error }) {
		return this.sentOnce === "method" && !response && this.client.wasNeverSent(error);
	}

	/**
	 * The event of a hook, with what is known of the request. A copy, such as a log line, has nothing of the client: its
	 * errors, responses and requests may hold secrets, and JSON cannot write some of them.
	 */
	eventOf(event) {
		const { status, sentOnce } = this;
		const { method, request, url } = this.client;
		const ofClient = ["error", "value"].filter((name) => name in event).map((name) => [name, event[name]]);
		const { error: _, value: __, ...others } = event;
		const shown = { ...others, method, url: shownUrl(url), status, sentOnce };
		for (const [name, value] of [...ofClient, ["request", request]]) {
			define(shown, name, value);
		}
		define(shown, "toJSON", () => {
			const { error } = toJSON({ error: event.error });
			const message = typeof error?.message === "string" && { message: withoutSecrets(error.message, `${url}`) };
			return toJSON({ ...shown, ...("error" in event && { error: message ? { ...error, ...message } : error }) });
		});
		return Object.freeze(shown);
	}
}

const NEVER_SENT = new RegExp(
	"^(?:ENOTFOUND|ESERVFAIL|EAI_\\w+|E(?:CONNREFUSED|HOST(?:UNREACH|DOWN)|NET(?:UNREACH|DOWN))|UND_ERR_CONNECT_TIMEOUT" +
		"|ConnectionRefused|FailedToOpenSocket|ERR_PROXY_TUNNEL|UND_ERR_ABORTED Proxy response) ",
);
/** Of Node.js: the connection ended in the TLS handshake. */
const CUT_IN_HANDSHAKE = /^ECONNRESET .* before secure TLS connection was established/;
const DENO = /client error \(Connect\)/;
const MAX_CAUSES = 5;

/** Whether an error is a failure before a request is sent. After a redirect that the client followed it says nothing. */
export function isBeforeSending(error) {
	for (let depth = 0, each = error; each && depth < MAX_CAUSES; depth++, each = each.cause) {
		const { code, message, syscall } = each;
		const text = `${code} ${message}`;
		if (NEVER_SENT.test(text) || CUT_IN_HANDSHAKE.test(text) || DENO.test(message)) {
			return true;
		}
		if (code === "ETIMEDOUT" && syscall === "connect") {
			return true;
		}
	}
	return false;
}
