// The names that the core knows.

import { optionOf } from "../core/option-name.js";

/** The entries by name. A line is a name, a unit and the names of the kinds: `cap_on kind window delay`. */
export function readCatalog(exports, words, bytes) {
	const entries = String.fromCharCode
		.apply(null, bytes.subarray(0, exports.catalog()))
		.split("\n")
		.map((line, position) => {
			const [name, unit, ...kinds] = line.trim().split(" ");
			// 0 marks a field that is not a limit.
			const noLimit = words.getBigUint64(8 * position, true) || undefined;
			return [name, { name, option: optionOf(name), unit, kinds, noLimit }];
		});
	return Object.fromEntries(entries);
}
