// fetch, with retries.

import { throwIfAborted, unlessAborted } from "../retry/abort.js";
import { drain } from "./drain.js";
import { isBeforeSending, isFailure, isOneShot, KEYS, nativeOf, whySentOnce, withNative } from "./http.js";
import { OF_A_WAIT, readHttpOptions } from "./http-options.js";
import { request } from "./loop.js";
import { copyOfHeaders, copyOfInit } from "./snapshot.js";
import { derived, withTimeout } from "./timeout.js";

/** The URL of the request that a function of this file hands to another fetch at this moment. */
let handedOver;

/** A function with the signature of `fetch`. */
export function retryingFetch(options = {}) {
	return fetchOf(options, readFetchOptions(options));
}

const readFetchOptions = (options) => readHttpOptions("retryingFetch", options, ...OF_A_WAIT, "fetch");

function fetchOf(options, { fetch: given, ...settings }) {
	if (given !== undefined && typeof given !== "function") {
		throw new TypeError(`fetch must be a function, got ${typeof given}`);
	}
	const native = nativeOf(given ?? globalThis.fetch);
	let isInstalled = false;
	const send = (input, init) => {
		const { fetch } = globalThis;
		// A fetch of another library around this one, which is the global one then, would call this one in turn.
		const called = given || isInstalled || nativeOf(fetch) !== fetch ? native : fetch;
		const before = handedOver;
		handedOver = urlOf(input);
		try {
			return called(input, init);
		} finally {
			handedOver = before;
		}
	};
	const retrying = async (input, init) => {
		notice();
		// Within an attempt of another function of this file, that one repeats the request.
		return handedOver === urlOf(input) ? native(input, init) : repeat(send, settings, input, init);
	};
	const notice = () => {
		isInstalled ||= globalThis.fetch === retrying;
	};
	// After an assignment such as `globalThis.fetch = retryingFetch()`, and before another library wraps it.
	Promise.resolve().then(notice);
	const withOptions = (changes = {}) => {
		const changed = { ...options, ...changes };
		const read = readFetchOptions(changed);
		return fetchOf(changed, "budget" in changes ? read : { ...read, budgetOf: settings.budgetOf });
	};
	Object.defineProperty(retrying, "withOptions", { value: withOptions });
	return withNative(retrying, native);
}

/** The response of the last attempt of a request, whose arguments are as they are now. */
async function repeat(send, settings, asked, given) {
	const input = asked instanceof URL ? new URL(asked) : asked;
	const copy = copyOfInit(given);
	// Of a Request nothing else changes.
	const ofRequest = isRequest(input) && copy?.headers === undefined && input.headers;
	const init = ofRequest ? { ...copy, headers: copyOfHeaders(ofRequest) } : copy;
	const { method, signal, headers, redirect } = settingsOf(input, init);
	const described = {
		request: { input, init, method, url: urlOf(input), headers },
		own: init?.retry,
		method,
		keys: KEYS.map((key) => headers.get(key)),
		isOneShot: isOneShot(init?.body),
	};
	/** A response that decides whether or not its body arrives. */
	let failure;
	const client = {
		...described,
		sentOnce: whySentOnce(settings, described),
		url: isRequest(input) ? input.url : input,
		signal: derived(signal),
		headOf: (response) => response,
		responseOf: () => failure,
		drain: (response) => drain(response?.body),
		// The failure may be that of a redirect, whose first request was sent.
		wasNeverSent: (error) => redirect !== "follow" && isBeforeSending(error),
	};
	const isRepeatable = client.sentOnce === undefined || (client.sentOnce === "method" && redirect !== "follow");
	let reading;
	const attempt = async (signal) => {
		failure = undefined;
		// An attempt that reads for too long leaves the rest to the next one.
		reading ??= isRepeatable ? bodyOf(input, init, method) : undefined;
		const body = signal ? await unlessAborted(signal, reading) : await reading;
		throwIfAborted(signal);
		const isAsGiven = signal === init?.signal && !body;
		// A signal of null stays: undefined would bring back that of the request.
		const response = await send(input, isAsGiven ? init : { ...init, ...body, ...(signal && { signal }) });
		// A fetch that ignored its signal was left behind.
		if (settings.readBody && isFailure(settings, response?.status) && !signal?.aborted) {
			failure = response;
		}
		return settings.readBody ? inMemory(response) : response;
	};
	return request(() => withTimeout(settings.attemptTimeout, client.signal, attempt), settings, client);
}

const isRequest = (input) => typeof input?.url === "string";
const urlOf = (input) => (isRequest(input) ? input.url : `${input}`);

/** What `fetch` takes from its second argument, or else from a request. */
function settingsOf(input, init) {
	const { method = "GET", signal, headers, redirect = "follow" } = isRequest(input) ? input : {};
	return {
		method: `${init?.method ?? method}`.toUpperCase(),
		// An explicit null removes the signal.
		signal: init?.signal === undefined ? signal : init.signal,
		headers: new Headers(init?.headers ?? headers),
		redirect: init?.redirect ?? redirect,
	};
}

/** The body of a request as bytes, which can be sent again; undefined if there is none, or `fetch` has it already. */
async function bodyOf(input, init, method) {
	const isElsewhere = init?.body !== undefined && init.body !== null;
	// Some browsers do not tell whether a request has a body.
	if (isElsewhere || !isRequest(input) || input.body === null || ["GET", "HEAD"].includes(method)) {
		return undefined;
	}
	const body = await input.arrayBuffer();
	// Reading an empty body also uses up the request.
	return body.byteLength > 0 || input.bodyUsed ? { body } : undefined;
}

/** A response whose body has arrived: a copy, which keeps what is read of the response. */
async function inMemory(response) {
	const { body } = Object(response);
	// A mock may have less than a response, and React Native has no streams: it reads all bodies.
	if (!body || typeof response.clone !== "function") {
		return response;
	}
	if (typeof body.getReader !== "function") {
		// Of node-fetch, where a copy that nobody reads holds up the response.
		const { status, statusText, headers, url, redirected } = response;
		const read = { status, statusText, headers, url, counter: Number(redirected) };
		return new response.constructor(await response.arrayBuffer(), read);
	}
	const copy = response.clone();
	const reader = response.body.getReader();
	while (!(await reader.read()).done) {}
	return copy;
}
