// axios: an adapter around its own one, so that interceptors and transformations see a request once.

import axios from "axios";
import { drain } from "./drain.js";
import { isBeforeSending, isOneShot, KEYS, nativeOf, whySentOnce, withNative } from "./http.js";
import { OF_A_WAIT, readHttpOptions } from "./http-options.js";
import { request } from "./loop.js";
import { either, withTimeout } from "./timeout.js";

/** The option `adapter` of an axios instance. */
export function retryingAdapter(options = {}) {
	const { adapter, ...settings } = readHttpOptions("retryingAdapter", options, ...OF_A_WAIT, "adapter");
	for (const each of adapter === undefined ? [] : [adapter].flat()) {
		if (typeof each !== "string" && typeof each !== "function") {
			throw new TypeError(`adapter must be a name, a function or an array of them, got ${String(each)}`);
		}
	}
	const own = adapter && [adapter].flat().flatMap(nativeOf);
	const retrying = async (config) => {
		const send = axios.getAdapter(own ?? nativeOf(axios.defaults.adapter), config);
		return repeat(send, settings, config);
	};
	return withNative(retrying, own ?? nativeOf(axios.defaults.adapter));
}

async function repeat(send, settings, config) {
	const { beforeRedirect, cancelToken, data, headers, method, retry, signal } = config;
	const cancelled = cancelToken?.toAbortSignal?.();
	// axios calls it on every signal that it gets, which would end the subscription of all attempts.
	const unsubscribe = cancelled?.unsubscribe;
	delete cancelled?.unsubscribe;
	let isRedirected = false;
	const described = {
		request: config,
		own: retry,
		method: `${method ?? "GET"}`.toUpperCase(),
		keys: KEYS.map((key) => headers.get(key)),
		isOneShot: isOneShot(data),
	};
	const client = {
		...described,
		sentOnce: whySentOnce(settings, described),
		url: axios.getUri(config),
		signal: either(signal ?? undefined, cancelled),
		headOf: (response) => response,
		drain: (response) => drain(response?.data),
		responseOf,
		// Only the adapter for Node.js has these codes in the error itself, and tells of redirects.
		wasNeverSent: ({ code, message, syscall }) => !isRedirected && isBeforeSending({ code, message, syscall }),
	};
	const attempt = (signal) => {
		isRedirected = false;
		return send({
			...config,
			signal,
			headers: headers.concat(),
			beforeRedirect(...given) {
				isRedirected = true;
				return beforeRedirect?.(...given);
			},
		});
	};
	const limited = () => withTimeout(settings.attemptTimeout, client.signal, attempt, late);
	return request(limited, settings, client).finally(unsubscribe);

	/** As a `timeout` of axios that is over. */
	function late(timeout) {
		const code = config.transitional?.clarifyTimeoutError ? "ETIMEDOUT" : "ECONNABORTED";
		return new axios.AxiosError(`timeout of ${timeout}ms exceeded`, code, config);
	}
}

/** The response of an error that axios made of a status. The error of a truncated body also has one. */
function responseOf(error) {
	const { message, response } = Object(error);
	const isOfStatus = response?.status >= 400 || message === `Request failed with status code ${response?.status}`;
	return isOfStatus ? response : undefined;
}
