// Waiting for a signal to abort. A signal gets one listener however many loops use it, because
// Node.js warns about the eleventh.

/** The callbacks of everything that waits for one signal. */
class AbortCallbacks extends Set {
	handleEvent() {
		for (const callback of this) {
			callback();
		}
	}
}

/** @type {WeakMap<AbortSignal, AbortCallbacks>} */
const callbacksOf = /* @__PURE__ */ new WeakMap();

/** Calls back when a signal aborts. Returns a function that unregisters the callback. */
export function whenAborted(signal, callback) {
	let callbacks = callbacksOf.get(signal);
	if (!callbacks) {
		callbacks = new AbortCallbacks();
		callbacksOf.set(signal, callbacks);
		signal.addEventListener("abort", callbacks);
	}
	callbacks.add(callback);
	return () => {
		callbacks.delete(callback);
		if (callbacks.size === 0 && callbacksOf.get(signal) === callbacks) {
			callbacksOf.delete(signal);
			signal.removeEventListener("abort", callbacks);
		}
	};
}

/** @type {WeakMap<AbortSignal, Error>} */
const reasons = /* @__PURE__ */ new WeakMap();

/** The reason of a signal that has aborted. The signals of React Native have none. */
export function reasonOf(signal) {
	if (signal.reason !== undefined) {
		return signal.reason;
	}
	const reason = reasons.get(signal) ?? Object.assign(new Error("This operation was aborted"), { name: "AbortError" });
	reasons.set(signal, reason);
	return reason;
}

/** Throws the reason of a signal, if it has aborted. */
export function throwIfAborted(signal) {
	if (signal?.aborted) {
		throw reasonOf(signal);
	}
}

/** In place of the result of a step. */
export const ABORTED = /* @__PURE__ */ Symbol("aborted");

/** The result of a step, or `ABORTED` once the signal aborts; the step's own end is then ignored. */
export async function unlessAborted(signal, step) {
	let unregister;
	try {
		return await new Promise((resolve, reject) => {
			const abort = () => resolve(ABORTED);
			unregister = whenAborted(signal, abort);
			Promise.resolve(step).then(resolve, reject);
			if (signal.aborted) {
				// One turn later, so that a step that has ended already comes first.
				Promise.resolve().then(abort);
			}
		});
	} finally {
		unregister();
	}
}
