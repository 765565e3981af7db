// Unread bodies. A connection can be reused once a short body has been read (SPEC 19.5).

/** Reading this many bytes costs less than a new connection. */
export const MAX_DRAINED = 64 * 1024;

/** Reads the rest of a body, or closes it if that is long. Returns a function that closes it now. */
export function drain(body) {
	if (typeof body?.getReader === "function") {
		return drainWebStream(body);
	}
	return typeof body?.resume === "function" && typeof body.destroy === "function" ? drainStream(body) : () => {};
}

function drainWebStream(body) {
	if (body.locked) {
		return () => {};
	}
	const reader = body.getReader();
	// The outcome of an unread body does not matter.
	const close = () => void reader.cancel().catch(() => {});
	const read = async (left) => {
		const { done, value } = await reader.read();
		if (!done) {
			return value.byteLength > left ? close() : read(left - value.byteLength);
		}
	};
	read(MAX_DRAINED).catch(() => {});
	return close;
}

function drainStream(body) {
	let left = MAX_DRAINED;
	const close = () => void body.destroy();
	body.on("error", () => {});
	body.on("data", ({ length }) => {
		left -= length;
		if (left < 0) {
			close();
		}
	});
	return close;
}
