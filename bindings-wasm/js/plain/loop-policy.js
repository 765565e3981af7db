// What a loop asks of its policy, which it has as fields: it needs no class for that.

import { EVERY_INDEX, FIELDS, NO_JITTER, SPREAD } from "./fields.js";
import { textOf } from "./messages.js";
import { MAX } from "./numbers.js";

export { checkPolicy as readPolicy } from "./policy.js";
export { parsePolicyText as readPolicyText } from "./policy-text.js";

export const isTimeLimited = (fields) => fields.max_elapsed !== MAX;
export const isUnlimited = (fields) => fields.max_retries === EVERY_INDEX && !isTimeLimited(fields);

/** Whether a loop draws: without a stream of its own it needs one then. */
export const isRandom = ({ jitter, retry_after: retryAfter }) => jitter !== NO_JITTER || retryAfter === SPREAD;

/** The text of the base. */
export const baseText = (fields) => textOf(FIELDS.base, fields.base);
