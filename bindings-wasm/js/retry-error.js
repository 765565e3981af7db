/** Thrown by a function that is retried: this failure may not be repeated. */
export class AbortError extends Error {
	// The name that a minifier takes.
	static name = "AbortError";

	constructor(failure) {
		const error = typeof failure === "string" ? new Error(failure) : failure;
		super(Object(error).message);
		// Of one that was wrapped twice, what the caller is to get.
		this.originalError = error instanceof AbortError ? error.originalError : error;
	}

	get name() {
		return AbortError.name;
	}
}

/** Given up on a result: it was never what was wanted. */
export class RetryError extends Error {
	// The name that a minifier takes.
	static name = "RetryError";

	constructor(reason, attempts, result) {
		super(`gave up after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}: ${reason}`);
		this.reason = reason;
		this.attempts = attempts;
		this.result = result;
	}

	get name() {
		return RetryError.name;
	}
}
