// The options of the adapters of HTTP clients.

import { Budget, StartError } from "backoff-wasm";
import { OUTCOMES } from "../retry/is-verdict.js";
import { checkOptions, OF_AN_OPERATION, readOptions, timeoutOf } from "./common.js";

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
	const one = isText ? ifStarted(() => Budget.parse(budget)) : (budget ?? undefined);
	const known = [...OF_HTTP, ...others];
	const { attemptTimeout, readBody, methods, statuses, mayRepeat, classify, ...read } = readOptions(
		what,
		{ ...options, budget: one },
		known,
	);
	check("attemptTimeout", attemptTimeout, "a positive number of milliseconds", (ms) => Number.isFinite(ms) && ms > 0);
	check("readBody", readBody, "a boolean", (each) => typeof each === "boolean");
	check("mayRepeat", mayRepeat, "a function", (each) => typeof each === "function");
	check("classify", classify, "a function", (each) => typeof each === "function");
	check(
		"methods",
		methods,
		'an array of methods, such as ["GET", "POST"]',
		(all) => Array.isArray(all) && all.every((each) => typeof each === "string"),
	);
	return {
		...read,
		attemptTimeout: attemptTimeout && timeoutOf(attemptTimeout),
		readBody,
		methods: methods?.map((method) => method.toUpperCase()),
		statuses: readStatuses(statuses),
		mayRepeat,
		classify,
		budgetOf: isText ? budgets(budget) : () => one,
	};
}

function check(name, value, wanted, isRight) {
	if (value !== undefined && !isRight(value)) {
		throw new TypeError(`${name} must be ${wanted}, got ${String(value)}`);
	}
}

/** The outcomes of statuses: of an object, or of an array of statuses that are transient. */
function readStatuses(statuses = {}) {
	const isList = Array.isArray(statuses);
	if (typeof statuses !== "object" || statuses === null) {
		throw new TypeError(
			`statuses must be an object, such as { 409: "transient" }, or an array, got ${String(statuses)}`,
		);
	}
	const entries = isList ? statuses.map((status) => [status, "transient"]) : Object.entries(statuses);
	for (const [status, outcome] of entries) {
		if (!/^[1-9]\d\d$/.test(status)) {
			throw new TypeError(`statuses: ${String(status)} must be a status from 100 to 999, such as 409`);
		}
		if (!OUTCOMES.includes(outcome)) {
			throw new TypeError(`statuses: ${String(outcome)} of ${status} must be one of ${OUTCOMES.join(", ")}`);
		}
	}
	return new Map(entries.map(([status, outcome]) => [Number(status), outcome]));
}

/** The result of a function; undefined if the core cannot start (SPEC 18.7). */
function ifStarted(act) {
	try {
		return act();
	} catch (error) {
		if (!(error instanceof StartError)) {
			throw error;
		}
		return undefined;
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
