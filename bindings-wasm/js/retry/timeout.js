// The limit of an attempt.

/** What the caller of a loop gets for an attempt that met its limit, in ms. */
export function timeoutError(limit) {
	return Object.assign(new Error(`the attempt took longer than ${limit} ms`), { name: "TimeoutError" });
}
