// AWS SDK for JavaScript v3: a retry strategy whose tokens are the states of operations.

import { fetchOutcome } from "backoff-wasm";
import {
	checkNotShared,
	OF_AN_OPERATION,
	operations,
	policyOf,
	readOptions,
	refuseFields,
	timeoutOf,
} from "./common.js";

/** A server error that may go away is transient to the SDK. */
const OUTCOMES = {
	TRANSIENT: "transient",
	THROTTLING: "throttled",
	SERVER_ERROR: "permanent",
	CLIENT_ERROR: "permanent",
};

/** The token of a call: it is what the SDK gives back after the next attempt. */
class RetryToken {
	#delay;

	constructor(operation, delay) {
		this.operation = operation;
		this.retries = operation.retries;
		this.#delay = delay;
	}

	getRetryCount() {
		return this.retries;
	}

	/** The middleware waits it. */
	getRetryDelay() {
		return timeoutOf(this.#delay);
	}
}

/** The option `retryStrategy` of a client. */
export class PolicyRetryStrategy {
	#begin;
	#stats;

	constructor(options = {}) {
		const read = readOptions("PolicyRetryStrategy", options, [...OF_AN_OPERATION, "budget", "stats"]);
		checkNotShared(read);
		if (read.budget?.kind === "concurrent") {
			throw new TypeError("a concurrent budget needs the end of every call, which the SDK does not tell");
		}
		refuseFields(policyOf(read.policy), { attemptTimeout: "set the requestTimeout of the client's requestHandler" });
		this.#begin = operations(read);
		this.#stats = read.stats;
	}

	async acquireInitialRetryToken() {
		return new RetryToken(this.#begin(performance.now()), 0);
	}

	async refreshRetryTokenForRetry({ operation }, { error, errorType, retryAfterHint }) {
		const outcome = OUTCOMES[errorType] === "transient" ? fetchOutcome(error) : undefined;
		const { delay, reason } = operation.decide(outcome === "timeout" ? outcome : OUTCOMES[errorType], {
			now: performance.now(),
			retryAfter: retryAfterHint && retryAfterHint.getTime() - Date.now(),
		});
		if (reason === undefined) {
			return new RetryToken(operation, delay);
		}
		this.#stats?.record(operation.attempts, reason);
		// The middleware throws the error of the call instead.
		throw new Error(`no retry: ${reason}`);
	}

	recordSuccess({ operation }) {
		operation.decide("success", { now: performance.now() });
		this.#stats?.record(operation.attempts, "success");
	}
}
