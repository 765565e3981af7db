// What to write in place of an option of another library.

const MEANT = {
	retries: "maxRetries",
	tries: "maxAttempts",
	attempts: "maxAttempts",
	numOfAttempts: "maxAttempts",
	limit: "maxRetries",
	times: "maxAttempts",
	minTimeout: "base",
	minDelay: "base",
	startingDelay: "base",
	initialDelay: "base",
	initialInterval: "base",
	interval: "base",
	delay: "base, or delays: [100, 200]",
	retryDelay: "base, or delays: [100, 200]",
	calculateDelay: "delays: (index, failure) => 100",
	maxTimeout: "cap",
	maxDelay: "cap",
	maxInterval: "cap",
	backoffLimit: "cap",
	factor: "multiplier",
	timeMultiple: "multiplier",
	exponent: "multiplier",
	maxRetryTime: "maxElapsed",
	maxElapsedTime: "maxElapsed",
	timeout: "attemptTimeout, or maxElapsed for all attempts",
	forever: "maxRetries: Infinity",
	randomize: 'jitter: "full", which the default policy has',
	delayFirstAttempt: "nothing: the first attempt never waits",
	retry: "shouldRetry",
	retryOn: "shouldRetry",
	retryIf: "shouldRetry",
	retryCondition: "shouldRetry",
	shouldRetryError: "shouldRetry",
	handle: "shouldRetry",
	onFailedAttempt: "onRetry, and onStop for the last failure",
	onError: "onRetry, and onStop for the last failure",
	onRetryAttempt: "onRetry",
	abortSignal: "signal",
};

/** The rest of the sentence "NAME is unknown" for an option of another library, or for one in another spelling. */
export function adviceOn(name) {
	const meant = Object.hasOwn(MEANT, name) ? MEANT[name] : undefined;
	return meant && `; did you mean ${meant}?`;
}
