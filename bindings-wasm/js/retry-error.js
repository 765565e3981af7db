/** The errors that were thrown wrapped: permanent in every loop that they come through. */
const marked = new WeakSet();

/** Thrown by a function that is retried: this failure may not be repeated. */
export class AbortError extends Error {
	// The name that a minifier takes.
	static name = "AbortError";

	constructor(failure) {
		const error = Object(failure) === failure ? failure : new Error(failure);
		super(error.message);
		// Of one that was wrapped twice, what the caller is to get.
		this.originalError = error instanceof AbortError ? error.originalError : error;
	}

	get name() {
		return AbortError.name;
	}
}

/** What a function threw, without the wrapping, which is kept in mind. */
export function unwrapped(error) {
	if (!(error instanceof AbortError)) {
		return error;
	}
	marked.add(error.originalError);
	return error.originalError;
}

/** Whether a function has said of this error that it may not be repeated. */
export function isMarked(error) {
	return marked.has(error);
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
