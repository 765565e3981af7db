import { define, defineError } from "../core/show.js";
import { isMarked, MARK } from "./is-verdict.js";

/** The number of loops that have begun. */
let loops = 0;

/** For an error that was thrown inside a `PermanentError`: the number of loops that had begun by then. Made for the first. */
let permanent;

/** A function that is retried throws it to say: do not repeat this failure. */
export const PermanentError = /* @__PURE__ */ marked(
	class PermanentError extends Error {
		constructor(failure, options) {
			const isText = failure === undefined || typeof failure === "string";
			const error = isText ? new Error(failure, options) : failure;
			super(Object(error) === error ? error.message : String(error));
			// Wrapping twice keeps the innermost error.
			this.originalError = isMarked(error) ? error.originalError : error;
		}
	},
);

function marked(Class) {
	Object.defineProperty(Class.prototype, MARK, { get: () => true, configurable: true });
	return defineError("PermanentError", Class);
}

/** Begins a loop; returns its number. */
export function beginLoop() {
	return ++loops;
}

/** The error that a function threw, out of its `PermanentError`. It is permanent in all loops that have begun. */
export function unwrap(error) {
	if (!isMarked(error)) {
		return error;
	}
	const { originalError } = error;
	if (Object(originalError) === originalError) {
		permanent ??= new WeakMap();
		permanent.set(originalError, loops);
	}
	return originalError;
}

/** What a getter of any error returns, or undefined if it throws. */
function attempt(read) {
	try {
		return read();
	} catch {
		return undefined;
	}
}

/** Errors of an `AggregateError` may form a cycle. */
const MAX_DEPTH = 5;

/**
 * Whether an error, or one in an `AggregateError`, is a `PermanentError` or was marked as permanent since this
 * loop began. A loop that begins later may retry it.
 */
export function isPermanent(error, loop, depth = 0) {
	if (isMarked(error) || loop <= permanent?.get(error)) {
		return true;
	}
	const errors = attempt(() => error.errors);
	return depth < MAX_DEPTH && Array.isArray(errors) && errors.some((part) => isPermanent(part, loop, depth + 1));
}

/** The loop stopped on a result that was never the wanted one. */
export const RetryError = /* @__PURE__ */ defineError(
	"RetryError",
	class RetryError extends Error {
		constructor(reason, attempts, result) {
			super(`gave up after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}: ${reason}`);
			this.reason = reason;
			this.attempts = attempts;
			this.result = result;
		}
	},
);

const MAX_PARTS = 262_144;

/** Whether an error is another one, or has it among its causes and errors, however deep. */
function holds(error, other) {
	const parts = new Set([error]);
	// The loop also reaches what is added during it. Getters that make new errors could go on for ever.
	for (const part of parts) {
		if (parts.has(other) || parts.size > MAX_PARTS) {
			break;
		}
		parts.add(attempt(() => part.cause));
		for (const inner of attempt(() => Object.values(Object(part.errors))) ?? []) {
			parts.add(inner);
		}
	}
	return parts.has(other);
}

/**
 * The error to throw when a callback has thrown after a call failed. Neither is lost: the failure becomes
 * the cause of what was thrown, or, if that has a cause of its own or cannot have one, both are in an
 * `AggregateError`. If one holds the other, it is thrown as it is: no error becomes a cause of itself.
 */
export function withFailure(thrown, end) {
	if (!("error" in end) || holds(thrown, end.error)) {
		return thrown;
	}
	if (Object(thrown) === thrown && holds(end.error, thrown)) {
		if (permanent?.has(thrown)) {
			permanent.set(end.error, permanent.get(thrown));
		}
		return end.error;
	}
	attempt(() => thrown.cause === undefined && define(thrown, "cause", end.error));
	if (holds(thrown, end.error)) {
		return thrown;
	}
	return new AggregateError([thrown, end.error], "a callback threw after the call had failed");
}
