// Types of backoff-wasm/p-retry.

import type { OfAnOperation, VerdictLike } from "../index.js";

/** The options of {@link retryOptions}. */
export interface PRetryOptions extends OfAnOperation {
	/**
	 * Classifies an error, as for `retry`. Default: every error is transient. p-retry itself never retries its own
	 * `AbortError`, nor a `TypeError` that is no failure of the network.
	 */
	readonly shouldRetry?:
		| ((error: unknown, context: { readonly attempt: number }) => VerdictLike | PromiseLike<VerdictLike>)
		| undefined;
	/** The signal for p-retry. It also ends the wait. */
	readonly signal?: AbortSignal | undefined;
	/** Whether Node.js may exit during a wait. Default: `false`. */
	readonly unref?: boolean | undefined;
}

/**
 * The options of one call of p-retry, by which it waits and stops as a policy says. Make them for each call:
 * `max_elapsed` counts from here, and calls that shared them would wait the same.
 *
 * @throws {PolicyError} an invalid policy string.
 * @throws {TypeError} an unknown option, one of the wrong type, or a field of the policy that the host ignores.
 */
export function retryOptions(options?: PRetryOptions): {
	retries: number;
	minTimeout: number;
	signal?: AbortSignal;
	unref?: boolean;
	shouldRetry(context: { readonly error: Error; readonly attemptNumber: number }): Promise<boolean>;
};
