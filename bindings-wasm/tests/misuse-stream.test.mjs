// Bad seeds and keys.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RandomStream } from "./installed.mjs";
import { testRefused, testWrongTypes } from "./misuse.mjs";

const keyed = (key) => () => new RandomStream(1, key);
const KEY = "key must be a string or a Uint8Array";

describe("refused", () => {
	testRefused([
		// The misuse; then code, field, value, limit and message of the error.
		[() => new RandomStream(-1), "negative", "seed", -1n, 0n, "seed -1 is negative"],
		[() => new RandomStream(-1n), "negative", "seed", -1n, 0n, "seed -1 is negative"],
		[() => new RandomStream(0.5), "not_whole", "seed", 0n, 0n, "seed 0.5 is not a whole number"],
		[() => new RandomStream(Number.NaN), "not_finite", "seed", 0n, 0n, "seed NaN is not a finite number"],
		[
			() => new RandomStream(2n ** 64n),
			"too_large",
			"seed",
			2n ** 64n,
			2n ** 64n - 1n,
			"seed 18446744073709551616 is above 18446744073709551615",
		],
		[
			() => new RandomStream(2 ** 53),
			"too_large",
			"seed",
			2n ** 53n,
			2n ** 53n - 1n,
			"seed 9007199254740992 is above 9007199254740991; pass it as a bigint",
		],
		[keyed("ab\ud800"), "not_unicode", "key", 2n, 0n, "key has a lone surrogate at 2, so it has no UTF-8"],
		[keyed("\udc00"), "not_unicode", "key", 0n, 0n, "key has a lone surrogate at 0, so it has no UTF-8"],
	]);
});

describe("wrong types", () => {
	testWrongTypes([
		[() => new RandomStream(), "seed must be a whole number or a bigint, got undefined"],
		[() => new RandomStream("42"), "seed must be a whole number or a bigint, got string"],
		[keyed(null), `${KEY}, got null`],
		[keyed(7), `${KEY}, got number`],
		[keyed([1, 2]), `${KEY}, got an array`],
		[keyed(new Uint16Array(1)), `${KEY}, got Uint16Array`],
		[keyed(new DataView(new ArrayBuffer(8))), `${KEY}, got DataView`],
	]);
});

test("an explicit undefined key is refused", () => {
	assert.throws(() => new RandomStream(42, undefined), { name: "TypeError", message: /key must be/ });
});

test("a key is its bytes, whatever its class", () => {
	class Odd extends Uint8Array {
		subarray() {
			return new Uint8Array();
		}
	}
	assert.equal(new RandomStream(42, Odd.from([1, 2])).state, new RandomStream(42, Uint8Array.of(1, 2)).state);
	const view = new DataView(new ArrayBuffer(2));
	Object.defineProperty(view, Symbol.toStringTag, { value: "Uint8Array" });
	assert.throws(() => new RandomStream(42, view), TypeError);
});
