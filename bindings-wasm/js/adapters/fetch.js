// fetch, with retries.

import { checkBody, isRepeatable, originOf, readHttpOptions } from "./http.js";
import { OF_A_LOOP, request } from "./loop.js";

/** A function with the signature of `fetch`. */
export function retryingFetch(options = {}) {
	const { fetch: given, ...read } = readHttpOptions("retryingFetch", options, ...OF_A_LOOP, "fetch");
	if (given !== undefined && typeof given !== "function") {
		throw new TypeError(`fetch must be a function, got ${typeof given}`);
	}
	return async (input, init) => {
		const fetch = given ?? globalThis.fetch;
		const { method, signal, headers } = settings(input, init);
		if (!isRepeatable(method, new Headers(headers).get("idempotency-key"))) {
			return fetch(input, init);
		}
		const body = await bodyOf(input, init, method);
		const attempt = (signal) => fetch(input, signal === init?.signal && !body ? init : { ...init, ...body, signal });
		const { attemptTimeout } = read;
		const limited = attemptTimeout ? () => withTimeout(attemptTimeout, signal, attempt) : () => attempt(signal);
		return request(
			limited,
			{ ...read, signal: signal ?? undefined, origin: originOf(isRequest(input) ? input.url : input) },
			(last) => last?.body,
		);
	};
}

const isRequest = (input) => typeof input?.url === "string";

/** What `fetch` takes from its second argument, or else from a request. */
function settings(input, init) {
	const { method = "GET", signal, headers } = isRequest(input) ? input : {};
	return {
		method: init?.method ?? method,
		// An explicit null removes the signal.
		signal: init?.signal === undefined ? signal : init.signal,
		headers: init?.headers ?? headers,
	};
}

/** The body of a request as bytes, which can be sent again; undefined if there is none, or `fetch` has it already. */
async function bodyOf(input, init, method) {
	if (init?.body !== undefined && init.body !== null) {
		checkBody(init.body);
		return undefined;
	}
	// Some browsers do not tell whether a request has a body.
	if (!isRequest(input) || input.body === null || /^(?:get|head)$/i.test(method)) {
		return undefined;
	}
	const body = await input.arrayBuffer();
	return body.byteLength > 0 ? { body } : undefined;
}

/** A signal that aborts with either. It stays, because the caller may abort while the body arrives. */
function either(signal, controller) {
	// Not in React Native, nor in Node.js before 20.3.
	if (AbortSignal.any) {
		return AbortSignal.any([signal, controller.signal]);
	}
	const abort = () => controller.abort(signal.reason);
	signal.addEventListener("abort", abort, { once: true });
	if (signal.aborted) {
		abort();
	}
	return controller.signal;
}

/** The result of an attempt, whose headers must arrive within this many milliseconds. */
async function withTimeout(timeout, signal, attempt) {
	const controller = new AbortController();
	const message = `the attempt took longer than ${timeout} ms`;
	const abort = () => controller.abort(Object.assign(new Error(message), { name: "TimeoutError" }));
	const timer = setTimeout(abort, timeout);
	try {
		return await attempt(signal ? either(signal, controller) : controller.signal);
	} finally {
		clearTimeout(timer);
	}
}
