// What the adapters share: their options, verdicts, and the operation of a call.

import { Budget, makeRetriable, Operation, Policy, RandomStream, StartError } from "backoff-wasm";
import { OPEN } from "../core/account.js";
import { isMarked, toVerdict } from "../retry/is-verdict.js";

/** The options that an operation needs. */
export const OF_AN_OPERATION = ["policy", "stream", "seed", "key"];

/** Options that `retry` checks. */
const OF_A_LOOP = [...OF_AN_OPERATION, "budget", "stats", "signal", "onRetry", "onStop", "unref", "clock", "deadline"];

/** Throws unless it gets an object for options. */
export function checkOptions(what, options) {
	if (typeof options !== "object" || options === null || Array.isArray(options)) {
		const type = Array.isArray(options) ? "an array" : options === null ? "null" : typeof options;
		throw new TypeError(`options of ${what} must be a plain object, got ${type}`);
	}
}

/** Options of `retry` that no adapter has beside its own ones. */
const ONLY_OF_RETRY = ["shouldRetry", "shouldRetryResult", "delays", "fallback"];

/**
 * The options of a function, after the checks of `retry`, with a budget for a budget string. An unknown one is an error.
 * Fields of a policy are in `fields`, which is undefined if there are none.
 */
export function readOptionsAndFields(what, options, known) {
	checkOptions(what, options);
	const { budget, shouldRetry = () => true } = options;
	const read = { ...options, ...(typeof budget === "string" && { budget: Budget.parse(budget) }) };
	const others = Object.entries(read).filter(([option]) => !known.includes(option));
	const checked = Object.entries(read).filter(([option]) => OF_A_LOOP.includes(option));
	const all = `; the options of ${what} are ${known.join(", ")}, and those of a policy`;
	const wrong = others.find(([option]) => [...OF_A_LOOP, ...ONLY_OF_RETRY].includes(option));
	if (wrong) {
		throw new TypeError(`${wrong[0]} is unknown${all}`);
	}
	const fields = others.length ? Object.fromEntries(others) : undefined;
	try {
		makeRetriable(() => {}, { ...Object.fromEntries(checked), ...fields, shouldRetry });
	} catch (error) {
		// No adapter has delays.
		error.message = error.message.replace("mean delays or", "mean");
		const [, unknown] = /^(\w+ is unknown); the options of/.exec(error.message) ?? [];
		throw unknown ? new TypeError(unknown + all) : error;
	}
	return { ...Object.fromEntries(Object.entries(read).filter(([option]) => known.includes(option))), fields };
}

/** The same with a policy that has the fields. */
export function readOptions(what, options, known) {
	const { fields, ...read } = readOptionsAndFields(what, options, known);
	return fields ? { ...read, policy: ifStarted(() => policyOf(read.policy).with(fields)) ?? read.policy } : read;
}

/** The result of a function; undefined if the core cannot start (SPEC 18.7). */
export function ifStarted(act) {
	try {
		return act();
	} catch (error) {
		if (!(error instanceof StartError)) {
			throw error;
		}
		return undefined;
	}
}

/** Throws for a shared budget. */
export function checkNotShared({ budget }) {
	if (typeof budget?.[OPEN] === "function") {
		throw new TypeError("budget must be a Budget, got a SharedBudget: this adapter takes a budget of one process");
	}
}

/** Throws for fields of a policy that the host of an adapter ignores; `reasons` are by the names of the options. */
export function refuseFields(policy, reasons) {
	for (const [name, reason] of Object.entries(reasons)) {
		const value = policy.params[name];
		if (value !== Infinity && value !== "begin") {
			const ms = value.nanoseconds ? Number(value.nanoseconds) / 1e6 : value;
			throw new TypeError(`${name} ${ms}${typeof ms === "number" ? " ms" : ""} cannot be kept here: ${reason}`);
		}
	}
}

/** The policy of an option. */
export function policyOf(policy = "default") {
	return typeof policy === "string" ? Policy.parse(policy) : policy;
}

/** A function that begins an operation of these options at a time. */
export function operations({ policy, stream, seed, budget, ...options }) {
	const parsed = policyOf(policy);
	const seeded = () => ("key" in options ? new RandomStream(seed, options.key) : new RandomStream(seed));
	const used = stream ?? (seed === undefined ? undefined : seeded());
	return (now) => new Operation(parsed, used, { now, budget });
}

/** What `shouldRetry` says about an error, as a verdict. A `PermanentError` is permanent. */
export async function classify(shouldRetry, error, context) {
	return verdictOf(isMarked(error) ? error : await shouldRetry(error, context));
}

/** The verdict that a return value of a predicate stands for. A `PermanentError` is permanent. */
export function verdictOf(returned, name = "shouldRetry") {
	if (isMarked(returned)) {
		return { outcome: "permanent" };
	}
	if (typeof returned?.then === "function") {
		throw new TypeError(`${name} returned a promise, for which nothing waits here: it must answer at once`);
	}
	return toVerdict(name, returned);
}

/** A value as an error shows it. */
export function shown(value) {
	return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** A longer time makes `setTimeout` fire at once. */
const MAX_TIMEOUT = 2_147_483_647;

/** The time for a timer of the host, which counts whole milliseconds, that waits at least so long, up to 24.8 days. */
export function timeoutOf(delay) {
	return Math.min(Math.ceil(delay), MAX_TIMEOUT);
}
