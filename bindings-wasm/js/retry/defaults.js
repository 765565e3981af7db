// What all loops of a program have that do not say otherwise (SPEC 18.8).

import { copyOptions } from "../core/arguments.js";
import { wrongType } from "../core/errors.js";
import { noDefaults, resolveRetryOptions } from "./options.js";

/** The defaults of the program, undefined if there are none. */
export let defaults;

/** All that are set; the last ones count. */
const set = [];

/** Sets the defaults of all loops that begin from now on. Returns a function that takes them back. */
export function setDefaults(options) {
	const { enabled = true, ...given } = copyOptions("setDefaults", options);
	if (typeof enabled !== "boolean") {
		wrongType("enabled", "a boolean", enabled);
	}
	resolveRetryOptions("setDefaults", { shouldRetry: () => true, ...given });
	const own = new Defaults(given, enabled);
	const change = () => {
		defaults = set.at(-1);
	};
	set.push(own);
	change();
	return () => {
		if (set.includes(own)) {
			set.splice(set.indexOf(own), 1);
			change();
		}
	};
}

class Defaults {
	constructor(given, enabled) {
		this.given = withoutUndefined(given);
		this.enabled = enabled;
	}

	/** The options of a loop with these, checked. */
	resolve(caller, options) {
		const own = withoutUndefined(copyOptions(caller, options));
		// A policy of the loop's own is not changed.
		const others = Object.entries(this.given).filter(([name]) => !("policy" in own) || noDefaults(name));
		const { onRetry, onStop, ...given } = Object.fromEntries(others);
		const hooks = { onRetry: both(onRetry, own.onRetry), onStop: both(onStop, own.onStop) };
		return resolveRetryOptions(caller, { ...given, ...own, ...hooks }, !this.enabled);
	}
}

const withoutUndefined = (options) =>
	Object.fromEntries(Object.entries(options).filter(([, option]) => option !== undefined));

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
