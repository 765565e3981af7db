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
		// The caller of a stream repeats it. There are no options if they are invalid, which got reports.
		if (!given || given.isStream) {
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
		const { beforeRequest, afterResponse } = given.hooks;
		beforeRequest.unshift((options) => attempts.starts(options));
		const { followRedirect } = given;
		afterResponse.push(async (response) => {
			const { statusCode } = response;
			if (statusCode < (followRedirect ? 300 : 400) || statusCode === 304) {
				await attempts.succeeded(response);
			}
			return response;
		});
		const promise = next(given);
		const succeeded = (response) => attempts.succeeded(response).catch(() => {});
		// A hook that wants a request again removes the one above.
		promise.then(succeeded, () => attempts.failed());
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
	#started = deferred();
	#end = deferred();
	#delay;
	#error;
	#wake = () => {};
	#canceller = new AbortController();
	#loop;
	/** 0 once the loop has ended, or its error if that is not the failure itself, which got rejects with. */
	#over;
	/** The options of this attempt, and what a redirect drops of them. */
	#first;

	constructor(settings, given) {
		const sleep = (delay) => {
			this.#end = deferred();
			// got takes 0 for: no retry.
			this.#delay.resolve(Math.max(timeoutOf(delay), 1));
			return new Promise((wake) => {
				this.#wake = wake;
			});
		};
		const clock = { now: () => performance.now(), sleep };
		const attempt = () => {
			this.#started.resolve();
			return this.#end.promise;
		};
		const run = async () => request(attempt, { ...settings, clock }, this.#clientOf(settings, given));
		this.#loop = run();
		this.#over = this.#loop.then(
			() => 0,
			(error) => {
				this.#started.reject(error);
				if (error !== this.#error) {
					throw error;
				}
				return 0;
			},
		);
		this.#over.catch(() => {});
	}

	#clientOf(settings, given) {
		const { body, context, headers, method, url } = given;
		const described = {
			request: given,
			own: context.retry,
			method: method.toUpperCase(),
			keys: KEYS.map((key) => headers[key]),
			// Versions 14 of got hang if they send a form a second time.
			isOneShot: isOneShot(body) || typeof body?.append === "function",
		};
		return {
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
	}

	/** Before each request, also of a redirect. Rejects if the loop failed before the first one, which is not sent then. */
	starts(options) {
		const { body, headers } = options;
		this.#first ??= { options, body, headers: { ...headers } };
		return this.#started.promise;
	}

	/** The delay before the next attempt, for got; 0 for none. */
	async delayAfter({ error }) {
		const first = this.#first;
		this.#first = undefined;
		// A hook wants the request again, with other options, and gets it at once: this is no failure.
		if (error.name === "RetryError") {
			return 1;
		}
		this.#error = error;
		this.#delay = deferred();
		this.#wake();
		this.#end.reject(error);
		const delay = await Promise.race([this.#delay.promise, this.#over]);
		if (delay > 0 && first && error.request?.redirectUrls?.length > 0) {
			// Otherwise got would repeat the request to the target of the redirect.
			const { options, ...dropped } = first;
			error.request.options = Object.assign(options, dropped);
		}
		return delay;
	}

	/** Rejects with the error of a hook. got may resolve to a response that a loop gave up on, which is no news. */
	succeeded(response) {
		this.#wake();
		this.#end.resolve(response);
		return this.#over;
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

/** The response of an error that got made of a status. The error of a truncated body also has one. */
function responseOf(error) {
	const { name, response } = Object(error);
	return response?.statusCode >= 400 || name === "HTTPError" ? response : undefined;
}
