// The second module: budgets, shared budgets, stats, previews, fits and HTTP. It works on the memory of the first one and
// calls its functions. A program that needs none of them does not have it.

import { compileMore } from "./compiled.js";
import { instantiate, module, part } from "./module.js";

/** @type {ReturnType<typeof start> | undefined} */
let started;

/** Its functions, and the places of its values in the memory. */
export function more() {
	started ??= start();
	return started;
}

function start() {
	const exports = instantiate(compileMore, { first: module().exports });
	return {
		exports,
		budget: part(exports, "budget"),
		member: part(exports, "member"),
		stats: part(exports, "stats"),
		added: part(exports, "added"),
	};
}
