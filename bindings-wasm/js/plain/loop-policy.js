// What a loop asks of its policy, which it has as fields: it needs no class for that.

import { EVERY_INDEX, FIELDS } from "./fields.js";
import { textOf } from "./messages.js";
import { MAX } from "./numbers.js";

export { checkPolicy as readPolicy } from "./policy.js";
export { parsePolicyText as readPolicyText } from "./policy-text.js";

export const isTimeLimited = (fields) => fields.max_elapsed !== MAX;
export const isUnlimited = (fields) => fields.max_retries === EVERY_INDEX && !isTimeLimited(fields);

/** The text of the base. */
export const baseText = (fields) => textOf(FIELDS.base, fields.base);
