// Types of backoff-wasm/undici.

import type { Dispatcher } from "undici";
import type { Budget, Policy, RandomStream, RetryStats } from "../index.js";

/** The options of {@link retries}. */
export interface UndiciRetriesOptions {
	/** The waits and the limits: a policy or a policy string. Default: `default`, three retries. */
	readonly policy?: Policy | string | undefined;
	/**
	 * The budget for the retries: a budget string for a budget of each origin, or one budget for all origins, or `null`
	 * for none. Default: `grpc-retry` for each origin. It keeps the budgets of the last 1000 origins.
	 */
	readonly budget?: Budget | string | null | undefined;
	/** The time in ms after which an attempt has the outcome `timeout`, if `headersTimeout` is not shorter. */
	readonly attemptTimeout?: number | undefined;
	/** The stream of every request, instead of `seed` and `key`. Default: a unique stream for each. */
	readonly stream?: RandomStream | undefined;
	/** The seed of the stream of every request. */
	readonly seed?: bigint | number | undefined;
	/** The key under the seed. */
	readonly key?: string | Uint8Array;
	/** Counts the attempts and the stop reason of each request that may be repeated. */
	readonly stats?: RetryStats | undefined;
}

/**
 * An interceptor for `compose`, with which undici repeats requests by a policy.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once, as it is.
 * - If the retries end, the caller gets the last response, or the last error.
 * - A request that may be repeated must not have a stream as its body.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: UndiciRetriesOptions): Dispatcher.DispatcherComposeInterceptor;
