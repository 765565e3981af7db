// A policy without its class, which loops and iterators do not need: the class has previews and fits.

import { copy, module, readText, WORD_BYTES } from "../wasm/module.js";
import { parseText, throwCoreError } from "./core-errors.js";
import { typeName, wrongType } from "./errors.js";
import { toFieldValue } from "./field.js";

/** The state of each Policy. */
const states = /* @__PURE__ */ new WeakMap();

/** The state that the module holds; it holds one at a time. */
let current;

/** The state of a policy. Throws for anything else. */
export function checkPolicy(policy, wanted = "a Policy") {
	return (
		states.get(policy) ??
		wrongType("policy", wanted, policy, typeName(policy) === "object" ? "; make it with new Policy(options)" : "")
	);
}

/** Whether it is a policy. */
export const isPolicy = (policy) => states.has(policy);

/** Gives a policy the state that is current. */
export function begin(policy) {
	states.set(policy, currentState());
	return policy;
}

export function makeCurrent(state) {
	if (current !== state) {
		copy(state.bytes, module().policy);
		current = state;
	}
}

/** The state of a policy string. */
export function parsePolicyText(text) {
	parseText((length) => module().exports.policy_parse(length), text);
	return currentState();
}

/** The fields that options set, each with its value. */
export function readFields(options) {
	return module()
		.fields.filter(({ option }) => options[option] !== undefined)
		.map((field) => [field, toFieldValue(field, options[field.option])]);
}

/** The state of a policy with these fields as pairs after its string. */
export function changeFields(state, values) {
	makeCurrent(state);
	build(values, true);
	return currentState();
}

/** Makes the policy of these fields the module's current one, or changes that by them. */
export function build(values, isChange = false) {
	const { exports, fields, words } = module();
	const write = (position, word) => words.setBigUint64(WORD_BYTES * position, word, true);
	let set = 0n;
	for (const [{ name }, { raw }] of values) {
		const position = fields.findIndex((field) => field.name === name);
		set |= 1n << BigInt(position);
		// The waits follow the values.
		const waits = Array.isArray(raw) ? raw : [];
		for (const [place, wait] of waits.entries()) {
			write(fields.length + 1 + place, wait);
		}
		write(position + 1, Array.isArray(raw) ? BigInt(raw.length) : raw);
	}
	write(0, set);
	if (!exports.policy_build(isChange)) {
		throwCoreError(values);
	}
}

/** The state of the policy that the module has just made: its bytes, and its limits once they were asked for. */
function currentState() {
	current = { bytes: copy(module().policy), limits: undefined };
	return current;
}

/** The names of the fields as options. */
export const fieldNames = () => module().fields.map(({ option }) => option);

/** The string of a policy. */
export function textOf(state) {
	makeCurrent(state);
	return readText(module().exports.policy_text());
}

/** The limits of a policy: of its retries, and whether there is one of its time, and of that of an attempt. */
export function limitsOf(state) {
	state.limits ??= readLimits(textOf(state));
	return state.limits;
}

/** The string has the limits that there are. */
function readLimits(text) {
	const maxRetries = Number(/max_retries=(\d+)/.exec(text)?.[1] ?? Infinity);
	const [isTimeLimited, isAttemptLimited, isReset] = ["max_elapsed", "attempt_timeout", "reset_after"].map((name) =>
		text.includes(`${name}=`),
	);
	return { maxRetries, isTimeLimited, isAttemptLimited, needsTime: isTimeLimited || isAttemptLimited || isReset };
}
