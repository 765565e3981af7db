// What a loop asks of its policy, which it has as fields: it needs no class for that.

import { EVERY_INDEX, FIELDS, NO_JITTER, SPREAD } from "./fields.js";
import { textOf } from "./messages.js";
import { MAX } from "./numbers.js";
import { fieldNames } from "./policy.js";

export { changeFields, checkPolicy as readPolicy, fieldNames, readFields } from "./policy.js";
export { parsePolicyText as readPolicyText } from "./policy-text.js";

/** Whether a policy has an option of this name. */
export const isField = (name) => fieldNames().includes(name);

const isTimeLimited = (fields) => fields.max_elapsed !== MAX;
export const isAttemptLimited = (fields) => fields.attempt_timeout !== MAX;
export const needsTime = (fields) => isTimeLimited(fields) || isAttemptLimited(fields) || fields.reset_after !== MAX;
export const maxRetriesOf = (fields) => Number(fields.max_retries);
export const isUnlimited = (fields) => fields.max_retries === EVERY_INDEX && !isTimeLimited(fields);

/** Whether a loop draws: without a stream of its own it needs one then. */
export const isRandom = ({ jitter, retry_after: retryAfter }) => jitter !== NO_JITTER || retryAfter === SPREAD;

/** The text of the base; undefined if the policy has none. */
export const baseText = ({ base }) => (base === undefined ? undefined : textOf(FIELDS.base, base));
