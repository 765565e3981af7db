import { module, readWords, roundedWordAt, unsigned, wordAt } from "../wasm/module.js";
import { analysis } from "../wasm/others.js";
import { checkIndex, noOptions, pickOptions } from "./arguments.js";
import { parseText, throwCoreError } from "./core-errors.js";
import { fill } from "./delays.js";
import { NS_PER_MS, toMilliseconds } from "./duration.js";
import { wrongType } from "./errors.js";
import { fromFieldValue, toFieldValue } from "./field.js";
import {
	begin,
	build as buildOf,
	changeFields,
	checkPolicy,
	fieldNames,
	isPolicy,
	makeCurrent,
	readFields,
	textOf,
} from "./policy-state.js";
import { define, named, TEXT, withJSON } from "./show.js";
import { stateOf } from "./stream.js";

/** A preview of a policy without limits has no end of its own. */
const PREVIEW_ROWS = 100;
const MAX_PREVIEW_ROWS = 65_536;
const PREVIEW_ROW = ["min", "mean", "max", "totalMin", "totalMean", "totalMax"];

/** The params that the caller has read, by policy. */
const paramsOf = /* @__PURE__ */ new WeakMap();

/** How long to wait before each retry, and when to stop: checked once, then immutable. */
export const Policy = /* @__PURE__ */ named(
	"Policy",
	class Policy {
		constructor(options) {
			build(options);
			keep(this);
		}

		static parse(text) {
			parseText((length) => module().exports.policy_parse(length), text);
			return keep(Object.create(Policy.prototype));
		}

		get params() {
			const state = checkPolicy(this);
			if (!paramsOf.has(this)) {
				makeCurrent(state);
				const { fields } = module();
				analysis().exports.policy_params();
				const set = wordAt(0);
				const params = fields
					.map((field, position) => [field, position])
					.filter(([, position]) => (set >> BigInt(position)) & 1n)
					.map(([field, position]) => [field.option, fromFieldValue(field, valueAt(field, position + 1))]);
				paramsOf.set(this, Object.freeze(define(Object.fromEntries(params), "toJSON", paramsToJSON)));
			}
			return paramsOf.get(this);
		}

		delay(stream, index) {
			return toMilliseconds(this.delayNs(stream, index));
		}

		delayNs(stream, index) {
			const state = stateOf(stream);
			checkIndex("index", index);
			makeCurrent(checkPolicy(this));
			return unsigned(module().exports.delay(state, index));
		}

		window(index) {
			return toMilliseconds(this.windowNs(index));
		}

		windowNs(index) {
			checkIndex("index", index);
			makeCurrent(checkPolicy(this));
			return unsigned(module().exports.window(index));
		}

		delays(stream, count, first = 0) {
			return fillRounded(this, stream, count, first).map((ns) => ns / NS_PER_MS);
		}

		delaysNs(stream, count, first = 0) {
			return fill(checkPolicy(this), stream, BigUint64Array, count, first, wordAt);
		}

		preview(count) {
			return preview(this, count, toMilliseconds);
		}

		previewNs(count) {
			return preview(this, count, (ns) => ns);
		}

		fitBase(attempts, total) {
			return fit(this, true, attempts, total);
		}

		fitCap(attempts, total) {
			return fit(this, false, attempts, total);
		}

		with(options) {
			const values = readFields(pickOptions("a policy", options, noOptions(...fieldNames())));
			changeFields(checkPolicy(this), values);
			return keep(Object.create(Policy.prototype));
		}

		equals(other) {
			return isPolicy(other) && `${this}` === `${other}`;
		}

		toString() {
			return textOf(checkPolicy(this));
		}

		toJSON() {
			return this.toString();
		}
	},
);

/** The value of a field at its place among the params. Waits, of which that has the number, follow all values. */
function valueAt({ unit }, position) {
	const value = wordAt(position);
	return unit === "waits" ? readWords(module().fields.length + 1, Number(value)) : value;
}

/** Makes the policy of the module's current one. */
function keep(policy) {
	return Object.freeze(Object.defineProperties(begin(policy), TEXT));
}

/** Delays in nanoseconds as numbers: exact up to 2^53, rounded above. */
function fillRounded(policy, stream, count, first) {
	return fill(checkPolicy(policy), stream, Float64Array, count, first, roundedWordAt);
}

function preview(policy, count = PREVIEW_ROWS, show) {
	checkIndex("count", count, MAX_PREVIEW_ROWS);
	makeCurrent(checkPolicy(policy));
	const { exports } = analysis();
	const rows = [];
	exports.preview_begin();
	while (rows.length < count && exports.preview_next()) {
		const row = readWords(0, PREVIEW_ROW.length);
		rows.push(withJSON(Object.fromEntries(PREVIEW_ROW.map((name, position) => [name, show(row[position])]))));
	}
	return rows;
}

/** Params for JSON, which has no Infinity: the number that means no limit stands for it. */
function paramsToJSON() {
	const noLimits = module().fields.filter(({ option }) => this[option] === Infinity);
	const numbers = noLimits.map(({ option, unit, noLimit }) => [
		option,
		unit === "count" ? Number(noLimit) : { nanoseconds: `${noLimit}` },
	]);
	return { ...this, ...Object.fromEntries(numbers) };
}

/** Makes the policy of these options the module's current one. */
function build(options) {
	if (typeof options === "string") {
		wrongType("options of a policy", "a plain object", options, "; a policy string is read by Policy.parse");
	}
	buildOf(readFields(pickOptions("a policy", options, noOptions(...fieldNames()))));
}

function fit(policy, isBase, attempts, total) {
	/** The field whose rules an argument follows. */
	const field = (name, option) => ({ ...module().fields.find((field) => field.name === name), option });
	const [count, time] = [field("max_attempts", "attempts"), field("max_elapsed", "total")];
	const values = [
		[count, toFieldValue(count, attempts)],
		[time, toFieldValue(time, total)],
	];
	makeCurrent(checkPolicy(policy));
	if (!analysis().exports.policy_fit(isBase, ...values.map(([, { raw }]) => raw))) {
		throwCoreError(values);
	}
	return keep(Object.create(Policy.prototype));
}
