// The options of a loop, checked once.

import { OPEN } from "../core/account.js";
import { copyOptions, finite } from "../core/arguments.js";
import { checkBudget } from "../core/budget.js";
import { checkAhead, toDeadline, toNanoseconds } from "../core/duration.js";
import { PolicyError, wrongType } from "../core/errors.js";
import { readOwnDelay } from "../core/operation.js";
import { stateOf, stateOfSeed } from "../core/stream.js";
import { checkStats } from "../plain/stats.js";
import { ifStarted } from "../wasm/module.js";
import { adviceOn } from "./advice.js";
import { DEFAULT_CLOCK, realTime } from "./clock.js";
import {
	changeFields,
	fieldNames,
	isAttemptLimited,
	isField,
	maxRetriesOf,
	needsTime,
	readFields,
	readPolicy,
	readPolicyText,
} from "./loop-policy.js";

/** Stands for a missing key, because `undefined` is a key that RandomStream refuses. */
const NO_KEY = /* @__PURE__ */ Symbol("no key");

/**
 * The options of `retry` or `makeRetriable` with the defaults filled in.
 *
 * An option of `makeRetriable` that is a function of the arguments of a call stays one, for `streamOf` and
 * `readDeadline`.
 *
 * If the core cannot start, what only the core can check is not checked, and a policy string gives no `policy`
 * (SPEC 18.7). If retries are off, the loop calls once.
 */
export function resolveRetryOptions(caller, options = {}, isOff = false) {
	const picked = pick(caller, options);
	if (picked.fields) {
		checkFieldNames(caller, picked.fields);
	}
	const { shouldRetry, shouldRetryResult, onRetry, onStop, seed } = picked;
	const { policy, deadline, delays, budget, stats, signal, clock, unref } = picked;
	checkFunction("shouldRetry", shouldRetry);
	checkFunction("shouldRetryResult", shouldRetryResult);
	checkFunction("onRetry", onRetry);
	checkFunction("onStop", onStop);
	if (!shouldRetry && !shouldRetryResult) {
		throw new TypeError("shouldRetry is missing: say which failures may be retried; () => true for all");
	}
	let checkedPolicy =
		typeof policy === "string"
			? (parsed.get(policy) ?? ifStarted(() => parsePolicy(policy)))
			: policy === undefined
				? undefined
				: readPolicy(policy, "a Policy or a policy string");
	if (typeof budget === "string") {
		wrongType("budget", "a Budget", budget, `; share one Budget.parse("${budget}") among the loops of a server`);
	}
	if (budget !== undefined && budget !== null && typeof budget[OPEN] !== "function") {
		checkBudget(budget, "budget", "a Budget or a SharedBudget");
	}
	if (stats !== undefined) {
		checkStats("stats", stats);
	}
	if (signal !== undefined && !(hasMethods(signal, "addEventListener", "removeEventListener") && "aborted" in signal)) {
		wrongType("signal", "an AbortSignal", signal);
	}
	if (clock !== undefined && !hasMethods(clock, "now", "sleep")) {
		wrongType("clock", "an object with now() and sleep(delay, signal)", clock);
	}
	if (unref !== undefined && typeof unref !== "boolean") {
		wrongType("unref", "a boolean", unref);
	}
	const isPerCall = caller === "makeRetriable";
	picked.stream = resolveStream(picked, isPerCall);
	if (deadline !== undefined && !(isPerCall && typeof deadline === "function")) {
		checkDeadline(deadline);
		// A loop of retry, which begins now, asks its clock itself.
		if (isPerCall) {
			readDeadline(deadline, readTime(clock ?? DEFAULT_CLOCK)[0]);
		}
	}
	if (picked.fields) {
		checkedPolicy = withFields(checkedPolicy, picked.fields);
	}
	const isList = Array.isArray(delays);
	if (isList) {
		picked.delays = delays.map((delay) => readOwnDelay(delay, "delays"));
	} else if (delays !== undefined && typeof delays !== "function") {
		wrongType("delays", "an array of durations or a function", delays);
	}
	if (isList || isOff) {
		// A list has an end of its own (SPEC 18.9).
		const isNamed = (policy ?? picked.fields?.maxRetries ?? picked.fields?.maxAttempts) !== undefined;
		const limit = isNamed && checkedPolicy ? maxRetriesOf(checkedPolicy) : Infinity;
		const maxRetries = isOff ? 0 : Math.min(delays.length, limit);
		checkedPolicy = withFields(checkedPolicy, { __proto__: null, maxRetries });
	}
	picked.isLimited = checkedPolicy !== undefined && isAttemptLimited(checkedPolicy);
	picked.isTimed = isTimed(picked, checkedPolicy);
	picked.isBare =
		!picked.isTimed && !signal && !shouldRetryResult && !stats && (seed === undefined || picked.stream !== undefined);
	picked.budget = isOff ? undefined : (budget ?? undefined);
	picked.policy = checkedPolicy;
	picked.givenPolicy = policy ?? "default";
	picked.clock ??= realTime(unref);
	return picked;
}

/** No options, and places for what follows from them. It is slow to copy such an object, or to add to it later. */
const noneOf = () => ({
	shouldRetry: undefined,
	shouldRetryResult: undefined,
	onRetry: undefined,
	onStop: undefined,
	stream: undefined,
	seed: undefined,
	key: NO_KEY,
	policy: undefined,
	deadline: undefined,
	budget: undefined,
	stats: undefined,
	signal: undefined,
	clock: undefined,
	unref: undefined,
	delays: undefined,
	fallback: undefined,
	fields: undefined,
	givenPolicy: undefined,
	isLimited: false,
	isTimed: false,
	isBare: false,
});

/** What `pickOptions` returns, in half the time: names that are computed are slow. */
function pick(caller, options) {
	if (options === null || Object.getPrototypeOf(Object(options)) !== Object.prototype) {
		return pickAny(caller, options);
	}
	const picked = noneOf();
	for (const name of Object.keys(options)) {
		switch (name) {
			case "shouldRetry":
				picked.shouldRetry = options.shouldRetry;
				break;
			case "shouldRetryResult":
				picked.shouldRetryResult = options.shouldRetryResult;
				break;
			case "onRetry":
				picked.onRetry = options.onRetry;
				break;
			case "onStop":
				picked.onStop = options.onStop;
				break;
			case "stream":
				picked.stream = options.stream;
				break;
			case "seed":
				picked.seed = options.seed;
				break;
			case "key":
				picked.key = options.key;
				break;
			case "policy":
				picked.policy = options.policy;
				break;
			case "deadline":
				picked.deadline = options.deadline;
				break;
			case "budget":
				picked.budget = options.budget;
				break;
			case "stats":
				picked.stats = options.stats;
				break;
			case "signal":
				picked.signal = options.signal;
				break;
			case "clock":
				picked.clock = options.clock;
				break;
			case "unref":
				picked.unref = options.unref;
				break;
			case "delays":
				picked.delays = options.delays;
				break;
			case "fallback":
				picked.fallback = options.fallback;
				break;
			default:
				picked.fields ??= Object.create(null);
				picked.fields[name] = options[name];
		}
	}
	return picked;
}

/** The same for any object. Throws for wrong ones. */
const pickAny = (caller, options) => pick(caller, copyOptions(caller, options));

/** The options that are not fields of a policy. */
function ownNames() {
	const { fields, givenPolicy, isLimited, isTimed, isBare, ...own } = noneOf();
	return Object.keys(own);
}

/** Options, and those that they replace as well. */
const REPLACED = {
	maxAttempts: ["maxRetries"],
	maxRetries: ["maxAttempts"],
	stream: ["seed", "key"],
	seed: ["stream"],
};

/** The options with changes. A policy takes the place of the policy and the fields before it (SPEC 18.8). */
export function changedBy(options, changes) {
	const replaced = Object.keys(REPLACED).flatMap((name) => (changes[name] === undefined ? [] : REPLACED[name]));
	const ofAnyPolicy = changes.policy === undefined ? Object.keys(options) : [...ownNames(), "enabled"];
	const kept = Object.entries(options).filter(([name]) => ofAnyPolicy.includes(name) && !replaced.includes(name));
	return { ...Object.fromEntries(kept), ...changes };
}

/** Throws for a name that is neither an option nor a field of a policy. */
function checkFieldNames(caller, fields) {
	const unknown = Object.keys(fields).find((name) => !isField(name));
	if (unknown !== undefined) {
		const names = [...ownNames(), ...(ifStarted(fieldNames) ?? [])];
		const all = `; the options of ${caller} are ${ownNames().join(", ")}, and those of a policy`;
		throw new TypeError(`${unknown} is unknown${adviceOn(unknown, readPolicyText, names) ?? all}`);
	}
}

/** A policy, or the default one, with these fields beside it. */
function withFields(policy, fields) {
	return ifStarted(() => {
		const values = readFields(fields);
		try {
			return values.length ? changed(policy ?? parsePolicy("default"), values) : policy;
		} catch (error) {
			const { code, field, value, limit, message } = error;
			throw policy || code !== "cap_below_base"
				? error
				: new PolicyError(code, field, value, limit, `${message}; one of them is that of the policy "default"`);
		}
	});
}

/** By a policy, and by fields as text, the policy that they make of it: a change takes longer than a short loop. */
const changes = /* @__PURE__ */ new WeakMap();

function changed(policy, values) {
	if (!changes.has(policy)) {
		changes.set(policy, new Map());
	}
	const key = values.map(([{ name }, { raw }]) => `${name}=${raw}`).join();
	return kept(changes.get(policy), key, () => changeFields(policy, values));
}

function checkFunction(name, option) {
	if (option !== undefined && typeof option !== "function") {
		wrongType(name, "a function", option);
	}
}

/** Whether an object has these methods. Not `instanceof`: the object may come from another realm. */
function hasMethods(object, ...methods) {
	return methods.every((method) => typeof object?.[method] === "function");
}

/** The policies of the latest policy strings, because parsing one takes longer than a loop that succeeds at once. */
const parsed = /* @__PURE__ */ new Map();
const MAX_KEPT = 100;

export const parsePolicy = (text) => kept(parsed, text, () => readPolicyText(text));

/** What a map has, or else what is made now, and kept. */
function kept(map, key, make) {
	let made = map.get(key);
	if (!made) {
		made = make();
		if (map.size === MAX_KEPT) {
			map.clear();
		}
		map.set(key, made);
	}
	return made;
}

/** The state of the stream, or of one of a seed and a key. Without a seed each loop has a stream of its own. */
function resolveStream({ key, seed, stream }, isPerCall) {
	if (stream !== undefined) {
		const state = stateOf(stream);
		if (seed !== undefined || key !== NO_KEY) {
			throw new TypeError("pass either stream or seed and key, not both");
		}
		return state;
	}
	if (seed !== undefined) {
		const isKeyed = isPerCall && typeof key === "function";
		// A key of each call: this checks the seed now.
		const keys = isKeyed ? [""] : key === NO_KEY ? [] : [key];
		const state = ifStarted(() => stateOfSeed(seed, ...keys));
		return isKeyed ? undefined : state;
	}
	if (key !== NO_KEY) {
		throw new TypeError("key needs a seed");
	}
	return undefined;
}

/** The state of the stream of one loop, undefined if it gets one by its number. */
export function streamOf({ key, seed, stream }, apply) {
	return seed !== undefined && stream === undefined ? stateOfSeed(seed, apply(key)) : stream;
}

const NOW = { name: "now", option: "clock.now():" };

/** The time of a clock in milliseconds and in nanoseconds. An error about it names the clock. */
export function readTime(clock) {
	const time = finite(NOW, clock.now(), -Infinity);
	return [time, toNanoseconds(NOW, time)];
}

function checkDeadline(deadline) {
	if (hasMethods(deadline, "getTime")) {
		finite("deadline", deadline.getTime(), -Infinity);
	} else {
		toDeadline(deadline);
	}
}

/**
 * The deadline of a loop that begins now, in nanoseconds on its clock. The option is a time of that clock, a date, or
 * for `makeRetriable` a function of the arguments, which `apply` calls.
 */
export function readDeadline(option, now, apply) {
	const deadline = typeof option === "function" ? apply(option) : option;
	const time = hasMethods(deadline, "getTime") ? Math.max(now + (deadline.getTime() - Date.now()), 0) : deadline;
	const nanoseconds = toDeadline(time);
	checkAhead(nanoseconds, toNanoseconds("now", now), "clock.now(); pass a Date");
	return nanoseconds;
}

/** Whether anyone sees what time it is: a clock of the caller, a hook, or a limit. Other loops read no clock. */
function isTimed({ budget, clock, deadline, onRetry, onStop }, policy) {
	const isLimited = policy !== undefined && needsTime(policy);
	const isSeen = onRetry !== undefined || onStop !== undefined;
	return isSeen || isLimited || clock !== undefined || deadline !== undefined || budget !== undefined;
}
