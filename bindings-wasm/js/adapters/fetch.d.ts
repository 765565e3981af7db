// Types of backoff-wasm/fetch.

import type {
	Budget,
	Clock,
	Deadline,
	Policy,
	RandomStream,
	RetryEvent,
	RetryStats,
	SharedBudget,
	StopEvent,
} from "../index.js";

/** The options of {@link retryingFetch}. */
export interface RetryingFetchOptions<F = typeof fetch> {
	/** The waits and the limits: a policy or a policy string. Default: `default`, three retries. */
	readonly policy?: Policy | string | undefined;
	/**
	 * The budget for the retries: a budget string for a budget of each origin, or one budget for all origins, or `null`
	 * for none. Default: `grpc-retry` for each origin. It keeps the budgets of the last 1000 origins.
	 */
	readonly budget?: Budget | SharedBudget | string | null | undefined;
	/** The time in ms after which an attempt without an answer has the outcome `timeout`. Default: none. */
	readonly attemptTimeout?: number | undefined;
	/** The stream of every request, instead of `seed` and `key`. Default: a unique stream for each. */
	readonly stream?: RandomStream | undefined;
	/** The seed of the stream of every request. */
	readonly seed?: bigint | number | undefined;
	/** The key under the seed. */
	readonly key?: string | Uint8Array;
	/** Counts the attempts and the stop reason of each request that may be repeated. */
	readonly stats?: RetryStats | undefined;
	/** Called and awaited before each wait. A body that it does not read is closed then. */
	readonly onRetry?: ((event: RetryEvent<Response>) => unknown) | undefined;
	/** Called and awaited once for each request that may be repeated, at its end. */
	readonly onStop?: ((event: StopEvent<Response>) => unknown) | undefined;
	/** The time after which no wait may end, for all requests. */
	readonly deadline?: Deadline | undefined;
	/** Whether Node.js may exit during a wait. Default: `false`. */
	readonly unref?: boolean | undefined;
	/** The clock of the waits. Default: `performance.now()` and `setTimeout`. */
	readonly clock?: Clock | undefined;
	/** What makes the requests. Default: the global `fetch`, as it is at that time. */
	readonly fetch?: F | undefined;
}

/**
 * A function like `fetch`, which repeats requests by a policy.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once, as it is.
 * - It repeats after the statuses and the failures of the network that `httpVerdict` and `fetchOutcome` call
 *   temporary. It waits as long as the server asks, within the limits of the policy.
 * - If the retries end, it returns the last response, or rejects with the last error, as `fetch` does.
 * - A request that may be repeated must not have a stream as its body. The body of a `Request` is read into memory.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retryingFetch<F = typeof fetch>(options?: RetryingFetchOptions<F>): F;
