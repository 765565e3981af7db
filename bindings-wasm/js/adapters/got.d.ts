// Types of backoff-wasm/got.

import type { Budget, Policy, RandomStream, RetryStats } from "../index.js";

/** The options of {@link retries}. */
export interface GotRetriesOptions {
	/** The waits and the limits: a policy or a policy string. Default: `default`, three retries. */
	readonly policy?: Policy | string | undefined;
	/**
	 * The budget for the retries: a budget string for a budget of each origin, or one budget for all origins, or `null`
	 * for none. Default: `grpc-retry` for each origin. It keeps the budgets of the last 1000 origins.
	 */
	readonly budget?: Budget | string | null | undefined;
	/** The time in ms after which an attempt has the outcome `timeout`, if got's `timeout.request` is not shorter. */
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
 * Options for `got.extend`, with which got repeats requests by a policy. They take the place of got's option `retry`.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once.
 * - If the retries end, the promise ends as got's promises do.
 * - A request that may be repeated must not have a stream as its `body`. Streams of got are left as they are.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: GotRetriesOptions): {
	// biome-ignore lint/suspicious/noExplicitAny: the handlers of got have a type for each way to call it.
	handlers: Array<(options: any, next: (options: any) => any) => any>;
};
