import { wrongType } from "../core/errors.js";
import { define } from "../core/show.js";
import { Loop } from "./loop.js";
import { resolveRetryOptions } from "./options.js";

/** Calls a function, and again after failures that may be repeated; resolves to its value. */
export function retry(fn, options) {
	let loop;
	try {
		const resolved = resolveRetryOptions("retry", options);
		checkFunction(fn);
		loop = new Loop(fn, resolved);
	} catch (error) {
		return Promise.reject(error);
	}
	return loop.run();
}

/** A function that calls another with `retry`. */
export function makeRetriable(fn, options) {
	const resolved = resolveRetryOptions("makeRetriable", options);
	checkFunction(fn);
	const retriable = function (...args) {
		const apply = (callback) => callback.apply(this, args);
		return new Loop(fn, resolved, apply).run();
	};
	define(retriable, "name", fn.name);
	return define(retriable, "length", fn.length);
}

function checkFunction(fn) {
	if (typeof fn !== "function") {
		wrongType("fn", "a function", fn);
	}
}
