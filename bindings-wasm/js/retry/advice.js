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
 * The rest of the sentence "NAME is unknown"; undefined if there is no advice. `known` are all names, of which one that
 * differs in a letter may be meant. The core knows what other libraries call fields: what `parse` says of a policy string
 * with that key.
 */
export function adviceOn(name, parse, known) {
	let meant;
	try {
		// A name that is no regular expression is near none.
		const isNear = (each) =>
			[...name].some((_, at) => RegExp(`^${name.slice(0, at)}.{0,2}${name.slice(at + 1)}$`, "i").test(each));
		meant = known.filter(isNear);
		parse(`off:${name.toLowerCase()}=`);
	} catch ({ message }) {
		const keys = /(?:mean|:) ([\w ]+?)(?:\?| has no)/.exec(message)?.[1];
		meant = [...new Set(keys ? [...meant, ...optionOf(keys).split(" or ")] : meant)].join(" or ");
	}
	meant ||= MEANT.find(([names]) => names.test(name))?.[1];
	return meant && `; did you mean ${meant}?`;
}
