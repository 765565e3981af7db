// What a loop asks of its policy, which it has as the state of one: it needs no class for that.

import { changeFields, limitsOf, makeCurrent } from "../core/policy-state.js";
import { module, readText } from "../wasm/module.js";

export {
	changeFields,
	checkPolicy as readPolicy,
	parsePolicyText as readPolicyText,
	readFields,
} from "../core/policy-state.js";

/** The names of the fields as options. */
export const fieldNames = () => module().fields.map(({ option }) => option);

export const needsTime = (policy) => limitsOf(policy).needsTime;
export const isAttemptLimited = (policy) => limitsOf(policy).isAttemptLimited;
export const maxRetriesOf = (policy) => limitsOf(policy).maxRetries;
export const isUnlimited = (policy) => maxRetriesOf(policy) === Infinity && !limitsOf(policy).isTimeLimited;

/** The policy with at most this many retries. */
export function withRetries(policy, most) {
	const field = module().fields.find(({ name }) => name === "max_retries");
	return maxRetriesOf(policy) > most ? changeFields(policy, [[field, { raw: BigInt(most) }]]) : policy;
}

/** Whether a loop draws: without a stream of its own it needs one then. The module makes one in no time. */
export const isRandom = () => true;

/** The text of the base; undefined if the policy has none. */
export function baseText(policy) {
	makeCurrent(policy);
	return /\bbase=([^,]*)/.exec(readText(module().exports.policy_text()))?.[1];
}
