import { module, unsigned, writeText } from "./module.js";

/** The value of the ratio that a decimal number denotes, or 0n, which is not a ratio, if it has too large terms. */
export function ratioOfText(text) {
	const { written } = writeText(text);
	return unsigned(module().exports.ratio_parse(written));
}
