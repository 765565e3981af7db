// got: the function by which it asks for the delay of each retry, made anew for each request.

import { checkNotShared, operations, policyOf, timeoutOf, verdictOf } from "./common.js";
import { checkBody, isRepeatable, readHttpOptions, verdictOfError } from "./http.js";

/** The options for `got.extend`. */
export function retries(options = {}) {
	const { attemptTimeout, budgetOf, stats, ...read } = readHttpOptions("retries", options);
	checkNotShared(options);
	const policy = policyOf(read.policy);
	const handler = (request, next) => {
		// The caller of a stream repeats it.
		if (request.isStream) {
			return next(request);
		}
		if (!isRepeatable(request.method, request.headers["idempotency-key"])) {
			setRetry(request, () => 0);
			return next(request);
		}
		checkBody(request.body);
		const operation = operations({ ...read, policy, budget: budgetOf(request.url.origin) })(performance.now());
		setRetry(request, ({ error }) => {
			const { outcome, retryAfter } = judge(error);
			const { delay, reason } = operation.decide(outcome, { now: performance.now(), retryAfter });
			// got takes 0 for: no retry.
			return reason === undefined ? Math.max(timeoutOf(delay), 1) : 0;
		});
		if (attemptTimeout) {
			const { request: own = attemptTimeout } = request.timeout;
			request.timeout = { ...request.timeout, request: Math.min(own, attemptTimeout) };
		}
		const promise = next(request);
		const end = (reason) => stats?.record(operation.attempts, reason);
		promise.then(
			// It has its reason if it stopped on a response that got returns.
			() => end(operation.decide("success", { now: performance.now() }).reason),
			() => end(operation.cancel()),
		);
		return promise;
	};
	return { handlers: [handler] };
}

/** The code of got for a response whose body was cut off. Node.js has it for a request whose body is too short. */
const CUT_OFF = "ERR_HTTP_CONTENT_LENGTH_MISMATCH";

function judge(error) {
	const { statusCode: status, headers } = error.response ?? {};
	if (error.code === CUT_OFF && error.name === "ReadError") {
		return { outcome: "transient" };
	}
	return verdictOf(verdictOfError(error, { status, headers }));
}

function setRetry(request, delayAfter) {
	const { retry } = request;
	// A hook that wants the request again, with other options, gets it at once: this is no failure.
	const calculateDelay = (state) => (state.error.name === "RetryError" ? 1 : delayAfter(state));
	// Later versions call it only where their own rules allow a retry, unless enforceRetryRules is false.
	request.retry = { ...retry, calculateDelay, ...("enforceRetryRules" in retry && { enforceRetryRules: false }) };
}
