// Types of backoff-wasm/undici.

import type { Dispatcher } from "undici";
import type { HttpRetriesOptions, HttpWaitOptions } from "../index.js";

/** The head of a response. */
export interface UndiciResponseHead {
	readonly statusCode: number;
	readonly statusText?: string | undefined;
	readonly headers: Record<string, string | string[] | undefined>;
}

/** The options of {@link retries}. */
export interface UndiciRetriesOptions
	extends HttpRetriesOptions<Dispatcher.DispatchOptions, UndiciResponseHead>,
		HttpWaitOptions {}

/**
 * For the options of a request: whether it may be repeated; `null` and `undefined` leave it to the options of {@link
 * retries}.
 */
export interface RetrySwitch {
	retry?: boolean | null | undefined;
}

/**
 * An interceptor for `compose`, with which undici repeats requests by a policy (SPEC 19). If the retries end, the
 * caller gets the last response, or the last error.
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {RangeError} a method or a status that does not exist.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: UndiciRetriesOptions): Dispatcher.DispatcherComposeInterceptor;
