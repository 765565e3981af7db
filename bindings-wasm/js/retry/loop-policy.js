// What a loop asks of its policy, which it has as the state of one: it needs no class for that.

import { limitsOf, makeCurrent } from "../core/policy-state.js";
import { module, readText } from "../wasm/module.js";

export { checkPolicy as readPolicy, parsePolicyText as readPolicyText } from "../core/policy-state.js";

export const isTimeLimited = (policy) => limitsOf(policy).isTimeLimited;
export const isUnlimited = (policy) => limitsOf(policy).maxRetries === Infinity && !isTimeLimited(policy);

/** Whether a loop draws: without a stream of its own it needs one then. The module makes one in no time. */
export const isRandom = () => true;

/** The text of the base. */
export function baseText(policy) {
	makeCurrent(policy);
	const [, base] = /\bbase=([^,]*)/.exec(readText(module().exports.policy_text()));
	return base;
}
