// Types of backoff-wasm/cockatiel.

import type { Duration, OfAnOperation } from "../index.js";

/** How a call ended that cockatiel repeats: it threw, or it returned a value that is not accepted. */
export type CockatielFailure = { readonly error: unknown } | { readonly value: unknown };

/** The options of {@link retryOptions}. */
export interface CockatielOptions extends Omit<OfAnOperation, "retryAfter"> {
	/** How long the server asked to wait, in ms, as `parseRetryAfter` returns it. */
	readonly retryAfter?: ((failure: CockatielFailure) => Duration | null | undefined) | undefined;
}

/** One delay, and those after it: an `IBackoff` of cockatiel. */
export interface CockatielBackoff {
	/** The delay in ms, rounded up, at most 2^31 - 1. */
	readonly duration: number;
	next(context: { readonly result: CockatielFailure }): CockatielBackoff;
}

/**
 * The options of cockatiel's `retry`: the most retries of a policy, and a backoff (`IBackoffFactory`) with its delays.
 *
 * @throws {PolicyError} an invalid policy string.
 * @throws {TypeError} an unknown option, one of the wrong type, or a field of the policy that cockatiel ignores.
 */
export function retryOptions(options?: CockatielOptions): {
	maxAttempts: number;
	backoff: { next(context: { readonly result: CockatielFailure }): CockatielBackoff };
};
