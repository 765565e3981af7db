// The other modules. They work on the memory of the first one and call its functions. A bundler leaves out those that a
// program does not need.

import { compileAnalysis, compileBudget, compileMember } from "./compiled.js";
import { instantiate, module, part } from "./module.js";

/** A module that starts at first use: its functions, and the place of its value in the memory. */
function startedLate(compile, importsOf, name) {
	let started;
	return () => {
		if (!started) {
			const exports = instantiate(compile, { first: module().exports, ...importsOf() });
			started = { exports, place: name && part(exports, name) };
		}
		return started;
	};
}

export const analysis = /* @__PURE__ */ startedLate(compileAnalysis, () => ({}));
export const budgets = /* @__PURE__ */ startedLate(compileBudget, () => ({}), "budget");
export const members = /* @__PURE__ */ startedLate(compileMember, () => ({ budget: budgets().exports }), "member");
