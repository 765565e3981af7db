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
 * For the options of a request: `true` that it may be repeated, whatever its method, `false` that it is sent once. `null`
 * and `undefined` leave it to the options of {@link retries}.
 */
export interface RetrySwitch {
	retry?: boolean | null | undefined;
}

/**
 * An interceptor for `compose`, with which undici repeats requests by a policy.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once, and one with a
 *   body that can be sent only once.
 * - If the retries end, the caller gets the last response, or the last error.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {RangeError} a method or a status that does not exist.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: UndiciRetriesOptions): Dispatcher.DispatcherComposeInterceptor;
