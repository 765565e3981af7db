// Types of backoff-wasm/axios.

import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse } from "axios";
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

/** The options of {@link retryingAdapter}. */
export interface RetryingAdapterOptions {
	/** The waits and the limits: a policy or a policy string. Default: `default`, three retries. */
	readonly policy?: Policy | string | undefined;
	/**
	 * The budget for the retries: a budget string for a budget of each origin, or one budget for all origins, or `null`
	 * for none. Default: `grpc-retry` for each origin. It keeps the budgets of the last 1000 origins.
	 */
	readonly budget?: Budget | SharedBudget | string | null | undefined;
	/** The time in ms after which an attempt has the outcome `timeout`, if `timeout` of axios is not shorter. */
	readonly attemptTimeout?: number | undefined;
	/** The stream of every request, instead of `seed` and `key`. Default: a unique stream for each. */
	readonly stream?: RandomStream | undefined;
	/** The seed of the stream of every request. */
	readonly seed?: bigint | number | undefined;
	/** The key under the seed. */
	readonly key?: string | Uint8Array;
	/** Counts the attempts and the stop reason of each request that may be repeated. */
	readonly stats?: RetryStats | undefined;
	/** Called and awaited before each wait. */
	readonly onRetry?: ((event: RetryEvent<AxiosResponse>) => unknown) | undefined;
	/** Called and awaited once for each request that may be repeated, at its end. */
	readonly onStop?: ((event: StopEvent<AxiosResponse>) => unknown) | undefined;
	/** The time after which no wait may end, for all requests. */
	readonly deadline?: Deadline | undefined;
	/** Whether Node.js may exit during a wait. Default: `false`. */
	readonly unref?: boolean | undefined;
	/** The clock of the waits. Default: `performance.now()` and `setTimeout`. */
	readonly clock?: Clock | undefined;
	/** The adapter that makes the attempts. Default: that of `axios.defaults`. */
	readonly adapter?: AxiosRequestConfig["adapter"];
}

/**
 * An adapter for `axios.create({ adapter })`, which repeats requests by a policy.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once, as it is.
 * - If the retries end, the last response or the last `AxiosError` is what axios makes of it without retries.
 * - A request that may be repeated must not have a stream as its `data`.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retryingAdapter(options?: RetryingAdapterOptions): AxiosAdapter;
