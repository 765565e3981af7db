// The policy of `backoff-wasm/delay`: fields in, delays out.

import { checkIndex, noOptions, pickOptions } from "../core/arguments.js";
import { fill } from "../core/delays.js";
import { NS_PER_MS, toMilliseconds } from "../core/duration.js";
import { PolicyError, wrongType } from "../core/errors.js";
import { toFieldValue } from "../core/field.js";
import { inspectable } from "../core/show.js";
import { stateOf } from "../core/stream.js";
import {
	copyIn,
	copyOut,
	module,
	readWords,
	roundedWordAt,
	stateOfWords,
	unsigned,
	WORD_BYTES,
	wordAt,
} from "../wasm/module.js";

/** The policy that the module holds; it holds one at a time. */
let current;

/**
 * Throws unless it gets a policy.
 * @type {(policy: unknown) => asserts policy is Policy}
 */
export let checkPolicy;

/**
 * Makes a policy the module's current one.
 * @type {(policy: Policy) => void}
 */
export let makeCurrent;

/** How long to wait before each retry: checked once, then immutable. */
export class Policy {
	static name = "Policy";

	/** The module's words for the params of this policy. */
	#state;

	constructor(options) {
		this.#state = build(options);
		current = this;
		this.options = Object.freeze({ ...options });
		Object.freeze(this);
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

	delays(stream, count, first = 0) {
		return fillRounded(this, stream, count, first).map((ns) => ns / NS_PER_MS);
	}

	delaysNs(stream, count, first = 0) {
		return fill(this, makeCurrent, stream, BigUint64Array, count, first, wordAt);
	}

	static {
		inspectable(Policy);
		checkPolicy = (policy) => {
			if (!(#state in Object(policy))) {
				wrongType("policy", "a Policy", policy);
			}
		};
		makeCurrent = (policy) => {
			if (current !== policy) {
				checkPolicy(policy);
				copyIn(policy.#state);
				module().exports.policy_init();
				current = policy;
			}
		};
	}
}

export function maxRetriesOf(policy) {
	makeCurrent(policy);
	return Number(module().exports.max_retries());
}

function fillRounded(policy, stream, count, first) {
	return fill(policy, makeCurrent, stream, Float64Array, count, first, roundedWordAt);
}

/** The words of the params of these options, whose policy becomes the module's current one. */
function build(options) {
	const { exports, fields, words } = module();
	const picked = pickOptions("a policy", options, noOptions(...fields.map(({ option }) => option)));
	// All values are read first: a getter of the caller may make a policy of its own.
	const values = fields.map((field) => {
		const input = picked[field.option];
		return input === undefined ? undefined : toFieldValue(field, input);
	});
	const isSet = values.map((value) => (value ? "1" : "0"));
	const raws = values.map((value) => value?.raw ?? 0n);
	for (const [position, word] of [BigInt(`0b${isSet.reverse().join("")}`), ...raws].entries()) {
		words.setBigUint64(WORD_BYTES * position, word, true);
	}
	const state = copyOut(0, stateOfWords(fields.length + 1));
	const code = CODES.split(" ")[exports.policy_init()];
	if (code) {
		const [number, received, limit] = readWords(0, 3);
		const position = fields.findIndex((field) => BigInt(field.number) === number);
		const { name, option } = fields[position];
		const { value, shown } = values[position]?.unrepresentable ?? { value: received, shown: received };
		throw new PolicyError(code, name, value, limit, `${option} breaks the rule ${code}: ${shown}, limit ${limit}`);
	}
	return state;
}
