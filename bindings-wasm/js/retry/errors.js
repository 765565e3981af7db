/** Errors that were thrown inside an `AbortError`. They are permanent in every enclosing loop, too. */
const permanent = new WeakSet();

/** A function that is retried throws it to say: do not repeat this failure. */
export class AbortError extends Error {
	static name = "AbortError"; // stays the same when a bundler renames the class

	constructor(failure) {
		const error = Object(failure) === failure ? failure : new Error(failure);
		super(error.message);
		// Wrapping twice keeps the innermost error.
		this.originalError = error instanceof AbortError ? error.originalError : error;
	}

	get name() {
		return AbortError.name;
	}
}

/** The error that a function threw, out of its `AbortError`. It is permanent from then on. */
export function unwrap(error) {
	if (!(error instanceof AbortError)) {
		return error;
	}
	permanent.add(error.originalError);
	return error.originalError;
}

/** Whether a function marked this error as permanent. */
export function isPermanent(error) {
	return permanent.has(error);
}

/** The loop stopped on a result that was never the wanted one. */
export class RetryError extends Error {
	static name = "RetryError"; // stays the same when a bundler renames the class

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
