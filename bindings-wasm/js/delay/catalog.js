// The names that the core knows, in `backoff-wasm/delay`: build.mjs puts the text of the catalog here.

/** The fields of a policy. A line is a number, a value that means no limit or 0, a name, a unit and the kinds. */
export function readCatalog() {
	const entries = FIELDS.split("\n").map((line) => {
		const [number, noLimit, name, unit, ...kinds] = line.split(" ");
		const option = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
		return [name, { name, option, unit, kinds, number: Number(number), noLimit: BigInt(noLimit) || undefined }];
	});
	return Object.fromEntries(entries);
}
