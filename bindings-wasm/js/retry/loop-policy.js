// What a loop asks of its policy, which it has as the state of one: it needs no class for that.

import { fieldNames, limitsOf, textOf } from "../core/policy-state.js";
import { ifStarted } from "../wasm/module.js";

export {
	changeFields,
	checkPolicy as readPolicy,
	fieldNames,
	parsePolicyText as readPolicyText,
	readFields,
} from "../core/policy-state.js";

/** What the names of the fields begin with, for a page that forbids the core, which knows them. */
const BEGINNING =
	/^(?:growth|base|incr|multip|power|orig|offs|cap|floor|jitter|max[RAE]|thrott|retryA|waits|attemptT|reset|elaps)/;

/** Whether a policy has an option of this name. */
export const isField = (name) => ifStarted(() => fieldNames().includes(name)) ?? BEGINNING.test(name);

export const needsTime = (policy) => limitsOf(policy).needsTime;
export const isAttemptLimited = (policy) => limitsOf(policy).isAttemptLimited;
export const maxRetriesOf = (policy) => limitsOf(policy).maxRetries;
export const isUnlimited = (policy) => maxRetriesOf(policy) === Infinity && !limitsOf(policy).isTimeLimited;

/** Whether a loop draws: without a stream of its own it needs one then. The module makes one in no time. */
export const isRandom = () => true;

/** The text of the base; undefined if the policy has none. */
export const baseText = (policy) => /\bbase=([^,]*)/.exec(textOf(policy))?.[1];
