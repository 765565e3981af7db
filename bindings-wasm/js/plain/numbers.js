// Durations, ratios, draws and samples (SPEC 1, 2, 4). A ratio is one number, n * 2^32 + d.

export const MAX = 0x7fffffffffffffffn;
export const WORD_MAX = 0xffffffffffffffffn;
const TERM = 0xffffffffn;

export const word = (x) => BigInt.asUintN(64, x);
export const least = (x, y) => (x < y ? x : y);
export const most = (x, y) => (x > y ? x : y);
export const sat = (x) => least(x, MAX);

export const termsOf = (ratio) => [ratio >> 32n, ratio & TERM];

export function scale(x, ratio) {
	return sat((x * (ratio >> 32n)) / (ratio & TERM));
}

/** A ratio of these terms in lowest terms; undefined if a term is too large for one. */
export function ratioOf(n, d) {
	let [divisor, rest] = [n, d];
	while (rest) {
		[divisor, rest] = [rest, divisor % rest];
	}
	// 0/d is 0/1, and n/0 stays as it is.
	const [numerator, denominator] = d ? [n / divisor, d / divisor] : [n, d];
	return most(numerator, denominator) > TERM ? undefined : (numerator << 32n) | denominator;
}

const G = 0x9e3779b97f4a7c15n;

/** A stream after some draws. */
export const advance = (stream, draws) => word(stream + BigInt(draws) * G);

export function draw(stream, index) {
	let z = advance(stream, index + 1);
	z = word((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
	z = word((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
	return z ^ (z >> 31n);
}

export function sample(drawn, low, high) {
	return low + ((drawn * (high - low + 1n)) >> 64n);
}
