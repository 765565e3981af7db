import { wrongType } from "./error.js";

/** The known options of an object, read once; no other may be given. */
export function own(what, options, known) {
	// What an object inherits would be an option that is not seen here, or one that nobody gave.
	if (typeof options !== "object" || options === null || !isPlain(options)) {
		wrongType(what, "a plain object of options", options);
	}
	for (const option of Reflect.ownKeys(options)) {
		if (!known.includes(option)) {
			throw new TypeError(`${String(option)} is unknown; the options of ${what} are ${known.join(", ")}`);
		}
	}
	return Object.fromEntries(
		known.filter((option) => Object.hasOwn(options, option)).map((option) => [option, options[option]]),
	);
}

/** Whether it has no prototype but that of all objects, of whichever realm. */
function isPlain(value) {
	const prototype = Object.getPrototypeOf(value);
	return prototype === null || (Object.getPrototypeOf(prototype) === null && !Array.isArray(value));
}
