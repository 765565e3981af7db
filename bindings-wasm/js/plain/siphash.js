// The stream of a seed and a key: SipHash-2-4 (SPEC 3).

import { word } from "./numbers.js";

const rotate = (x, by) => word((x << by) | (x >> (64n - by)));

/** The stream of a key, which is bytes. */
export function streamOfKey(seed, key) {
	let [v0, v1, v2, v3] = [
		seed ^ 0x736f6d6570736575n,
		// With the word "jitter-1".
		0x312d72657474696an ^ 0x646f72616e646f6dn,
		seed ^ 0x6c7967656e657261n,
		0x312d72657474696an ^ 0x7465646279746573n,
	];
	const rounds = (count) => {
		for (let round = 0; round < count; round++) {
			v0 = word(v0 + v1);
			v1 = rotate(v1, 13n) ^ v0;
			v0 = rotate(v0, 32n);
			v2 = word(v2 + v3);
			v3 = rotate(v3, 16n) ^ v2;
			v0 = word(v0 + v3);
			v3 = rotate(v3, 21n) ^ v0;
			v2 = word(v2 + v1);
			v1 = rotate(v1, 17n) ^ v2;
			v2 = rotate(v2, 32n);
		}
	};
	for (let at = 0; at <= key.length; at += 8) {
		let m = at + 8 > key.length ? BigInt(key.length % 256) << 56n : 0n;
		for (let byte = Math.min(key.length - at, 8) - 1; byte >= 0; byte--) {
			m |= BigInt(key[at + byte]) << BigInt(8 * byte);
		}
		v3 ^= m;
		rounds(2);
		v0 ^= m;
	}
	v2 ^= 0xffn;
	rounds(4);
	return v0 ^ v1 ^ v2 ^ v3;
}

/** The stream of a number that is a key. */
export function streamOfNumber(seed, number) {
	return streamOfKey(
		seed,
		Array.from({ length: 8 }, (_, byte) => Number((number >> BigInt(8 * byte)) & 0xffn)),
	);
}
