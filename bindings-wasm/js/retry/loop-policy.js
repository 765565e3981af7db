// What a loop asks of its policy.

import { checkPolicy, Policy } from "../core/policy.js";

/** The policy of a string, or a policy that was checked. */
export const readPolicyText = (text) => Policy.parse(text);

export function readPolicy(policy, wanted) {
	checkPolicy(policy, wanted);
	return policy;
}

export const isTimeLimited = ({ params }) => params.maxElapsed !== Infinity;
export const isUnlimited = (policy) => policy.params.maxRetries === Infinity && !isTimeLimited(policy);

/** The text of the base. */
export const baseText = ({ params }) => new Policy({ growth: "constant", base: params.base }).text.split("=")[1];
