import { checkIndex, noOptions, pickOptions } from "../core/arguments.js";
import { toMilliseconds } from "../core/duration.js";
import { PolicyError, typeName, wrongType } from "../core/errors.js";
import { fromFieldValue, misfitOf, toFieldValue } from "../core/field.js";
import { optionOf } from "../core/option-name.js";
import { define, named, TEXT, withJSON } from "../core/show.js";
import { fieldOf, policyFields } from "./field-options.js";
import { fill } from "./fill.js";
import { fitted } from "./fit.js";
import { messageOf } from "./messages.js";
import { changedFields, parsePolicyText } from "./policy-text.js";
import { previewed } from "./preview.js";
import { printPolicy } from "./print.js";
import { checkFields } from "./rules.js";
import { delayOf, windowOf } from "./schedule.js";
import { stateOf } from "./stream.js";

/** A preview of a policy without limits has no end of its own. */
const PREVIEW_ROWS = 100;
const MAX_PREVIEW_ROWS = 65_536;
const PREVIEW_ROW = ["min", "mean", "max", "totalMin", "totalMean", "totalMax"];

/** The fields of each policy, and the params that the caller has read. */
const policies = /* @__PURE__ */ new WeakMap();
const paramsOf = /* @__PURE__ */ new WeakMap();

/** The fields of a policy. Throws for anything else. */
export function checkPolicy(policy, wanted = "a Policy") {
	return (
		policies.get(policy) ??
		wrongType("policy", wanted, policy, typeName(policy) === "object" ? "; make it with new Policy(options)" : "")
	);
}

/** How long to wait before each retry, and when to stop: checked once, then immutable. */
export const Policy = /* @__PURE__ */ named(
	"Policy",
	class Policy {
		constructor(options) {
			begin(this, build(options));
		}

		static parse(text) {
			return begin(Object.create(Policy.prototype), parsePolicyText(text));
		}

		get params() {
			const fields = checkPolicy(this);
			if (!paramsOf.has(this)) {
				const set = policyFields().filter(({ name }) => fields[name] !== undefined);
				const read = (field) => [field.option, fromFieldValue(field, fields[field.name])];
				paramsOf.set(this, Object.freeze(define(Object.fromEntries(set.map(read)), "toJSON", paramsToJSON)));
			}
			return paramsOf.get(this);
		}

		delay(stream, index) {
			return toMilliseconds(this.delayNs(stream, index));
		}

		delayNs(stream, index) {
			const state = stateOf(stream);
			checkIndex("index", index);
			return delayOf(checkPolicy(this), state, index);
		}

		window(index) {
			return toMilliseconds(this.windowNs(index));
		}

		windowNs(index) {
			checkIndex("index", index);
			return windowOf(checkPolicy(this), index);
		}

		delays(stream, count, first = 0) {
			return fill(checkPolicy(this), stream, Float64Array, count, first, toMilliseconds);
		}

		delaysNs(stream, count, first = 0) {
			return fill(checkPolicy(this), stream, BigUint64Array, count, first, (ns) => ns);
		}

		preview(count) {
			return preview(this, count, toMilliseconds);
		}

		previewNs(count) {
			return preview(this, count, (ns) => ns);
		}

		fitBase(attempts, total) {
			return fit(this, "base", attempts, total);
		}

		fitCap(attempts, total) {
			return fit(this, "cap", attempts, total);
		}

		with(options) {
			const values = readFields(pickOptions("a policy", options, noOptions(...fieldNames())));
			return begin(Object.create(Policy.prototype), changeFields(checkPolicy(this), values));
		}

		equals(other) {
			return policies.has(other) && `${this}` === `${other}`;
		}

		toString() {
			return printPolicy(checkPolicy(this));
		}

		toJSON() {
			return this.toString();
		}
	},
);

function begin(policy, fields) {
	policies.set(policy, fields);
	return Object.freeze(Object.defineProperties(policy, TEXT));
}

function preview(policy, count = PREVIEW_ROWS, show) {
	checkIndex("count", count, MAX_PREVIEW_ROWS);
	const rows = [];
	for (const row of previewed(checkPolicy(policy), count)) {
		rows.push(withJSON(Object.fromEntries(PREVIEW_ROW.map((name, position) => [name, show(row[position])]))));
	}
	return rows;
}

/** Params for JSON, which has no Infinity: the number that means no limit stands for it. */
function paramsToJSON() {
	const noLimits = policyFields().filter(({ option }) => this[option] === Infinity);
	const numbers = noLimits.map(({ option, unit, noLimit }) => [
		option,
		unit === "count" ? Number(noLimit) : { nanoseconds: `${noLimit}` },
	]);
	return { ...this, ...Object.fromEntries(numbers) };
}

/** The fields of these options. */
function build(options) {
	if (typeof options === "string") {
		wrongType("options of a policy", "a plain object", options, "; a policy string is read by Policy.parse");
	}
	const values = readFields(pickOptions("a policy", options, noOptions(...fieldNames())));
	return checkFields(rawsOf(values), failWith(values));
}

export const fieldNames = () => policyFields().map(({ option }) => option);

/** The fields that options set, each with its value. */
export function readFields(options) {
	return policyFields()
		.filter(({ option }) => options[option] !== undefined)
		.map((field) => [field, toFieldValue(field, options[field.option])]);
}

const rawsOf = (values) => Object.fromEntries(values.map(([{ name }, { raw }]) => [name, raw]));

/** The fields of a policy with these as pairs after its string. */
export const changeFields = (policy, values) => changedFields(policy, rawsOf(values), failWith(values));

/**
 * Throws the error about a rule that these values break. If a value does not fit into 64 bits, the error shows it
 * instead of the one that the rule saw in its place.
 */
function failWith(values) {
	return (code, field, value = 0n, limit = 0n) => {
		const { name } = field;
		const [{ option }, read] = values.find(([given]) => given.name === name) ?? [{ option: optionOf(name) }];
		const { shown, value: given = value } = misfitOf(read, code) ?? {};
		const message = messageOf(code, field, value, limit, option, shown);
		throw new PolicyError(code, name, given, limit, message.replace("max_retries", "maxRetries"));
	};
}

function fit(policy, name, attempts, total) {
	const fields = checkPolicy(policy);
	/** The field whose rules an argument follows. */
	const field = (name, option) => ({ ...fieldOf(name), option });
	const [count, time] = [field("max_attempts", "attempts"), field("max_elapsed", "total")];
	const values = [
		[count, toFieldValue(count, attempts)],
		[time, toFieldValue(time, total)],
	];
	const [most, longest] = values.map(([, { raw }]) => raw);
	return begin(Object.create(Policy.prototype), fitted(fields, name, most, longest, failWith(values)));
}
