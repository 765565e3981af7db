// got: it makes the attempts itself, and asks a function for the delay before each retry. A loop of `retry` follows them.

import { fetchOutcome } from "backoff-wasm";
import { timeoutOf } from "./common.js";
import { isBeforeSending, isOneShot, KEYS, whySentOnce } from "./http.js";
import { readHttpOptions } from "./http-options.js";
import { request } from "./loop.js";

/** The options for `got.extend`. */
export function retries(options = {}) {
	const settings = readHttpOptions("retries", options);
	const handler = (given, next) => {
		// The caller of a stream repeats it.
		if (given.isStream) {
			return next(given);
		}
		const attempts = new Attempts(settings, given);
		const { attemptTimeout } = settings;
		if (attemptTimeout) {
			const { request: own = attemptTimeout } = given.timeout;
			given.timeout = { ...given.timeout, request: Math.min(own, attemptTimeout) };
		}
		const { retry } = given;
		// Later versions call it only where their own rules allow a retry, unless enforceRetryRules is false.
		const rules = "enforceRetryRules" in retry && { enforceRetryRules: false };
		given.retry = { ...retry, ...rules, calculateDelay: (state) => attempts.delayAfter(state) };
		const promise = next(given);
		promise.then(
			(response) => attempts.succeeded(response),
			() => attempts.failed(),
		);
		return promise;
	};
	return { handlers: [handler] };
}

/** A promise, and what settles it. */
function deferred() {
	const settle = {};
	const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
	promise.catch(() => {});
	return { promise, ...settle };
}

/** The attempts of a request, as a loop sees them: each ends before the loop makes it. */
class Attempts {
	#end = deferred();
	#delay = deferred();
	#error;
	#wake = () => {};
	#canceller = new AbortController();
	#loop;

	constructor(settings, given) {
		const { body, context, headers, method, url } = given;
		const described = {
			request: given,
			own: context.retry,
			method: method.toUpperCase(),
			keys: KEYS.map((key) => headers[key]),
			// Versions 14 of got hang if they send a form a second time.
			isOneShot: isOneShot(body) || typeof body?.append === "function",
		};
		const client = {
			...described,
			sentOnce: whySentOnce(settings, described),
			url,
			signal: this.#canceller.signal,
			headOf: ({ headers, statusCode: status }) => ({ headers, status }),
			responseOf,
			endsWithResponse: true,
			outcomeOf,
			wasNeverSent: (error) => error.request?.redirectUrls?.length === 0 && isBeforeSending(error),
		};
		const sleep = (delay) => {
			this.#end = deferred();
			// got takes 0 for: no retry.
			this.#delay.resolve(Math.max(timeoutOf(delay), 1));
			return new Promise((wake) => {
				this.#wake = wake;
			});
		};
		const clock = { now: () => performance.now(), sleep };
		this.#loop = request(() => this.#end.promise, { ...settings, clock }, client);
		this.#loop.then(
			() => this.#delay.resolve(0),
			// got rejects with the failure itself. Another error is that of a hook.
			(error) => (error === this.#error ? this.#delay.resolve(0) : this.#delay.reject(error)),
		);
	}

	/** The delay before the next attempt, for got; 0 for none. */
	delayAfter({ error }) {
		// A hook wants the request again, with other options, and gets it at once: this is no failure.
		if (error.name === "RetryError") {
			return 1;
		}
		this.#error = error;
		this.#delay = deferred();
		this.#wake();
		this.#end.reject(error);
		return this.#delay.promise;
	}

	succeeded(response) {
		this.#wake();
		this.#end.resolve(response);
		return this.#loop.catch((error) => {
			// got may resolve to a response that a loop gave up on. Only the error of a hook is news.
			if (error !== this.#error) {
				throw error;
			}
		});
	}

	/** After `delayAfter` said so, or because the caller has cancelled. */
	failed() {
		this.#canceller.abort();
		return this.#loop.catch(() => {});
	}
}

/** The code of got for a response whose body was cut off. Node.js has it for a request whose body is too short. */
const CUT_OFF = "ERR_HTTP_CONTENT_LENGTH_MISMATCH";

function outcomeOf(error) {
	return error.code === CUT_OFF && error.name === "ReadError" ? "transient" : fetchOutcome(error);
}

/** The response of an error that got made of a status. A body that was cut off has one, too. */
function responseOf(error) {
	const { name, response } = Object(error);
	return response?.statusCode >= 400 || name === "HTTPError" ? response : undefined;
}
