// Types of backoff-wasm/aws-sdk.

import type { Budget, OfAnOperation, RetryStats } from "../index.js";

/** The options of {@link PolicyRetryStrategy}. */
export interface PolicyRetryStrategyOptions extends OfAnOperation {
	/** The budget for the retries of the client: a budget or a budget string, not `concurrent`. Default: none. */
	readonly budget?: Budget | string | undefined;
	/** Counts the attempts and the stop reason of each call. */
	readonly stats?: RetryStats | undefined;
}

/** What the SDK keeps of a call between two attempts: a `RetryToken` of `@smithy/types`. */
export interface PolicyRetryToken {
	/** The number of the retries so far. */
	getRetryCount(): number;
	/** The delay in ms, rounded up, at most 2^31 - 1. The middleware of the SDK waits it. */
	getRetryDelay(): number;
}

/**
 * A retry strategy for any client of the AWS SDK v3 (`RetryStrategyV2` of `@smithy/types`). The SDK tells which errors
 * may be repeated; the policy tells how long to wait and when to stop. The `maxAttempts` of the client has no effect.
 */
export class PolicyRetryStrategy {
	/**
	 * @throws {PolicyError} an invalid policy string or budget string.
	 * @throws {TypeError} an unknown option, one of the wrong type, a `concurrent` budget, or an `attempt_timeout`.
	 */
	constructor(options?: PolicyRetryStrategyOptions);
	acquireInitialRetryToken(retryTokenScope: string): Promise<PolicyRetryToken>;
	refreshRetryTokenForRetry(
		tokenToRenew: PolicyRetryToken,
		errorInfo: {
			readonly error?: unknown;
			readonly errorType: "TRANSIENT" | "THROTTLING" | "SERVER_ERROR" | "CLIENT_ERROR";
			readonly retryAfterHint?: Date;
		},
	): Promise<PolicyRetryToken>;
	recordSuccess(token: PolicyRetryToken): void;
}
