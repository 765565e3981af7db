// The loop of a request.

import { RetryError, retry, StartError } from "backoff-wasm";
import { warnOnce } from "../warning.js";
import { Classifier, originOf } from "./http.js";

const OF_RETRY = ["policy", "stream", "seed", "key", "stats", "deadline", "onRetry", "onStop", "unref", "clock"];

/**
 * The last response of `attempt`, which is called until the options stop it. `client` describes the request: see
 * `Classifier`. Its `drain(response)` reads an unread body and returns a function that closes it, and
 * `responseOf(error)` is the response of an error that stands for one.
 */
export async function request(attempt, settings, client) {
	const { onRetry, onStop } = settings;
	const { signal, url, drain = () => () => {}, responseOf = () => undefined } = client;
	const classifier = new Classifier(settings, client);
	let unread;
	let close = () => {};
	try {
		return await retry(
			async () => {
				close();
				try {
					unread = await attempt();
					return unread;
				} catch (error) {
					unread = responseOf(error);
					throw error;
				}
			},
			{
				...Object.fromEntries(OF_RETRY.filter((name) => name in settings).map((name) => [name, settings[name]])),
				...settings.fields,
				// The client ends an attempt, and only a request that may be repeated is repeated after it.
				attemptTimeout: Infinity,
				budget: settings.budgetOf(originOf(url)),
				signal,
				// A default of the program is no response.
				fallback: (error) => {
					throw error;
				},
				shouldRetry: (error) => classifier.verdictOn({ error, response: responseOf(error) }),
				shouldRetryResult: (response) => classifier.verdictOn({ response }),
				onStop: onStop && ((event) => onStop(classifier.eventOf(event))),
				async onRetry(event) {
					await onRetry?.(classifier.eventOf(event));
					close = drain(unread);
					unread = undefined;
				},
			},
		);
	} catch (error) {
		// Without the core the attempt was the only one, and it ends as it ended.
		const isNotRetried = error instanceof StartError && error.code === "not_retried";
		if (isNotRetried) {
			warnOnce("start", () => `backoff: requests are sent once, without retries: ${error.message}`);
		}
		const end = isNotRetried ? error.cause : error;
		if (end instanceof RetryError && end.result === unread) {
			return unread;
		}
		close();
		if (unread !== undefined && responseOf(end) === undefined) {
			drain(unread)();
		}
		throw end;
	}
}
