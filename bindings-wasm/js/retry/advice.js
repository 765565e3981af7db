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
 * The rest of the sentence "NAME is unknown"; undefined if there is no advice. `known` are all names. The core knows
 * those of other libraries for fields: what `parse` says of a policy string with that key.
 */
export function adviceOn(name, parse, known) {
	let keys = "";
	try {
		parse(`off:${name.toLowerCase()}=`);
	} catch ({ message }) {
		keys = /(?:mean|:) ([\w ]+?)(?:\?| has no)/.exec(message)?.[1] ?? "";
	}
	const all = [...known.filter((each) => isNear(each, name)), ...optionOf(keys).split(" or ")];
	const meant = [...new Set(all)].filter(Boolean).join(" or ") || MEANT.find(([names]) => names.test(name))?.[1];
	return meant && `; did you mean ${meant}?`;
}

/** Whether two names differ in one letter, or only in their case. */
function isNear(...names) {
	const [one, other] = names.map((name) => name.toLowerCase());
	let same = 0;
	while (one[same] && one[same] === other[same]) {
		same++;
	}
	return [same, same + 1].some((end) => [same, same + 1].some((next) => one.slice(end) === other.slice(next)));
}
