import { wrongType } from "./error.js";
import { fromWord, toWord } from "./field.js";
import { ofLine } from "./line.js";
import { module, readText, unsigned, WORD_BYTES, wordAt } from "./module.js";
import { count as checkCount, index as checkIndex, NS_PER_MS } from "./number.js";
import { own } from "./options.js";
import { refusal } from "./refusal.js";
import { stateOf } from "./stream.js";

/** A preview may have no end of its own. */
const SOME_ROWS = 100;
const MOST_ROWS = 65_536;
const ROW = ["smallest", "mean", "largest", "totalSmallest", "totalMean", "totalLargest"];

/** The policy that the module has in use; it keeps one. */
let inUse;

/**
 * Refuses anything that is no policy.
 * @type {(policy: unknown) => asserts policy is Policy}
 */
export let checkPolicy;

/**
 * Hands a policy to the module, unless it has it in use.
 * @type {(policy: Policy) => void}
 */
export let use;

/**
 * Delays in nanoseconds as numbers: exact up to 2^53, rounded above.
 * @type {(policy: Policy, stream: import("./stream.js").Stream, count: number, first: number) => Float64Array}
 */
export let fetchNs;

/** A policy that is in the module's words already, by the bits of its fields. */
class Made {
	constructor(given) {
		this.given = given;
	}
}

/** How long to wait before each retry, and when to stop: checked once, never changed. */
export class Policy {
	// The name that a minifier takes.
	static name = "Policy";

	/** The bits of the fields that this policy has, and the words of all. */
	#given;
	#words;
	#params;

	constructor(options) {
		this.#given = options instanceof Made ? options.given : build(options);
		const { fields, state } = module();
		this.#words = state.slice(0, fields.length * WORD_BYTES);
		inUse = this;
		Object.freeze(this);
	}

	static parse(line) {
		return new Policy(new Made(ofLine("policy_of_line", line)));
	}

	get params() {
		const words = new DataView(this.#words.buffer);
		const param = (field) => [field.option, fromWord(field, words.getBigUint64(field.offset, true))];
		const had = module().fields.filter(({ bit }) => this.#given & bit);
		this.#params ??= Object.freeze(Object.fromEntries(had.map(param)));
		return this.#params;
	}

	delay(stream, index) {
		return Number(this.delayNs(stream, index)) / NS_PER_MS;
	}

	delayNs(stream, index) {
		const state = stateOf(stream);
		checkIndex("index", index);
		use(this);
		return unsigned(module().exports.delay(state, index));
	}

	window(index) {
		return Number(this.windowNs(index)) / NS_PER_MS;
	}

	windowNs(index) {
		checkIndex("index", index);
		use(this);
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
			const came = this.#fill(stream, first + done, count - done);
			for (let position = 0; position < came; position++) {
				delays[done++] = wordAt(position);
			}
		}
		return delays;
	}

	preview(count) {
		return this.#preview(count, (ns) => Number(ns) / NS_PER_MS);
	}

	previewNs(count) {
		return this.#preview(count, (ns) => ns);
	}

	fitBase(attempts, total) {
		return this.#fit(false, attempts, total);
	}

	fitCap(attempts, total) {
		return this.#fit(true, attempts, total);
	}

	equals(other) {
		return typeof other === "object" && other !== null && #words in other && `${this}` === `${other}`;
	}

	toString() {
		use(this);
		return readText(module().exports.policy_line());
	}

	toJSON() {
		return this.toString();
	}

	/** Leaves delays in the module's words, and says how many; one call gives a batch. */
	#fill(stream, first, count) {
		use(this);
		const { exports, state } = module();
		// More than the words hold never comes, and the count of all indices is no 32-bit number.
		return exports.fill(stateOf(stream), first, Math.min(count, state.length));
	}

	#preview(count = SOME_ROWS, shown) {
		checkIndex("count", count, MOST_ROWS);
		use(this);
		const { exports } = module();
		const rows = [];
		exports.preview_begin();
		while (rows.length < count && exports.preview_next()) {
			rows.push(Object.fromEntries(ROW.map((name, position) => [name, shown(wordAt(position))])));
		}
		return rows;
	}

	#fit(isCap, attempts, total) {
		const field = (name) => module().fields.find((field) => field.option === name);
		const values = words([
			[field("maxAttempts"), attempts],
			[field("maxElapsed"), total],
		]);
		use(this);
		const given = module().exports.fit(isCap, ...values.map(([, { word }]) => word));
		return new Policy(new Made(given || refusal(values)));
	}

	static {
		checkPolicy = (policy) => {
			if (typeof policy !== "object" || policy === null || !(#words in policy)) {
				wrongType("policy", "a Policy", policy);
			}
		};
		use = (policy) => {
			if (inUse !== policy) {
				const { exports, state } = module();
				state.set(policy.#words);
				exports.policy(policy.#given);
				inUse = policy;
			}
		};
		fetchNs = (policy, stream, count, first) => {
			const delays = new Float64Array(count);
			const { words } = module();
			for (let done = 0; done < count; ) {
				const came = policy.#fill(stream, first + done, count - done);
				for (let offset = 0; offset < came * WORD_BYTES; offset += WORD_BYTES) {
					delays[done++] = words.getUint32(offset + 4, true) * 2 ** 32 + words.getUint32(offset, true);
				}
			}
			return delays;
		};
	}
}

/** The bits of the fields of the policy that the core makes of options. */
function build(options) {
	const { exports, fields, words: shared } = module();
	// Everything of the caller's is read before the shared words are written: a getter may make
	// a policy of its own.
	const given = own(
		"a policy",
		options,
		fields.map(({ option }) => option),
	);
	const values = words(
		fields.filter(({ option }) => given[option] !== undefined).map((field) => [field, given[field.option]]),
	);
	for (const [{ offset }, { word }] of values) {
		shared.setBigUint64(offset, word, true);
	}
	return exports.policy(values.reduce((bits, [{ bit }]) => bits | bit, 0)) || refusal(values);
}

/** Each field with its value as `toWord` says it. */
function words(values) {
	return values.map(([field, given]) => [field, toWord(field, given)]);
}
