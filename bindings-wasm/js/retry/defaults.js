// What all loops of a program have that do not say otherwise (SPEC 18.8).

import { copyOptions } from "../core/arguments.js";
import { wrongType } from "../core/errors.js";
import { changedBy, isOfAnyPolicy, resolveRetryOptions } from "./options.js";

/** All that are set, from the first to the last. */
const set = [];

/** The sum of all defaults of the program, undefined if there are none. */
export let defaults;

/** What is of one loop. */
const OF_ONE = ["signal", "stream", "seed", "key"];

/** Sets defaults of all loops that begin from now on, beside earlier ones. Returns a function that takes them back. */
export function setDefaults(options) {
	const { enabled, ...given } = copyOptions("setDefaults", options);
	if (enabled !== undefined && typeof enabled !== "boolean") {
		wrongType("enabled", "a boolean", enabled);
	}
	for (const name of OF_ONE) {
		if (given[name] !== undefined) {
			throw new TypeError(`${name} belongs to one loop; it is no default of all`);
		}
	}
	const own = withoutUndefined({ enabled, ...given });
	const { enabled: _, ...sum } = [...set, own].reduce(withHooksOfBoth);
	resolveRetryOptions("setDefaults", { shouldRetry: () => true, ...sum });
	const change = () => {
		defaults = set.length ? new Defaults(set.reduce(withHooksOfBoth)) : undefined;
	};
	set.push(own);
	change();
	return () => {
		const place = set.indexOf(own);
		if (place >= 0) {
			set.splice(place, 1);
			change();
		}
	};
}

class Defaults {
	constructor({ enabled = true, ...given }) {
		this.given = given;
		this.enabled = enabled;
	}

	/** The options of a loop with these, checked. */
	resolve(caller, options) {
		const own = withoutUndefined(copyOptions(caller, options));
		return resolveRetryOptions(caller, withHooksOfBoth(this.given, own), !this.enabled);
	}
}

const withoutUndefined = (options) =>
	Object.fromEntries(Object.entries(options).filter(([, option]) => option !== undefined));

/** The options with others over them, whose hooks come second. */
function withHooksOfBoth(first, second) {
	const hooks = ["onRetry", "onStop"].map((name) => [name, both(first[name], second[name])]);
	// A policy takes the place of the policy and the fields before it.
	const isKept = (name) => second.policy === undefined || name === "enabled" || isOfAnyPolicy(name);
	const kept = Object.entries(first).filter(([name]) => isKept(name));
	return withoutUndefined({ ...changedBy(Object.fromEntries(kept), second), ...Object.fromEntries(hooks) });
}

/** A hook that calls both, the first one first. */
function both(first, second) {
	if (typeof first !== "function" || typeof second !== "function") {
		return second ?? first;
	}
	return async (event) => {
		await first(event);
		await second(event);
	};
}
