import {
	copyIn,
	copyOut,
	module,
	readText,
	readWords,
	roundedWordAt,
	stateOfWords,
	unsigned,
	wordAt,
} from "../wasm/module.js";
import { checkIndex, noOptions, pickOptions } from "./arguments.js";
import { parseText, throwCoreError } from "./core-errors.js";
import { fill } from "./delays.js";
import { NS_PER_MS, toMilliseconds } from "./duration.js";
import { typeName, wrongType } from "./errors.js";
import { fromFieldValue, toFieldValue } from "./field.js";
import { define, named, TEXT, withJSON } from "./show.js";
import { stateOf } from "./stream.js";

/** A preview of a policy without limits has no end of its own. */
const PREVIEW_ROWS = 100;
const MAX_PREVIEW_ROWS = 65_536;
const PREVIEW_ROW = ["min", "mean", "max", "totalMin", "totalMean", "totalMax"];

/** The policy that the module holds; it holds one at a time. */
let current;

/** The module's words for the params of each policy, and the params that the caller has read. */
const states = /* @__PURE__ */ new WeakMap();
const paramsOf = /* @__PURE__ */ new WeakMap();

/** The words of a policy. Throws for anything else. */
export function checkPolicy(policy, wanted = "a Policy") {
	return (
		states.get(policy) ??
		wrongType("policy", wanted, policy, typeName(policy) === "object" ? "; make it with new Policy(options)" : "")
	);
}

/** Makes a policy the module's current one. */
export function makeCurrent(policy) {
	if (current !== policy) {
		copyIn(checkPolicy(policy));
		module().exports.policy_init();
		current = policy;
	}
}

/** How long to wait before each retry, and when to stop: checked once, then immutable. */
export const Policy = /* @__PURE__ */ named(
	"Policy",
	class Policy {
		constructor(options) {
			build(options);
			begin(this);
		}

		static parse(text) {
			parseText("policy_parse", text);
			return begin(Object.create(Policy.prototype));
		}

		get params() {
			const words = checkPolicy(this);
			if (!paramsOf.has(this)) {
				copyIn(words);
				const { exports, fields } = module();
				const set = fields.filter(({ number }) => exports.params_has(number));
				const read = (field) => [field.option, fromFieldValue(field, unsigned(exports.params_get(field.number)))];
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
			makeCurrent(this);
			return unsigned(module().exports.delay(state, index));
		}

		window(index) {
			return toMilliseconds(this.windowNs(index));
		}

		windowNs(index) {
			checkIndex("index", index);
			makeCurrent(this);
			return unsigned(module().exports.window(index));
		}

		delays(stream, count, first = 0) {
			return fillRounded(this, stream, count, first).map((ns) => ns / NS_PER_MS);
		}

		delaysNs(stream, count, first = 0) {
			return fill(this, makeCurrent, stream, BigUint64Array, count, first, wordAt);
		}

		preview(count) {
			return preview(this, count, toMilliseconds);
		}

		previewNs(count) {
			return preview(this, count, (ns) => ns);
		}

		fitBase(attempts, total) {
			return fit(this, "policy_fit_base", attempts, total);
		}

		fitCap(attempts, total) {
			return fit(this, "policy_fit_cap", attempts, total);
		}

		equals(other) {
			return states.has(other) && `${this}` === `${other}`;
		}

		toString() {
			makeCurrent(this);
			return readText(module().exports.policy_text());
		}

		toJSON() {
			return this.toString();
		}
	},
);

/** Begins the policy that is the module's current one. */
function begin(policy) {
	states.set(policy, copyOut(0, stateOfWords(module().exports.params_words())));
	current = policy;
	return Object.freeze(Object.defineProperties(policy, TEXT));
}

export function maxRetriesOf(policy) {
	return policy.params.maxRetries;
}

/** Delays in nanoseconds as numbers: exact up to 2^53, rounded above. */
function fillRounded(policy, stream, count, first) {
	return fill(policy, makeCurrent, stream, Float64Array, count, first, roundedWordAt);
}

function preview(policy, count = PREVIEW_ROWS, show) {
	checkIndex("count", count, MAX_PREVIEW_ROWS);
	makeCurrent(policy);
	const { exports } = module();
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
	const { exports, fields } = module();
	const picked = pickOptions("a policy", options, noOptions(...fields.map(({ option }) => option)));
	// All values are read first: a getter of the caller may make a policy of its own.
	const values = fields
		.filter(({ option }) => picked[option] !== undefined)
		.map((field) => [field, toFieldValue(field, picked[field.option])]);
	exports.params_clear();
	for (const [{ number }, { raw }] of values) {
		exports.params_set(number, raw);
	}
	if (!exports.policy_init()) {
		throwCoreError(values);
	}
}

function fit(policy, method, attempts, total) {
	/** The field whose rules an argument follows. */
	const field = (name, option) => ({ ...module().fields.find((field) => field.name === name), option });
	const [count, time] = [field("max_attempts", "attempts"), field("max_elapsed", "total")];
	const values = [
		[count, toFieldValue(count, attempts)],
		[time, toFieldValue(time, total)],
	];
	makeCurrent(policy);
	if (!module().exports[method](...values.map(([, { raw }]) => raw))) {
		throwCoreError(values);
	}
	return begin(Object.create(Policy.prototype));
}
