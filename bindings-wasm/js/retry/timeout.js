// The limit of an attempt.

/** What the caller of a loop gets for an attempt that met its limit, in ms. */
export function timeoutError(limit) {
	const message = `the attempt took longer than ${limit} ms`;
	return typeof DOMException === "function"
		? new DOMException(message, "TimeoutError")
		: Object.assign(new Error(message), { name: "TimeoutError" });
}
