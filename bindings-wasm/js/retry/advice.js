// What to write in place of an option of another library, or of one in another spelling.

import { optionOf } from "../core/option-name.js";

/** Options of other libraries that are not fields of a policy. */
const MEANT = [
	[/^forever$/, "maxRetries: Infinity"],
	[/^(?:retry|shouldRetry|handle)/, "shouldRetry"],
	[/^on[A-Z]/, "onRetry, and onStop for the last failure"],
	[/signal/i, "signal"],
];

/**
 * The rest of the sentence "NAME is unknown"; undefined if there is no advice. The core knows the names of fields: what
 * `parse` says of a policy string with that key.
 */
export function adviceOn(name, parse) {
	let key;
	try {
		parse(`off:${name.toLowerCase()}=`);
	} catch ({ message }) {
		key = /(\w+)(?:\?| has no)/.exec(message)?.[1];
	}
	const meant = key ? optionOf(key) : MEANT.find(([names]) => names.test(name))?.[1];
	return meant && `; did you mean ${meant}?`;
}
