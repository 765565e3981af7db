// The arguments of a shared budget, checked once.

import { checkIndex, finite, MAX_UINT64, pickOptions } from "./arguments.js";
import { Budget, checkBudget } from "./budget.js";
import { toNanoseconds } from "./duration.js";
import { refuse, wrongType } from "./errors.js";

/** Not a call, which a bundler could not leave out. */
const OPTIONS = {
	fallback: undefined,
	processes: undefined,
	localBudget: undefined,
	lease: undefined,
	timeout: undefined,
	onExchange: undefined,
};
const MAX_LEASE = 1000;
const MAX_PROCESSES = 1_000_000;
/** What the core calls them. */
const FALLBACKS = { share: 0n, whole: 1n, refuse: MAX_UINT64 };
/** `setTimeout` fires at once for a longer time. */
const MAX_TIMEOUT = 2_147_483_647;
/** The longest name in bytes. Stores limit the length of a key, such as PostgreSQL to 2704 bytes. */
const MAX_NAME = 255;

/** The key in the store, the hook, and what the core gets of these arguments. */
export function readShared(store, name, budget, options = {}) {
	if (typeof store?.load !== "function" || typeof store.compareAndSwap !== "function") {
		wrongType("store", "an object with load(key) and compareAndSwap(key, expected, next)", store);
	}
	if (typeof name !== "string" || name === "") {
		wrongType("name", "a string that is not empty", name);
	}
	const length = new TextEncoder().encode(name).length;
	if (length > MAX_NAME) {
		refuse("too_large", "name", BigInt(length), BigInt(MAX_NAME), `has ${length} bytes, which is above ${MAX_NAME}`);
	}
	if (!isText(name)) {
		throw new TypeError(`name ${JSON.stringify(name)} has a control character or a lone surrogate`);
	}
	const {
		fallback = "share",
		processes,
		localBudget = budget,
		lease = 1,
		timeout = 100,
		onExchange,
	} = pickOptions("a shared budget", options, OPTIONS);
	checkCount("lease", lease, MAX_LEASE);
	if (typeof timeout !== "number") {
		wrongType("timeout", "a number of milliseconds", timeout);
	}
	if (finite("timeout", timeout, -Infinity) <= 0) {
		refuse("too_small", "timeout", BigInt(Math.floor(timeout)), 0n, `${timeout}ms is not above 0ms`);
	}
	if (timeout > MAX_TIMEOUT) {
		const limit = BigInt(MAX_TIMEOUT);
		refuse("too_large", "timeout", BigInt(Math.floor(timeout)), limit, `${timeout}ms is above ${MAX_TIMEOUT}ms`);
	}
	if (onExchange !== undefined && typeof onExchange !== "function") {
		wrongType("onExchange", "a function", onExchange);
	}
	const [shared, local] = [read("budget", budget), read("localBudget", localBudget)];
	const ofMember = [shared, local, lease, readFallback(fallback, processes), toNanoseconds("timeout", timeout)];
	return [`backoff:${name}:${shared}`, onExchange, ...ofMember];
}

/** A full budget of an option. */
function read(name, budget) {
	if (typeof budget !== "string") {
		checkBudget(budget, name, "a Budget or a budget string");
	}
	const parsed = typeof budget === "string" ? Budget.parse(budget) : budget;
	if (parsed.kind === "concurrent") {
		throw new TypeError(`${name} must not be concurrent: a process that dies would hold its slots for ever`);
	}
	return parsed;
}

/** A fallback as the core has it. */
function readFallback(fallback, processes) {
	if (!Object.hasOwn(FALLBACKS, fallback)) {
		wrongType("fallback", '"share", "whole" or "refuse"', fallback);
	}
	if (processes === undefined) {
		return FALLBACKS[fallback];
	}
	if (fallback !== "share") {
		throw new TypeError(`processes is only for the fallback "share", and the fallback is "${fallback}"`);
	}
	checkCount("processes", processes, MAX_PROCESSES);
	return BigInt(processes);
}

/** Checks a whole number from 1 to a limit. */
function checkCount(name, count, max) {
	if (checkIndex(name, count, max) === 0) {
		refuse("too_small", name, 0n, 1n, "0 is below 1");
	}
}

/** Whether a text is Unicode without control characters. */
const isText = (name) => !/[\p{Cc}\p{Cs}]/u.test(name);
