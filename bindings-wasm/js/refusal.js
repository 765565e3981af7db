// What the core says about what it refused.

import { PolicyError } from "./error.js";
import { module, readText, wordAt } from "./module.js";

/** Throws the refusal of a policy of these values. */
export function refusal(values) {
	const { code, field, value, limit, message } = refused();
	const given = values.find(([{ name }]) => name === field)?.[1];
	throw given?.shown === undefined
		? new PolicyError(code, field, value, limit, message)
		: // The second word of such a message is the value.
			new PolicyError(
				code,
				field,
				given.value,
				limit,
				message.replace(/ \S+/, () => ` ${given.shown}`),
			);
}

/** Throws the refusal of a line. */
export function lineRefusal(line) {
	const { code, field, value, limit, message } = refused();
	const at = Number(wordAt(3));
	const rest = line.slice(at);
	// What is before an error is ASCII, and how long what was found is, the core says in bytes.
	const { bytes, encoder } = module();
	const { read } = encoder.encodeInto(rest, bytes.subarray(0, Number(wordAt(4))));
	throw new PolicyError(code, field || undefined, value, limit, message, at, rest.slice(0, read));
}

function refused() {
	const [code, field, message] = readText(Number(wordAt(2))).split("\n");
	return { code, field, value: wordAt(0), limit: wordAt(1), message };
}
