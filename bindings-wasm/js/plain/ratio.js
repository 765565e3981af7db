// Ratios from the text of numbers.

import { ratioOf } from "./numbers.js";

/** A number as n/d, where d is a power of ten. */
export function termsOfText(number) {
	const [whole, part = ""] = number.replace(/(\.\d*?)0+$/, "$1").split(".");
	return [BigInt(whole + part), 10n ** BigInt(part.length)];
}

/** The value of the ratio that the text of a number denotes, or 0n, which is not a ratio, if it has too large terms. */
export function ratioOfText(text) {
	const [mantissa, exponent = "0"] = text.split("e");
	const [n, d] = termsOfText(mantissa);
	const [up, down] = [Math.max(Number(exponent), 0), Math.max(-Number(exponent), 0)];
	return ratioOf(n * 10n ** BigInt(up), d * 10n ** BigInt(down)) ?? 0n;
}
