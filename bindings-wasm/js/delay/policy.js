// The policy of `backoff-wasm/delay`: fields in, delays out.

import { checkIndex, noOptions, pickOptions } from "../core/arguments.js";
import { toMilliseconds } from "../core/duration.js";
import { PolicyError, wrongType } from "../core/errors.js";
import { toFieldValue } from "../core/field.js";
import { optionOf } from "../core/option-name.js";
import { named } from "../core/show.js";
import { policyFields } from "../plain/field-options.js";
import { fill } from "../plain/fill.js";
import { checkFields } from "../plain/rules.js";
import { delayOf } from "../plain/schedule.js";
import { stateOf } from "../plain/stream.js";

const policies = /* @__PURE__ */ new WeakMap();

/** The fields of a policy. Throws for anything else. */
export function checkPolicy(policy) {
	return policies.get(policy) ?? wrongType("policy", "a Policy", policy);
}

/** How long to wait before each retry: checked once, then immutable. */
export const Policy = /* @__PURE__ */ named(
	"Policy",
	class Policy {
		constructor(options) {
			policies.set(this, build(options));
			this.options = Object.freeze({ ...options });
			Object.freeze(this);
		}

		delay(stream, index) {
			return toMilliseconds(this.delayNs(stream, index));
		}

		delayNs(stream, index) {
			const state = stateOf(stream);
			checkIndex("index", index);
			return delayOf(checkPolicy(this), state, index);
		}

		delays(stream, count, first = 0) {
			return fill(checkPolicy(this), stream, Float64Array, count, first, toMilliseconds);
		}

		delaysNs(stream, count, first = 0) {
			return fill(checkPolicy(this), stream, BigUint64Array, count, first, (ns) => ns);
		}
	},
);

/** The fields of these options. */
function build(options) {
	const fields = policyFields();
	const picked = pickOptions("a policy", options, noOptions(...fields.map(({ option }) => option)));
	const values = {};
	for (const field of fields) {
		const input = picked[field.option];
		if (input !== undefined) {
			values[field.name] = toFieldValue(field, input);
		}
	}
	const raws = Object.fromEntries(Object.entries(values).map(([name, { raw }]) => [name, raw]));
	return checkFields(raws, (code, { name }, received = 0n, limit = 0n) => {
		const { value, shown } = values[name]?.unrepresentable ?? { value: received, shown: received };
		const message = `${optionOf(name)} breaks the rule ${code}: ${shown}, limit ${limit}`;
		throw new PolicyError(code, name, value, limit, message);
	});
}
