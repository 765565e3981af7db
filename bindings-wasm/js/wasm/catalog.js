// The names that the core knows.

/** The entries by name. A line is a name, a unit and the names of the kinds: `cap_on kind window delay`. */
export function readCatalog(exports, bytes) {
	const entries = String.fromCharCode
		.apply(null, bytes.subarray(0, exports.catalog()))
		.split("\n")
		.map((line, position) => {
			const [name, unit, ...kinds] = line.trim().split(" ");
			const option = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
			const number = exports.field_number(position);
			// 0 marks a field that is not a limit.
			const noLimit = BigInt.asUintN(64, exports.no_limit(number)) || undefined;
			return [name, { name, option, unit, kinds, number, noLimit }];
		});
	return Object.fromEntries(entries);
}
