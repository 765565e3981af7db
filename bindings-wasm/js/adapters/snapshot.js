// Copies of arguments, which a caller may change after the call.

/** A copy of an object, with the members that it inherits, such as those of a `Request`. */
export function copyOfMembers(object) {
	const copy = { ...object };
	for (let from = object; from; from = Object.getPrototypeOf(from)) {
		for (const name of Object.getOwnPropertyNames(from)) {
			if (!(name in copy)) {
				copy[name] = object[name];
			}
		}
	}
	return copy;
}

/** A copy of the second argument of `fetch`. */
export function copyOfInit(init) {
	if (typeof init !== "object" || init === null) {
		return init;
	}
	const copy = copyOfMembers(init);
	for (const [name, copyOf] of [
		["headers", copyOfHeaders],
		["body", copyOfBody],
	]) {
		if (Object(copy[name]) === copy[name]) {
			copy[name] = copyOf(copy[name]);
		}
	}
	return copy;
}

/** The same kind of headers, so that another `fetch` and its mocks get what the caller gave. An iterator is used up. */
export function copyOfHeaders(headers) {
	if (typeof headers.append === "function") {
		return new headers.constructor(headers);
	}
	const copyOf = (pair) => (Object(pair) === pair ? [...pair] : pair);
	return Symbol.iterator in headers ? Array.from(headers, copyOf) : { ...headers };
}

/** Other bodies do not change, or are streams. */
function copyOfBody(body) {
	const { append, buffer, byteLength, byteOffset, pipe, slice } = body;
	if (buffer && byteLength !== undefined) {
		// Of a Buffer, its own method shares the bytes.
		return body.BYTES_PER_ELEMENT
			? Uint8Array.prototype.slice.call(body)
			: new DataView(buffer.slice(byteOffset, byteOffset + byteLength));
	}
	if (byteLength !== undefined && slice) {
		return body.slice();
	}
	if (!append || pipe || !(Symbol.iterator in body)) {
		return body;
	}
	const copy = new body.constructor();
	for (const [name, value] of body) {
		copy.append(name, value);
	}
	return copy;
}
