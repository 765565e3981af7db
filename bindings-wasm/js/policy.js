import { PolicyError, wrongType } from "./error.js";
import { fromWord, toWord } from "./field.js";
import { module, readText, unsigned } from "./module.js";
import { count as checkCount, index as checkIndex, NS_PER_MS } from "./number.js";
import { stateOf } from "./stream.js";

const WORD_BYTES = 8;

/** The policy that the module has in use; it keeps one. */
let inUse;

/** @type {(value: unknown) => value is Policy} */
export let isPolicy;

/**
 * Delays in nanoseconds as numbers: exact up to 2^53, rounded above.
 * @type {(policy: Policy, stream: import("./stream.js").Stream, count: number, first: number) => Float64Array}
 */
export let fetchNs;

/** How long to wait before each retry: checked once, never changed. */
export class Policy {
	// The name that a minifier takes.
	static name = "Policy";

	/** The fields that this policy has, with their words, and their bits. */
	#words;
	#given;

	constructor(options) {
		// Everything of the caller's is read before the shared words are written: a getter
		// may make a policy of its own.
		const values = read(options);
		const { fields, words } = module();
		this.#given = build(values);
		this.#words = fields
			.filter(({ bit }) => this.#given & bit)
			.map((field) => [field, words.getBigUint64(field.offset, true)]);
		inUse = this;
		const params = this.#words.map(([field, word]) => [field.option, fromWord(field, word)]);
		this.params = Object.freeze(Object.fromEntries(params));
		Object.freeze(this);
	}

	delay(stream, index) {
		return Number(this.delayNs(stream, index)) / NS_PER_MS;
	}

	delayNs(stream, index) {
		const state = stateOf(stream);
		checkIndex("index", index);
		Policy.#use(this);
		return unsigned(module().exports.delay(state, index));
	}

	window(index) {
		return Number(this.windowNs(index)) / NS_PER_MS;
	}

	windowNs(index) {
		checkIndex("index", index);
		Policy.#use(this);
		return unsigned(module().exports.window(index));
	}

	delays(stream, count, first = 0) {
		stateOf(stream);
		return fetchNs(this, stream, checkCount(count, first), first).map((ns) => ns / NS_PER_MS);
	}

	delaysNs(stream, count, first = 0) {
		stateOf(stream);
		const delays = new BigUint64Array(checkCount(count, first));
		for (let done = 0; done < count; ) {
			const { words, came } = Policy.#fill(this, stream, first + done, count - done);
			for (let position = 0; position < came; position++) {
				delays[done + position] = words.getBigUint64(position * WORD_BYTES, true);
			}
			done += came;
		}
		return delays;
	}

	toJSON() {
		const exact = (value) =>
			typeof value === "object" && !Array.isArray(value) ? { nanoseconds: `${value.nanoseconds}` } : value;
		return Object.fromEntries(Object.entries(this.params).map(([option, value]) => [option, exact(value)]));
	}

	/** Hands the policy to the module, unless it has it in use. */
	static #use(policy) {
		if (inUse !== policy) {
			write(policy.#words);
			module().exports.policy(policy.#given);
			inUse = policy;
		}
	}

	/** Leaves delays in the module's words, and says how many; one call gives a batch. */
	static #fill(policy, stream, first, count) {
		Policy.#use(policy);
		const { exports, words } = module();
		// More than the words hold never comes, and the count of all indices is no 32-bit number.
		const came = exports.fill(stateOf(stream), first, Math.min(count, words.byteLength));
		return { words, came };
	}

	static {
		isPolicy = (value) => typeof value === "object" && value !== null && #words in value;
		fetchNs = (policy, stream, count, first) => {
			const delays = new Float64Array(count);
			for (let done = 0; done < count; ) {
				const { words, came } = Policy.#fill(policy, stream, first + done, count - done);
				for (let offset = 0; offset < came * WORD_BYTES; offset += WORD_BYTES) {
					delays[done++] = words.getUint32(offset + 4, true) * 2 ** 32 + words.getUint32(offset, true);
				}
			}
			return delays;
		};
	}
}

/** The fields that were given, each with its value as `toWord` says it. */
function read(options) {
	// What an object inherits would be an option that is not seen here, or one that nobody gave.
	if (typeof options !== "object" || options === null || !isPlain(options)) {
		wrongType("a policy", "a plain object of options", options);
	}
	const { fields } = module();
	const known = fields.map(({ option }) => option);
	for (const option of Reflect.ownKeys(options)) {
		if (!known.includes(option)) {
			throw new TypeError(`${String(option)} is unknown; the options of a policy are ${known.join(", ")}`);
		}
	}
	return fields
		.map((field) => [field, Object.hasOwn(options, field.option) ? options[field.option] : undefined])
		.filter(([, given]) => given !== undefined)
		.map(([field, given]) => [field, toWord(field, given)]);
}

/** Whether it has no prototype but that of all objects, of whichever realm. */
function isPlain(value) {
	const prototype = Object.getPrototypeOf(value);
	return prototype === null || (Object.getPrototypeOf(prototype) === null && !Array.isArray(value));
}

/** The bits of the fields of the policy that the core makes of these values. */
function build(values) {
	write(values.map(([field, { word }]) => [field, word]));
	const given = module().exports.policy(values.reduce((bits, [{ bit }]) => bits | bit, 0));
	if (given === 0) {
		throw refusal(values);
	}
	return given;
}

function write(entries) {
	const { words } = module();
	for (const [{ offset }, word] of entries) {
		words.setBigUint64(offset, word, true);
	}
}

/** What the core says about a policy that it refused. */
function refusal(values) {
	const { words, bytes } = module();
	const [value, limit, length] = [0, 8, 16].map((offset) => words.getBigUint64(offset, true));
	const [code, field, message] = readText(bytes, Number(length)).split("\n");
	const given = values.find(([{ name }]) => name === field)?.[1];
	return given?.shown === undefined
		? new PolicyError(code, field, value, limit, message)
		: // The second word of such a message is the value.
			new PolicyError(
				code,
				field,
				given.value,
				limit,
				message.replace(/ \S+/, () => ` ${given.shown}`),
			);
}
