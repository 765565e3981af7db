// Types of backoff-wasm/fetch.

import type { HttpRetriesOptions, HttpWaitOptions } from "../index.js";

/** A request of `fetch`: its arguments, of the types of the function that makes the requests, and what follows. */
export interface FetchRequest<F = typeof fetch> {
	readonly input: F extends (input: infer Input, ...others: never[]) => unknown ? Input : unknown;
	readonly init: (F extends (input: never, init?: infer Init) => unknown ? Init : unknown) | undefined;
	readonly method: string;
	readonly url: string;
	readonly headers: Headers;
}

/** The options of {@link retryingFetch}. */
export interface RetryingFetchOptions<F = typeof fetch>
	extends HttpRetriesOptions<
			FetchRequest<F>,
			F extends (...given: never[]) => PromiseLike<infer Returned> ? Returned : Response
		>,
		HttpWaitOptions {
	/**
	 * What makes the requests. Default: the global `fetch`, as it is at that time. In place of a function of this
	 * package, the one that it calls makes them, because otherwise both would repeat a request.
	 */
	readonly fetch?: F | undefined;
}

/** Whether one request may be repeated; `null` and `undefined` leave it to the options. */
interface RetrySwitch {
	readonly retry?: boolean | null | undefined;
}

/** A function like `fetch`, whose second argument may have the member `retry`. */
export type RetryingFetch<F = typeof fetch> = F &
	(F extends (input: infer Input, init?: infer Init) => infer Returned
		? (input: Input, init?: Init & RetrySwitch) => Returned
		: unknown) & {
		/** The same function with some options changed. It shares the budgets, unless it gets one. */
		readonly withOptions: (changes: RetryingFetchOptions<F>) => RetryingFetch<F>;
	};

/**
 * A function like `fetch`, which repeats requests by a policy (SPEC 19). If the retries end, it returns the last
 * response, or rejects with the last error.
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {RangeError} a method or a status that does not exist.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retryingFetch<F = typeof fetch>(options?: RetryingFetchOptions<F>): RetryingFetch<F>;
