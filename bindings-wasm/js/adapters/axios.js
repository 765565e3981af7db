// axios: an adapter around its own one, so that interceptors and transformations see a request once.

import axios from "axios";
import { checkBody, isRepeatable, originOf, readHttpOptions } from "./http.js";
import { OF_A_LOOP, request } from "./loop.js";

/** The option `adapter` of an axios instance. */
export function retryingAdapter(options = {}) {
	const { adapter, ...read } = readHttpOptions("retryingAdapter", options, ...OF_A_LOOP, "adapter");
	for (const each of adapter === undefined ? [] : [adapter].flat()) {
		if (typeof each !== "string" && typeof each !== "function") {
			throw new TypeError(`adapter must be a name, a function or an array of them, got ${String(each)}`);
		}
	}
	return async (config) => {
		const send = axios.getAdapter(adapter ?? axios.defaults.adapter, config);
		const { headers, data, method, signal } = config;
		if (!isRepeatable(method, headers.get("idempotency-key"))) {
			return send(config);
		}
		checkBody(data);
		const timeout = shorter(config.timeout, read.attemptTimeout);
		const attempt = () => send({ ...config, timeout, headers: headers.concat() });
		const origin = originOf(axios.getUri(config));
		return request(attempt, { ...read, signal: signal ?? undefined, origin }, bodyOf, responseOf);
	};
}

/** The shorter of two times; 0 and undefined are none. */
function shorter(first, second) {
	return first > 0 && second > 0 ? Math.min(first, second) : second || first;
}

/** The body is a stream if the request asked for one. */
function bodyOf(response) {
	return response?.data;
}

/** An error has a response if its status is not wanted, and also if its body was cut off. */
function responseOf(error) {
	return error?.response;
}
