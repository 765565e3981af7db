// The loop of a request, for HTTP clients that leave the loop to their adapter.

import { httpVerdict, RetryError, retry, StartError } from "backoff-wasm";
import { drain, verdictOfError } from "./http.js";

/** The options of such an adapter, beside those of every HTTP adapter. */
export const OF_A_LOOP = ["deadline", "onRetry", "onStop", "unref", "clock"];

/**
 * The last response of `attempt`, which is called until the options stop it. `bodyOf` is the unread body of a response,
 * and `responseOf` what an error says of one.
 */
export async function request(
	attempt,
	{ attemptTimeout: _, budgetOf, origin, signal, ...options },
	bodyOf,
	responseOf,
) {
	const { onRetry } = options;
	let unread;
	let close = () => {};
	const ofError = (error) => responseOf?.(error);
	try {
		return await retry(
			async () => {
				close();
				try {
					unread = await attempt();
					return unread;
				} catch (error) {
					unread = ofError(error);
					throw error;
				}
			},
			{
				...options,
				budget: budgetOf(origin),
				signal,
				shouldRetry: (error) => verdictOfError(error, ofError(error)),
				shouldRetryResult: (response) => httpVerdict(response),
				async onRetry(event) {
					await onRetry?.(event);
					close = drain(bodyOf(unread));
					unread = undefined;
				},
			},
		);
	} catch (error) {
		// Without the core the attempt was the only one, and it ends as it ended.
		const end = error instanceof StartError && error.code === "not_retried" ? error.cause : error;
		if (end instanceof RetryError) {
			return end.result;
		}
		close();
		if (ofError(end) === undefined) {
			drain(bodyOf(unread))();
		}
		throw end;
	}
}
