// Types of backoff-wasm/got.

import type { Options, Response } from "got";
import type { HttpRetriesOptions } from "../index.js";

/** The options of {@link retries}. The requests are the options of got, and the responses are those of got. */
export interface GotRetriesOptions extends HttpRetriesOptions<Options, Response> {}

/**
 * Options for `got.extend`, with which got repeats requests by a policy. They take the place of got's option `retry`.
 *
 * - It repeats a request with an idempotent method, or with an `Idempotency-Key`. It sends any other once, and one with a
 *   stream as its `body`. `context: { retry: true }` says that a request may be repeated, and `false` that it is sent
 *   once; `null` leaves it to the options.
 * - If the retries end, the promise ends as got's promises do. Streams of got are left as they are.
 *
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {RangeError} a method or a status that does not exist.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: GotRetriesOptions): {
	// biome-ignore lint/suspicious/noExplicitAny: the handlers of got have a type for each way to call it.
	handlers: Array<(options: any, next: (options: any) => any) => any>;
};
