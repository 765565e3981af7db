import { copyOptions } from "../core/arguments.js";
import { wrongType } from "../core/errors.js";
import { define } from "../core/show.js";
import { defaults } from "./defaults.js";
import { Loop } from "./loop.js";
import { changedBy, resolveRetryOptions } from "./options.js";

/** Calls a function, and again after failures that may be repeated; resolves to its value. */
export function retry(fn, options) {
	let loop;
	try {
		const resolved = resolve("retry", options);
		checkFunction(fn);
		loop = new Loop(fn, resolved);
	} catch (error) {
		return Promise.reject(error);
	}
	return loop.run();
}

/** A function that calls another with `retry`. */
export function makeRetriable(fn, options) {
	const given = copyOptions("makeRetriable", options);
	let resolved = resolve("makeRetriable", given);
	let resolvedBy = defaults;
	checkFunction(fn);
	const retriable = function (...args) {
		if (resolvedBy !== defaults) {
			resolved = resolve("makeRetriable", given);
			resolvedBy = defaults;
		}
		const apply = (callback) => callback.apply(this, args);
		return new Loop(fn, resolved, apply).run();
	};
	define(retriable, "name", fn.name);
	define(retriable, "withOptions", (changes) =>
		makeRetriable(fn, changedBy(given, copyOptions("withOptions", changes))),
	);
	return define(retriable, "length", fn.length);
}

const resolve = (caller, options) =>
	defaults ? defaults.resolve(caller, options) : resolveRetryOptions(caller, options);

function checkFunction(fn) {
	if (typeof fn !== "function") {
		wrongType("fn", "a function", fn);
	}
}
