// The options of the adapters of HTTP clients.

import { Budget, httpOutcome } from "backoff-wasm";
import { OUTCOMES } from "../retry/is-verdict.js";
import { checkOptions, ifStarted, OF_AN_OPERATION, readOptionsAndFields, shown, timeoutOf } from "./common.js";

const DEFAULT_BUDGET = "finagle";
const MAX_ORIGINS = 1000;

/** The options of every adapter. */
const OF_HTTP = [
	...OF_AN_OPERATION,
	...["budget", "stats", "onRetry", "onStop", "deadline"],
	...["attemptTimeout", "readBody", "methods", "statuses", "mayRepeat", "classify"],
];

/** Those of adapters whose loop waits itself. */
export const OF_A_WAIT = ["unref", "clock"];

/** The options of a function: those of its loops in `loop`, and what is true of all its requests. */
export function readHttpOptions(what, options, ...others) {
	checkOptions(what, options);
	const { budget = DEFAULT_BUDGET } = options;
	const isText = typeof budget === "string";
	const one = isText ? ifStarted(() => Budget.parse(budget)) : budget;
	const known = [...OF_HTTP, ...others];
	const { attemptTimeout, readBody, methods, statuses, mayRepeat, classify, ...read } = readOptionsAndFields(
		what,
		{ ...options, budget: one },
		known,
	);
	const longest = attemptTimeout === undefined ? limitOf(read.policy) : toMilliseconds(attemptTimeout);
	check("attemptTimeout", attemptTimeout, "a positive number of milliseconds", () => longest > 0);
	check("readBody", readBody, "a boolean", (each) => typeof each === "boolean");
	check("mayRepeat", mayRepeat, "a function", (each) => typeof each === "function");
	for (const [name, wanted] of [
		["deadline", "a Date, or a time of the clock of performance.now()"],
		["key", "one key for all requests"],
	]) {
		check(name, read[name], wanted, (each) => typeof each !== "function");
	}
	check("classify", classify, "a function", (each) => typeof each === "function");
	return {
		...read,
		attemptTimeout: longest === Infinity ? undefined : timeoutOf(longest),
		readBody,
		methods: readMethods(methods),
		statuses: readStatuses(statuses),
		mayRepeat,
		classify,
		budgetOf: isText ? budgets(budget) : () => one,
	};
}

const toMilliseconds = (limit) => (typeof limit === "number" ? limit : Number(limit?.nanoseconds) / 1e6);

/** In milliseconds. */
const UNITS = { d: 864e5, h: 36e5, m: 6e4, s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };

/** The limit of an attempt by a policy or a policy string. The client ends the attempt, because it knows how. */
function limitOf(policy) {
	const [, number, unit] = /\battempt_timeout=([\d.]+)(\w+)/.exec(policy) ?? [];
	return number ? number * UNITS[unit] : Infinity;
}

function check(name, value, wanted, isRight) {
	if (value !== undefined && !isRight(value)) {
		throw new TypeError(`${name} must be ${wanted}, got ${shown(value)}`);
	}
}

/** A token of HTTP in capital letters: methods are case-sensitive, and all that are in use are in capital letters. */
const METHOD = /^[A-Z\d!#$%&'*+.^_`|~-]+$/;

function readMethods(methods) {
	const isRight = (all) => Array.isArray(all) && all.every((each) => typeof each === "string");
	check("methods", methods, 'an array of methods, such as ["GET", "POST"]', isRight);
	const wrong = methods?.find((each) => !METHOD.test(each));
	if (wrong !== undefined) {
		const meant = wrong.trim().toUpperCase();
		throw new RangeError(`methods has "${wrong}": write ${METHOD.test(meant) ? `"${meant}"` : 'one such as "GET"'}`);
	}
	return methods?.slice();
}

/** The outcomes of statuses: of an object, or of an array of statuses that are transient. */
function readStatuses(statuses = {}) {
	const isList = Array.isArray(statuses);
	const isTable = typeof statuses === "object" && statuses !== null && !(Symbol.iterator in statuses);
	const wanted = 'an object, such as { 409: "transient" }, or an array';
	check("statuses", statuses, wanted, () => isList || isTable);
	return new Map(isList ? statuses.map(readFailure) : Object.entries(statuses).map(readOutcome));
}

/** A status that is transient. */
function readFailure(status) {
	check("each of statuses", status, "a number", (each) => typeof each === "number");
	checkStatus(status);
	if (httpOutcome(status) === "success") {
		const advice = `write { ${status}: "transient" } if it is to be repeated`;
		throw new RangeError(`statuses has ${status}, which is a success: ${advice}`);
	}
	return [status, "transient"];
}

function readOutcome([status, outcome]) {
	checkStatus(status);
	if (!OUTCOMES.includes(outcome)) {
		throw new TypeError(`statuses: ${String(outcome)} of ${status} must be one of ${OUTCOMES.join(", ")}`);
	}
	return [Number(status), outcome];
}

function checkStatus(status) {
	if (!/^[1-9]\d\d$/.test(status)) {
		throw new RangeError(`statuses has ${status}; a status is from 100 to 999`);
	}
}

/** A budget for each origin; those that were not used for the longest time are forgotten. */
function budgets(text) {
	const kept = new Map();
	return (origin) => {
		const budget = kept.get(origin) ?? ifStarted(() => Budget.parse(text));
		kept.delete(origin);
		kept.set(origin, budget);
		if (kept.size > MAX_ORIGINS) {
			kept.delete(kept.keys().next().value);
		}
		return budget;
	};
}
