import { ratioOf } from "./numbers.js";
import { termsOfText } from "./parse.js";

/** The value of the ratio that the text of a number denotes, or 0n, which is not a ratio, if it has too large terms. */
export function ratioOfText(text) {
	const [mantissa, exponent = "0"] = text.split("e");
	const [n, d] = termsOfText(mantissa);
	const [up, down] = [Math.max(Number(exponent), 0), Math.max(-Number(exponent), 0)];
	return ratioOf(n * 10n ** BigInt(up), d * 10n ** BigInt(down)) ?? 0n;
}
