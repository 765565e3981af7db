// Types of backoff-wasm/got.

import type { Options, Response } from "got";
import type { HttpRetriesOptions } from "../index.js";

/** The options of {@link retries}. The requests are the options of got, and the responses are those of got. */
export interface GotRetriesOptions extends HttpRetriesOptions<Options, Response> {}

/**
 * Options for `got.extend`, with which got repeats requests by a policy (SPEC 19), in place of its option `retry`. A
 * request has a switch, `context: { retry: true }`. If the retries end, the promise ends as those of got do. Streams of
 * got are left as they are.
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {RangeError} a method or a status that does not exist.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retries(options?: GotRetriesOptions): {
	// biome-ignore lint/suspicious/noExplicitAny: the handlers of got have a type for each way to call it.
	handlers: Array<(options: any, next: (options: any) => any) => any>;
};
