// The errors of this package: those of its own checks, and those of the core.

import { module, readText, readWords, writeText } from "../wasm/module.js";
import { defineError } from "./show.js";

/**
 * A refused value or string: the rule that it broke, the field, the value and the limit; for a
 * string, also the place of the error and the text found there.
 */
export class PolicyError extends RangeError {
	static name = "PolicyError";

	constructor(code, field, value, limit, message, at, found) {
		super(message);
		this.code = code;
		this.field = field;
		this.value = value;
		this.limit = limit;
		this.at = at;
		this.found = found;
	}

	static {
		defineError(PolicyError);
	}
}

/**
 * Refuses a value that cannot reach the core, in the style of the core. A field is the name of an
 * argument, or an object with its `name` in the SPEC and with the `option` that the message names.
 */
export function refuse(code, field, value, limit, reason) {
	const { name, option } = typeof field === "string" ? { name: field, option: field } : field;
	throw new PolicyError(code, name, value, limit, `${option} ${reason}`);
}

/** Refuses a value of the wrong type. For the field see `refuse`. */
export function wrongType(field, wanted, input, advice = "") {
	const got = typeName(input);
	// An object whose class has the name of the wanted class of this package is of a second copy of it, or a proxy.
	const [, own] = /^a ([A-Z]\w*)/.exec(wanted) ?? [];
	// Where a text is right, the type of a wrong one says nothing.
	const text = typeof input === "string" && /"|^a string/.test(wanted) ? JSON.stringify(input) : got;
	const shown = got === own ? `a ${got} of another copy of backoff-wasm, or a proxy` : text;
	throw new TypeError(`${typeof field === "string" ? field : field.option} must be ${wanted}, got ${shown}${advice}`);
}

/** The type of a value; of an object its class. */
export function typeName(input) {
	if (typeof input !== "object" || input === null) {
		return input === null ? "null" : typeof input;
	}
	const name = Array.isArray(input) ? "an array" : Object.getPrototypeOf(input)?.constructor?.name;
	return typeof name === "string" && !/^(?:Object)?$/.test(name) ? name : "object";
}

/**
 * Throws the core's error about a policy with these values. An error about a value that does not
 * fit into 64 bits shows that value instead of the one that the core received in its place.
 */
export function throwCoreError(values) {
	const { code, field, value, limit, message } = readError();
	const { bytes, exports, fields } = module();
	const options = new Map([...fields, ...values.map(([field]) => field)].map(({ name, option }) => [name, option]));
	/** Names the options, not the fields, outside quotation marks. */
	const inOptions = (text) => text.replace(/"(?:\\.|[^"])*"|\w+/g, (word) => options.get(word) ?? word);
	const unrepresentable = values.find(([{ name }]) => name === field)?.[1].unrepresentable;
	if (unrepresentable === undefined) {
		throw new PolicyError(code, field, value, limit, inOptions(message));
	}
	const { written } = writeText(unrepresentable.shown);
	const utf8 = bytes.subarray(0, exports.error_message_with(written));
	// An unknown name may contain any character, and jsdom has no TextDecoder.
	const shown = decodeURIComponent(Array.from(utf8, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
	const { advice = "" } = unrepresentable;
	throw new PolicyError(code, field, unrepresentable.value, limit, inOptions(shown) + advice);
}

/** Passes a policy string or a budget string to a parser of the module; throws if that refuses it. */
export function parseText(parse, text) {
	if (typeof text !== "string") {
		wrongType("text", "a string", text);
	}
	// The bytes hold more than the longest string that a parser accepts, so a longer string stays too
	// long when it is cut. A lone surrogate becomes U+FFFD, which is refused at the same place.
	const { written } = writeText(text);
	if (!module().exports[parse](written)) {
		throwParseError(text);
	}
}

function throwParseError(text) {
	const { code, field, value, limit, message, at, foundLength } = readError();
	// The text before an error is ASCII; the length of the text found there is in bytes.
	const rest = text.slice(at);
	const { read } = writeText(rest, module().bytes.subarray(0, foundLength));
	throw new PolicyError(code, field || undefined, value, limit, message, at, rest.slice(0, read));
}

/** The error that the module left in its buffers. */
function readError() {
	const [value, limit, length, at, foundLength] = readWords(0, 5);
	const [code, field, message] = readText(Number(length)).split("\n");
	return { code, field, value, limit, message, at: Number(at), foundLength: Number(foundLength) };
}
