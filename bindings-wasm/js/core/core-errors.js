// The errors of the core.

import { module, readText, readWords, writeText } from "../wasm/module.js";
import { PolicyError, wrongType } from "./errors.js";
import { misfitOf } from "./field.js";

/**
 * Throws the core's error about a policy with these values. An error about a value that does not
 * fit into 64 bits shows that value instead of the one that the core received in its place.
 */
export function throwCoreError(values) {
	const { code, field, value, limit, message } = readError();
	const options = new Map(
		[...module().fields, ...values.map(([field]) => field)].map(({ name, option }) => [name, option]),
	);
	/** Names the options, not the fields, outside quotation marks. */
	const inOptions = (text) => text.replace(/"(?:\\.|[^"])*"|\w+/g, (word) => options.get(word) ?? word);
	const { shown, value: given = value } = misfitOf(values.find(([{ name }]) => name === field)?.[1], code) ?? {};
	// The value is the second word.
	const text = shown ? message.replace(/ \S+/, () => ` ${shown}`) : message;
	throw new PolicyError(code, field, given, limit, inOptions(text));
}

/** Passes a policy string or a budget string to a parser of the module; throws if that refuses it. */
export function parseText(parse, text) {
	if (typeof text !== "string") {
		wrongType("text", "a string", text);
	}
	// The bytes hold more than the longest string that a parser accepts, so a longer string stays too
	// long when it is cut. A lone surrogate becomes U+FFFD, which is refused at the same place.
	const { written } = writeText(text);
	if (!parse(written)) {
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
