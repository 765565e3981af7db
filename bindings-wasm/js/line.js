import { wrongType } from "./error.js";
import { module, writeText } from "./module.js";
import { lineRefusal } from "./refusal.js";

/** What a function of the module answers to a line, if it does not refuse it. */
export function ofLine(read, line) {
	if (typeof line !== "string") {
		wrongType("line", "a string", line);
	}
	// The bytes hold more than the longest line, so a longer one is longer there too. A lone
	// surrogate is refused as what stands for it is, at the same place.
	const { written } = writeText(line);
	return module().exports[read](written) || lineRefusal(line);
}
