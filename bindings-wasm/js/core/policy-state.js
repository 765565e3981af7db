// A policy without its class, which loops and iterators do not need: the class has previews and fits.

import { copy, module, wordAt } from "../wasm/module.js";
import { parseText } from "./core-errors.js";
import { typeName, wrongType } from "./errors.js";

/** The state of each Policy. */
const states = /* @__PURE__ */ new WeakMap();

/** The state that the module holds; it holds one at a time. */
let current;

/** The state of a policy. Throws for anything else. */
export function checkPolicy(policy, wanted = "a Policy") {
	return (
		states.get(policy) ??
		wrongType("policy", wanted, policy, typeName(policy) === "object" ? "; make it with new Policy(options)" : "")
	);
}

/** Whether it is a policy. */
export const isPolicy = (policy) => states.has(policy);

/** Gives a policy the state that is current. */
export function begin(policy) {
	states.set(policy, currentState());
	return policy;
}

export function makeCurrent(state) {
	if (current !== state) {
		copy(state.bytes, module().policy);
		current = state;
	}
}

/** The state of a policy string. */
export function parsePolicyText(text) {
	parseText((length) => module().exports.policy_parse(length), text);
	return currentState();
}

/** The state of the policy that the module has just made: its bytes, and its limits once they were asked for. */
function currentState() {
	current = { bytes: copy(module().policy), limits: undefined };
	return current;
}

/** The limits of a policy: of its retries, and whether there is one of its time. */
export function limitsOf(state) {
	state.limits ??= readLimits(state);
	return state.limits;
}

function readLimits(state) {
	makeCurrent(state);
	const { exports, fields } = module();
	exports.policy_params();
	/** A limit, undefined if there is none. */
	const limitOf = (wanted) => {
		const position = fields.findIndex(({ name }) => name === wanted);
		const limit = wordAt(position + 1);
		return limit === fields[position].noLimit ? undefined : limit;
	};
	const maxRetries = Number(limitOf("max_retries") ?? Infinity);
	return { maxRetries, isTimeLimited: limitOf("max_elapsed") !== undefined };
}
