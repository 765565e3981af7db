// Types of backoff-wasm/got.

import type { HttpRetriesOptions } from "../index.js";

/** The options of {@link retries}. The requests are the options of got, and the responses are those of got. */
// biome-ignore lint/suspicious/noExplicitAny: this file does not need the types of got, whose requests are generic.
export interface GotRetriesOptions extends HttpRetriesOptions<any, any> {}

/**
 * Options for `got.extend`, with which got repeats requests by a policy. They take the place of got's option `retry`.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once, and one with a
 *   stream as its `body`. `context: { retry: true }` says that a request may be repeated, and `false` that it is sent
 *   once.
 * - If the retries end, the promise ends as got's promises do. Streams of got are left as they are.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: GotRetriesOptions): {
	// biome-ignore lint/suspicious/noExplicitAny: the handlers of got have a type for each way to call it.
	handlers: Array<(options: any, next: (options: any) => any) => any>;
};
