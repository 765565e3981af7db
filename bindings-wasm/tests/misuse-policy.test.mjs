// Bad policies and bad arguments of their methods: a typed error that names the field, the value and the limit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backoff, Budget, Policy, PolicyError } from "./installed.mjs";
import { FIRST, good, MAX_NS, policy, policyOf, stream, testRefused, testWrongTypes } from "./misuse.mjs";

const proportional = (jitterBelow) => policyOf({ jitter: "proportional", jitterBelow });
const polynomial = (options) => policyOf({ growth: "polynomial", ...options });

describe("refused", () => {
	testRefused([
		// The misuse; then code, field, value, limit and message of the error.
		[policyOf({ base: Number.NaN }), "not_finite", "base", 0n, 0n, "base NaN is not a finite number"],
		[policyOf({ floor: Infinity }), "not_finite", "floor", 0n, 0n, "floor Infinity is not a finite number"],
		[policyOf({ cap: -Infinity }), "not_finite", "cap", 0n, 0n, "cap -Infinity is not a finite number"],
		[policyOf({ base: Infinity }), "not_finite", "base", 0n, 0n, "base Infinity is not a finite number"],
		[polynomial({ power: Infinity }), "not_finite", "power", 0n, 0n, "power Infinity is not a finite number"],
		[policyOf({ base: -Infinity }), "not_finite", "base", 0n, 0n, "base -Infinity is not a finite number"],
		[policyOf({ base: -5 }), "negative", "base", -5_000_000n, 0n, "base -5ms is negative"],
		[policyOf({ base: { nanoseconds: -5n } }), "negative", "base", -5n, 0n, "base -5 is negative"],
		[policyOf({ base: 4e-7 }), "too_small", "base", 0n, 1n, "base 4e-7ms is below 1ns"],
		[policyOf({ base: 5e-7 }), "too_small", "base", 0n, 1n, "base 5e-7ms is below 1ns"],
		[policyOf({ base: Number.MIN_VALUE }), "too_small", "base", 0n, 1n, "base 5e-324ms is below 1ns"],
		[policyOf({ base: { nanoseconds: 1.5 } }), "not_whole", "base", 0n, 0n, "base 1.5 is not a whole number"],
		[
			policyOf({ cap: 1e13 }),
			"too_large",
			"cap",
			10n ** 19n,
			MAX_NS,
			"cap 10000000000s is above 9223372036854775807ns",
		],
		[
			policyOf({ cap: 1e14 }),
			"too_large",
			"cap",
			10n ** 20n,
			MAX_NS,
			"cap 100000000000000ms is above 9223372036854775807ns",
		],
		[
			policyOf({ cap: { nanoseconds: 2n ** 64n } }),
			"too_large",
			"cap",
			2n ** 64n,
			MAX_NS,
			"cap 18446744073709551616ns is above 9223372036854775807ns",
		],
		[
			policyOf({ cap: { nanoseconds: 2 ** 53 } }),
			"too_large",
			"cap",
			2n ** 53n,
			2n ** 53n - 1n,
			"cap 9007199254740992 is above 9007199254740991; pass it as a bigint",
		],
		[
			policyOf({ increment: 1e300 }),
			"unused",
			"increment",
			BigInt(1e300) * 10n ** 6n,
			3n,
			"increment 1e+300ms is not used by growth exponential",
		],
		[policyOf({ cap: 50 }), "cap_below_base", "cap", 50_000_000n, 100_000_000n, "cap 50ms is below base 100ms"],
		[
			policyOf({ growth: "expo" }),
			"unknown_kind",
			"growth",
			0n,
			5n,
			'growth "expo" is unknown; the kinds are constant, linear, exponential, polynomial, fibonacci',
		],
		[
			policyOf({ jitter: "$& $1 x" }),
			"unknown_kind",
			"jitter",
			0n,
			7n,
			'jitter "$& $1 x" is unknown; the kinds are none, full, equal, proportional, additive, decorrelated, slotted',
		],
		[policyOf({ capOn: "" }), "unknown_kind", "cap_on", 0n, 2n, 'capOn "" is unknown; the kinds are window, delay'],
		[
			policyOf({ growth: "größe" }),
			"unknown_kind",
			"growth",
			0n,
			5n,
			/^growth "größe" is unknown; the kinds are constant/,
		],
		[polynomial({ power: 10n ** 200n }), "too_large", "power", 10n ** 200n, 16n, /^power 10{127}\.\.\. is above 16$/],
		[policyOf({ growth: "Exponential" }), "unknown_kind", "growth", 0n, 5n, /^growth "Exponential" is unknown/],
		[() => new Policy({ base: 1 }), "missing", "growth", 0n, 0n, "growth is missing"],
		[() => new Policy({ growth: "constant", base: undefined }), "missing", "base", 0n, 0n, "base is missing"],
		[polynomial({ power: 1.5 }), "not_whole", "power", 0n, 0n, "power 1.5 is not a whole number"],
		[polynomial({ power: 17 }), "too_large", "power", 17n, 16n, "power 17 is above 16"],
		[
			polynomial({ power: 2n ** 64n + 2n }),
			"too_large",
			"power",
			2n ** 64n + 2n,
			16n,
			"power 18446744073709551618 is above 16",
		],
		[
			polynomial({ origin: 2 ** 32 }),
			"too_large",
			"origin",
			2n ** 32n,
			2n ** 32n - 1n,
			"origin 4294967296 is above 4294967295",
		],
		[polynomial({ origin: -1 }), "negative", "origin", -1n, 0n, "origin -1 is negative"],
		[policyOf({ multiplier: Number.NaN }), "not_finite", "multiplier", 0n, 0n, "multiplier NaN is not a finite number"],
		[policyOf({ multiplier: -2 }), "negative", "multiplier", -2n, 0n, "multiplier -2 is negative"],
		[
			policyOf({ multiplier: 1e21 }),
			"ratio_too_fine",
			"multiplier",
			0n,
			1000000n,
			"multiplier 1e+21 has a term above 1000000",
		],
		[
			policyOf({ multiplier: 2 ** 32 }),
			"ratio_too_fine",
			"multiplier",
			0n,
			1000000n,
			"multiplier 4294967296 has a term above 1000000",
		],
		[
			policyOf({ multiplier: 1.005 }),
			"too_small",
			"multiplier",
			(201n << 32n) | 200n,
			(101n << 32n) | 100n,
			"multiplier 1.005 is below 1.01",
		],
		[
			policyOf({ multiplier: [2, 0] }),
			"zero_denominator",
			"multiplier",
			2n << 32n,
			1n,
			"multiplier 2/0 has a zero denominator",
		],
		[
			policyOf({ multiplier: [2 ** 33, 2 ** 32] }),
			"ratio_too_fine",
			"multiplier",
			0n,
			1000000n,
			"multiplier 8589934592/4294967296 has a term above 1000000",
		],
		[
			policyOf({ multiplier: 4 / 3 }),
			"ratio_too_fine",
			"multiplier",
			0n,
			1000000n,
			"multiplier 1.3333333333333333 has a term above 1000000; pass it as [4, 3]",
		],
		[policyOf({ multiplier: [1.5, 1] }), "not_whole", "multiplier", 0n, 0n, "multiplier 1.5 is not a whole number"],
		[
			proportional(0.1 + 0.2),
			"ratio_too_fine",
			"jitter_below",
			0n,
			1000000n,
			"jitterBelow 0.30000000000000004 has a term above 1000000",
		],
		[
			proportional(1e-7),
			"ratio_too_fine",
			"jitter_below",
			(1n << 32n) | 10_000_000n,
			1000000n,
			"jitterBelow 1/10000000 has a term above 1000000",
		],
		[proportional(1.5), "too_large", "jitter_below", (3n << 32n) | 2n, (1n << 32n) | 1n, "jitterBelow 1.5 is above 1"],
		[
			() => policy.delay(stream, 2 ** 32),
			"too_large",
			"index",
			2n ** 32n,
			2n ** 32n - 1n,
			"index 4294967296 is above 4294967295",
		],
		[() => policy.delayNs(stream, -1), "negative", "index", -1n, 0n, "index -1 is negative"],
		[() => policy.window(0.5), "not_whole", "index", 0n, 0n, "index 0.5 is not a whole number"],
		[() => policy.windowNs(Number.NaN), "not_finite", "index", 0n, 0n, "index NaN is not a finite number"],
		[
			() => stream.draw(2 ** 32),
			"too_large",
			"index",
			2n ** 32n,
			2n ** 32n - 1n,
			"index 4294967296 is above 4294967295",
		],
		[
			() => policy.delays(stream, 2 ** 53),
			"too_large",
			"count",
			2n ** 53n,
			2n ** 53n - 1n,
			"count 9007199254740992 is above 9007199254740991",
		],
		[() => policy.delaysNs(stream, Infinity), "not_finite", "count", 0n, 0n, "count Infinity is not a finite number"],
		[() => policy.delays(stream, -1), "negative", "count", -1n, 0n, "count -1 is negative"],
		[
			() => policy.delays(stream, 1, 2 ** 32),
			"too_large",
			"first",
			2n ** 32n,
			2n ** 32n - 1n,
			"first 4294967296 is above 4294967295",
		],
		[policyOf({ maxRetries: -1 }), "negative", "max_retries", -1n, 0n, "maxRetries -1 is negative"],
		[policyOf({ maxRetries: 2.5 }), "not_whole", "max_retries", 0n, 0n, "maxRetries 2.5 is not a whole number"],
		[policyOf({ maxAttempts: 0 }), "too_small", "max_attempts", 0n, 1n, "maxAttempts 0 is below 1"],
		[
			policyOf({ maxRetries: 3, maxAttempts: 4 }),
			"given_twice",
			"max_attempts",
			4n,
			3n,
			"maxAttempts 4 is set as well as maxRetries 3; set one of them",
		],
		[
			policyOf({ retryAfter: "at least" }),
			"unknown_kind",
			"retry_after",
			0n,
			3n,
			/^retryAfter "at least" is unknown; .* at_least, exact/,
		],
		[
			policyOf({ maxElapsed: Number.NaN }),
			"not_finite",
			"max_elapsed",
			0n,
			0n,
			"maxElapsed NaN is not a finite number",
		],
		[() => policy.fitBase(0, 1), "too_small", "max_attempts", 0n, 1n, "attempts 0 is below 1"],
		[() => policy.fitCap(65_537, 1), "too_large", "max_attempts", 65_537n, 65_536n, "attempts 65537 is above 65536"],
		[() => policy.fitBase(1.5, 1), "not_whole", "max_attempts", 0n, 0n, "attempts 1.5 is not a whole number"],
		[() => policy.fitBase(2, -1), "negative", "max_elapsed", -1_000_000n, 0n, "total -1ms is negative"],
		[
			() => policy.fitBase(2, 1e300),
			"too_large",
			"max_elapsed",
			BigInt(1e300) * 10n ** 6n,
			MAX_NS,
			"total 1e+300ms is above 9223372036854775807ns",
		],
		[
			() => policy.fitCap(3, 1),
			"does_not_fit",
			"cap",
			200_000_000n,
			1_000_000n,
			"cap cannot be made short enough: the delays take at least 200ms, which is above 1ms",
		],
		[() => policy.preview(-1), "negative", "count", -1n, 0n, "count -1 is negative"],
		[() => policy.preview(65_537), "too_large", "count", 65_537n, 65_536n, "count 65537 is above 65536"],
		[() => policy.previewNs(Infinity), "not_finite", "count", 0n, 0n, "count Infinity is not a finite number"],
		[() => Policy.parse(""), "unknown_head", undefined, 0n, 0n, /^at 0: unknown name ""; the names are constant, /],
	]);
});

describe("wrong types", () => {
	testWrongTypes([
		[() => new Policy(), "options of a policy must be a plain object, got undefined"],
		[() => new Policy(null), "options of a policy must be a plain object, got null"],
		[
			() => new Policy("full:base=1s,cap=9s"),
			"options of a policy must be a plain object, got string; a policy string is read by Policy.parse",
		],
		[() => new Policy(new (class Settings {})()), "options of a policy must be a plain object, got Settings"],
		[() => new Policy(new (class {})()), "options of a policy must be a plain object, got object"],
		[() => new Policy(new Map()), "options of a policy must be a plain object, got Map"],
		[() => new Policy([]), "options of a policy must be a plain object, got an array"],
		[policyOf({ bse: 1 }), /^bse is unknown; the options of a policy are growth, base, .*, retryAfterMaxExtra$/],
		[policyOf({ jitter_max: 1 }), /^jitter_max is unknown; .*jitterMax/],
		[policyOf({ bse: undefined }), /^bse is unknown/],
		[policyOf({ base: null }), "base must be a number of milliseconds or { nanoseconds }, got null"],
		[policyOf({ base: "100ms" }), "base must be a number of milliseconds or { nanoseconds }, got string"],
		[policyOf({ base: 100n }), "base must be a number of milliseconds or { nanoseconds }, got bigint"],
		[policyOf({ base: Symbol("x") }), "base must be a number of milliseconds or { nanoseconds }, got symbol"],
		[policyOf({ base: { seconds: 1 } }), "base must be a number of milliseconds or { nanoseconds }, got object"],
		[policyOf({ base: { nanoseconds: "1e3" } }), "base must be a whole number or a bigint, got string"],
		[policyOf({ growth: 3 }), "growth must be one of constant, linear, exponential, polynomial, fibonacci, got number"],
		[policyOf({ capOn: null }), "capOn must be one of window, delay, got null"],
		[polynomial({ power: "2" }), "power must be a whole number or a bigint, got string"],
		[policyOf({ multiplier: "1.6" }), "multiplier must be a number or [numerator, denominator], got string"],
		[policyOf({ multiplier: [8] }), "multiplier must be a number or [numerator, denominator], got an array"],
		[policyOf({ multiplier: [8, "5"] }), "multiplier must be a whole number or a bigint, got string"],
		[() => policy.delay(42, 0), "stream must be a RandomStream, got number"],
		[() => policy.delay({ state: 1n }, 0), "stream must be a RandomStream, got object"],
		[() => policy.delays(null, 1), "stream must be a RandomStream, got null"],
		[() => policy.delaysNs(undefined, 1), "stream must be a RandomStream, got undefined"],
		[() => policy.delay(stream), "index must be a number, got undefined"],
		[() => policy.delay(stream, 0n), "index must be a number, got bigint"],
		[() => policy.delays(stream), "count must be a number, got undefined"],
		[() => new Backoff(), "policy must be a Policy, got undefined"],
		[() => new Backoff(good, stream), "policy must be a Policy, got object; make it with new Policy(options)"],
		[() => new Backoff(policy, 42), "stream must be a RandomStream, got number"],
		[() => new Backoff(policy, null), "stream must be a RandomStream, got null"],
		[() => new Backoff(`${policy}`, stream), "policy must be a Policy, got string"],
		[() => new Backoff(Object.create(null), stream), /^policy must be a Policy, got object; make it with/],
		[() => Policy(good), /cannot be invoked without 'new'/],
		[() => Policy.parse(), "text must be a string, got undefined"],
		[() => Policy.parse(policy), "text must be a string, got Policy"],
		[policyOf({ retryAfter: 1 }), "retryAfter must be one of at_least, exact, spread, got number"],
		[policyOf({ maxRetries: "3" }), "maxRetries must be a whole number or a bigint, got string"],
		[() => policy.preview("10"), "count must be a number, got string"],
		[() => policy.preview(null), "count must be a number, got null"],
		[() => policy.fitBase(), "attempts must be a whole number or a bigint, got undefined"],
		[() => policy.fitBase(3), "total must be a number of milliseconds or { nanoseconds }, got undefined"],
	]);
});

describe("policy strings", () => {
	/** The parts of the error for a string. */
	const errorOf = (text, kind = Policy) => {
		try {
			kind.parse(text);
		} catch (error) {
			assert.ok(error instanceof PolicyError);
			const { code, at, found, message } = error;
			return { code, at, found, message };
		}
		return undefined;
	};

	test("a lone surrogate is refused at its place, and `found` has it", () => {
		const { code, at, found, message } = errorOf("full:base=\ud800s,cap=1h");
		assert.deepEqual([code, at, found], ["not_a_duration", 10, "\ud800s"]);
		assert.match(message, /^at 10: base "\\xef\\xbf\\xbds" is not/);
		assert.deepEqual(errorOf("\udc00").found, "\udc00");
		assert.equal(errorOf("ratio:\ud800", Budget).code, "unknown_key");
	});

	test("a string that is too long is refused for its length alone", () => {
		const tooLong = { code: "text_too_long", at: 1024, found: "", message: /longer than 1024 bytes/ };
		for (const text of ["x".repeat(1025), "ä".repeat(513), "x".repeat(1 << 24), `full:base=${"\ud800".repeat(9999)}`]) {
			const { message, ...rest } = errorOf(text);
			assert.deepEqual(rest, { code: tooLong.code, at: tooLong.at, found: tooLong.found });
			assert.match(message, tooLong.message);
		}
		assert.equal(errorOf("ä".repeat(512)).found, "ä".repeat(512));
		assert.equal(`${Policy.parse(`constant:base=${"0".repeat(1008)}1s`)}`, "constant:base=1s");
	});

	test("an error of options has no place", () => {
		assert.throws(policyOf({ cap: 1 }), { at: undefined, found: undefined });
	});

	test("a refused string changes no other policy", () => {
		assert.equal(policy.delayNs(stream, 0), FIRST);
		assert.throws(() => Policy.parse("full:base=1s,cap=1ms"), { code: "cap_below_base", at: 17, found: "1ms" });
		assert.equal(policy.delayNs(stream, 0), FIRST);
	});

	test("equal policies have equal strings", () => {
		const same = Policy.parse("full:base=100ms,cap=20s");
		assert.ok(policy.equals(same) && same.equals(policy) && policy.equals(policy));
		for (const other of [Policy.parse("full:base=100ms,cap=21s"), `${policy}`, null, undefined, {}, 5]) {
			assert.equal(policy.equals(other), false);
		}
	});
});

test("options must be a plain object, and inherited properties do not count", () => {
	class Options {
		growth = "constant";
		base = 100;
		get cap() {
			return 50;
		}
	}
	for (const options of [new Options(), Object.create({ cap: 5 }), []]) {
		assert.throws(() => new Policy(options), { name: "TypeError", message: /plain object/ });
	}
	const bare = Object.assign(Object.create(null), { growth: "constant", base: 1 });
	assert.equal(new Policy(bare).windowNs(0), 1_000_000n);
});

test("an index that is not a safe integer is refused by its limit", () => {
	const policy = new Policy({ growth: "constant", base: 1 });
	assert.throws(() => policy.window(2 ** 53), { code: "too_large", limit: 2n ** 32n - 1n });
});
