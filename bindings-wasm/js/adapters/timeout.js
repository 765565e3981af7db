// The time for one attempt of a client that takes a signal.

import { timeoutError } from "../retry/timeout.js";

/** A signal that aborts with another one. Of many requests with one signal, Node.js would warn about the eleventh listener. */
export function derived(signal) {
	return AbortSignal.any && signal instanceof AbortSignal ? AbortSignal.any([signal]) : (signal ?? undefined);
}

/** A signal that aborts with either. It stays, because the caller may abort while the body arrives. */
export function either(first, second) {
	if (!first || !second) {
		return first ?? second;
	}
	// Not in React Native, nor in Node.js before 20.3.
	if (AbortSignal.any) {
		return AbortSignal.any([first, second]);
	}
	const controller = new AbortController();
	for (const signal of [first, second]) {
		const abort = () => controller.abort(signal.reason);
		signal.addEventListener("abort", abort, { once: true });
		if (signal.aborted) {
			abort();
		}
	}
	return controller.signal;
}

/**
 * The result of an attempt, which gets a signal, and must end within this many milliseconds, if there is a timeout. One
 * that ignores its signal is left behind.
 */
export async function withTimeout(timeout, signal, attempt, errorOf = timeoutError) {
	if (!timeout) {
		return attempt(signal);
	}
	const controller = new AbortController();
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => {
			const error = errorOf(timeout);
			reject(error);
			controller.abort(error);
		}, timeout);
	});
	try {
		return await Promise.race([attempt(either(signal, controller.signal)), late]);
	} finally {
		clearTimeout(timer);
	}
}
