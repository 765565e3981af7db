// Bad input: a typed error that names the field, the value and the limit; nothing changes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	Backoff,
	Budget,
	History,
	httpOutcome,
	Operation,
	Policy,
	PolicyError,
	retryAfter,
	retryAfterNs,
	Stream,
} from "./installed.mjs";

const good = { growth: "exponential", base: 100, cap: 20_000, jitter: "full" };
const policy = new Policy(good);
const stream = new Stream(42, "job-1");
const FIRST = 11_399_434n;

/** A policy of the good options and these. */
const policyOf = (options) => () => new Policy({ ...good, ...options });
const proportional = (jitterBelow) => policyOf({ jitter: "proportional", jitterBelow });
const polynomial = (options) => policyOf({ growth: "polynomial", ...options });
const keyed = (key) => () => new Stream(1, key);

const beginning = (options) => () => new Operation(policy, stream, { now: 0, ...options });
const deciding = (options) => () => beginning()().decide("transient", { now: 0, ...options });
const outcome = (name) => () => beginning()().decide(name, { now: 0 });
const recorded = (attempts, reason) => () => new History().record(attempts, reason);

const LONGEST = 2n ** 63n - 1n;
const MAX_WORD = 2n ** 64n - 1n;
const refused = [
	// What is done, then code, field, value, limit and message.
	[policyOf({ base: Number.NaN }), "not_finite", "base", 0n, 0n, "base NaN is not a finite number"],
	[policyOf({ cap: Infinity }), "not_finite", "cap", 0n, 0n, "cap Infinity is not a finite number"],
	[policyOf({ base: -Infinity }), "not_finite", "base", 0n, 0n, "base -Infinity is not a finite number"],
	[policyOf({ base: -5 }), "negative", "base", -5_000_000n, 0n, "base -5ms is negative"],
	[policyOf({ base: { nanoseconds: -5n } }), "negative", "base", -5n, 0n, "base -5 is negative"],
	[policyOf({ base: 4e-7 }), "too_small", "base", 0n, 1n, "base 4e-7ms is below 1ns"],
	[policyOf({ base: 5e-7 }), "too_small", "base", 0n, 1n, "base 5e-7ms is below 1ns"],
	[policyOf({ base: Number.MIN_VALUE }), "too_small", "base", 0n, 1n, "base 5e-324ms is below 1ns"],
	[policyOf({ base: { nanoseconds: 1.5 } }), "not_whole", "base", 0n, 0n, "base 1.5 is not a whole number"],
	[policyOf({ cap: 1e13 }), "too_large", "cap", 10n ** 19n, LONGEST, "cap 10000000000s is above 9223372036854775807ns"],
	[
		policyOf({ cap: 1e14 }),
		"too_large",
		"cap",
		10n ** 20n,
		LONGEST,
		"cap 100000000000000ms is above 9223372036854775807ns",
	],
	[
		policyOf({ cap: { nanoseconds: 2n ** 64n } }),
		"too_large",
		"cap",
		2n ** 64n,
		LONGEST,
		"cap 18446744073709551616ns is above 9223372036854775807ns",
	],
	[
		policyOf({ cap: { nanoseconds: 2 ** 53 } }),
		"too_large",
		"cap",
		2n ** 53n,
		2n ** 53n - 1n,
		"cap 9007199254740992 is above 9007199254740991; give it as a bigint",
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
	[policyOf({ capOn: "" }), "unknown_kind", "cap_on", 0n, 2n, 'cap_on "" is unknown; the kinds are window, result'],
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
	[policyOf({ multiplier: [1.5, 1] }), "not_whole", "multiplier", 0n, 0n, "multiplier 1.5 is not a whole number"],
	[
		proportional(0.1 + 0.2),
		"ratio_too_fine",
		"jitter_below",
		0n,
		1000000n,
		"jitter_below 0.30000000000000004 has a term above 1000000",
	],
	[
		proportional(1e-7),
		"ratio_too_fine",
		"jitter_below",
		(1n << 32n) | 10_000_000n,
		1000000n,
		"jitter_below 1/10000000 has a term above 1000000",
	],
	[proportional(1.5), "too_large", "jitter_below", (3n << 32n) | 2n, (1n << 32n) | 1n, "jitter_below 1.5 is above 1"],
	[() => new Stream(-1), "negative", "seed", -1n, 0n, "seed -1 is negative"],
	[() => new Stream(-1n), "negative", "seed", -1n, 0n, "seed -1 is negative"],
	[() => new Stream(0.5), "not_whole", "seed", 0n, 0n, "seed 0.5 is not a whole number"],
	[() => new Stream(Number.NaN), "not_finite", "seed", 0n, 0n, "seed NaN is not a finite number"],
	[
		() => new Stream(2n ** 64n),
		"too_large",
		"seed",
		2n ** 64n,
		2n ** 64n - 1n,
		"seed 18446744073709551616 is above 18446744073709551615",
	],
	[
		() => new Stream(2 ** 53),
		"too_large",
		"seed",
		2n ** 53n,
		2n ** 53n - 1n,
		"seed 9007199254740992 is above 9007199254740991; give it as a bigint",
	],
	[keyed("ab\ud800"), "not_unicode", "key", 2n, 0n, "key has a lone surrogate at 2, so it has no UTF-8"],
	[keyed("\udc00"), "not_unicode", "key", 0n, 0n, "key has a lone surrogate at 0, so it has no UTF-8"],
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
	[() => stream.draw(2 ** 32), "too_large", "index", 2n ** 32n, 2n ** 32n - 1n, "index 4294967296 is above 4294967295"],
	[() => policy.delays(stream, 2, 2 ** 32 - 1), "too_large", "count", 2n, 1n, "count 2 is above 1"],
	[() => policy.delaysNs(stream, 2, 2 ** 32 - 1), "too_large", "count", 2n, 1n, "count 2 is above 1"],
	[() => policy.delays(stream, -1), "negative", "count", -1n, 0n, "count -1 is negative"],
	[
		() => policy.delays(stream, 1, 2 ** 32),
		"too_large",
		"first",
		2n ** 32n,
		2n ** 32n - 1n,
		"first 4294967296 is above 4294967295",
	],
	[policyOf({ maxRetries: -1 }), "negative", "max_retries", -1n, 0n, "max_retries -1 is negative"],
	[policyOf({ maxRetries: 2.5 }), "not_whole", "max_retries", 0n, 0n, "max_retries 2.5 is not a whole number"],
	[policyOf({ maxAttempts: 0 }), "too_small", "max_attempts", 0n, 1n, "max_attempts 0 is below 1"],
	[
		policyOf({ maxRetries: 3, maxAttempts: 4 }),
		"given_twice",
		"max_attempts",
		4n,
		3n,
		"max_attempts 4 is given beside max_retries 3",
	],
	[policyOf({ hint: "at least" }), "unknown_kind", "hint", 0n, 3n, /^hint "at least" is unknown; .* at_least, exact/],
	[policyOf({ maxElapsed: Number.NaN }), "not_finite", "max_elapsed", 0n, 0n, "max_elapsed NaN is not a finite number"],
	[() => policy.fitBase(0, 1), "too_small", "max_attempts", 0n, 1n, "max_attempts 0 is below 1"],
	[() => policy.fitCap(65_537, 1), "too_large", "max_attempts", 65_537n, 65_536n, "max_attempts 65537 is above 65536"],
	[() => policy.fitBase(1.5, 1), "not_whole", "max_attempts", 0n, 0n, "max_attempts 1.5 is not a whole number"],
	[() => policy.fitBase(2, -1), "negative", "max_elapsed", -1_000_000n, 0n, "max_elapsed -1ms is negative"],
	[
		() => policy.fitBase(2, 1e300),
		"too_large",
		"max_elapsed",
		BigInt(1e300) * 10n ** 6n,
		LONGEST,
		"max_elapsed 1e+300ms is above 9223372036854775807ns",
	],
	[
		() => policy.fitCap(3, 1),
		"does_not_fit",
		"cap",
		200_000_000n,
		1_000_000n,
		"cap cannot be short enough: the waits take at least 200ms, which is above 1ms",
	],
	[() => policy.preview(-1), "negative", "count", -1n, 0n, "count -1 is negative"],
	[() => policy.preview(65_537), "too_large", "count", 65_537n, 65_536n, "count 65537 is above 65536"],
	[() => policy.previewNs(Infinity), "not_finite", "count", 0n, 0n, "count Infinity is not a finite number"],
	[beginning({ now: Number.NaN }), "not_finite", "now", 0n, 0n, "now NaN is not a finite number"],
	[beginning({ now: -1 }), "negative", "now", -1_000_000n, 0n, "now -1ms is negative"],
	[
		beginning({ deadline: { nanoseconds: 2n ** 64n } }),
		"too_large",
		"deadline",
		2n ** 64n,
		MAX_WORD,
		"deadline 18446744073709551616ns is above 18446744073709551615ns",
	],
	[deciding({ now: Infinity }), "not_finite", "now", 0n, 0n, "now Infinity is not a finite number"],
	[deciding({ now: 1e20 }), "too_large", "now", 10n ** 26n, MAX_WORD, /^now 100000000000000000000ms is above \d+ns$/],
	[deciding({ hint: -0.5 }), "negative", "hint", -500_000n, 0n, "hint -0.5ms is negative"],
	[deciding({ hint: Number.NaN }), "not_finite", "hint", 0n, 0n, "hint NaN is not a finite number"],
	[
		outcome("failed"),
		"unknown_kind",
		"outcome",
		0n,
		5n,
		'outcome "failed" is unknown; the kinds are success, transient, throttled, timeout, permanent',
	],
	[recorded(1, "gave up"), "unknown_kind", "reason", 0n, 7n, /^reason "gave up" is unknown; .*deadline, budget/],
	[recorded(-1, "success"), "negative", "attempts", -1n, 0n, "attempts -1 is negative"],
	[recorded(2n ** 64n, "success"), "too_large", "attempts", 2n ** 64n, MAX_WORD, /^attempts \d+ is above \d+$/],
	[() => httpOutcome(65_536), "too_large", "status", 65_536n, 65_535n, "status 65536 is above 65535"],
	[() => httpOutcome(-1), "negative", "status", -1n, 0n, "status -1 is negative"],
	[() => httpOutcome(200.5), "not_whole", "status", 0n, 0n, "status 200.5 is not a whole number"],
	[() => retryAfter("1", -1), "negative", "now", -1_000_000n, 0n, "now -1ms is negative"],
	[() => Policy.parse(""), "unknown_head", undefined, 0n, 0n, /^at 0: unknown name ""; the names are constant, /],
	[() => Budget.parse("full"), "unknown_head", undefined, 0n, 0n, /^at 0: unknown name "full"; the names are quota, /],
];

describe("refused", () => {
	for (const [misuse, code, field, value, limit, message] of refused) {
		test(`${message}`, () => {
			assert.throws(misuse, (error) => {
				assert.ok(error instanceof PolicyError && error instanceof RangeError);
				assert.equal(error.name, "PolicyError");
				assert.deepEqual([error.code, error.field, error.value, error.limit], [code, field, value, limit]);
				assert[message instanceof RegExp ? "match" : "equal"](error.message, message);
				return true;
			});
			assert.equal(policy.delayNs(stream, 0), FIRST);
		});
	}
});

const KEY = "key must be a string or a Uint8Array";
const wrongTypes = [
	[() => new Policy(), "a policy must be a plain object of options, got undefined"],
	[() => new Policy(null), "a policy must be a plain object of options, got null"],
	[() => new Policy("full"), "a policy must be a plain object of options, got string"],
	[policyOf({ bse: 1 }), /^bse is unknown; the options of a policy are growth, base, .*, hintMaxExtra$/],
	[policyOf({ jitter_max: 1 }), /^jitter_max is unknown; .*jitterMax/],
	[policyOf({ bse: undefined }), /^bse is unknown/],
	[policyOf({ base: null }), "base must be a number of milliseconds or { nanoseconds }, got null"],
	[policyOf({ base: "100ms" }), "base must be a number of milliseconds or { nanoseconds }, got string"],
	[policyOf({ base: 100n }), "base must be a number of milliseconds or { nanoseconds }, got bigint"],
	[policyOf({ base: Symbol("x") }), "base must be a number of milliseconds or { nanoseconds }, got symbol"],
	[policyOf({ base: { seconds: 1 } }), "base must be a number of milliseconds or { nanoseconds }, got object"],
	[policyOf({ base: { nanoseconds: "1e3" } }), "base must be a whole number or a bigint, got string"],
	[policyOf({ growth: 3 }), "growth must be one of constant, linear, exponential, polynomial, fibonacci, got number"],
	[policyOf({ capOn: null }), "cap_on must be one of window, result, got null"],
	[polynomial({ power: "2" }), "power must be a whole number or a bigint, got string"],
	[policyOf({ multiplier: "1.6" }), "multiplier must be a number or [numerator, denominator], got string"],
	[policyOf({ multiplier: [8] }), "multiplier must be a number or [numerator, denominator], got an array"],
	[policyOf({ multiplier: [8, "5"] }), "multiplier must be a whole number or a bigint, got string"],
	[() => new Stream(), "seed must be a whole number or a bigint, got undefined"],
	[() => new Stream("42"), "seed must be a whole number or a bigint, got string"],
	[keyed(null), `${KEY}, got null`],
	[keyed(7), `${KEY}, got number`],
	[keyed([1, 2]), `${KEY}, got an array`],
	[keyed(new Uint16Array(1)), `${KEY}, got object`],
	[keyed(new DataView(new ArrayBuffer(8))), `${KEY}, got object`],
	[() => policy.delay(42, 0), "stream must be a Stream, got number"],
	[() => policy.delay({ state: 1n }, 0), "stream must be a Stream, got object"],
	[() => policy.delays(null, 1), "stream must be a Stream, got null"],
	[() => policy.delaysNs(undefined, 1), "stream must be a Stream, got undefined"],
	[() => policy.delay(stream), "index must be a number, got undefined"],
	[() => policy.delay(stream, 0n), "index must be a number, got bigint"],
	[() => policy.delays(stream), "count must be a number, got undefined"],
	[() => new Backoff(), "policy must be a Policy, got undefined"],
	[() => new Backoff(good, stream), "policy must be a Policy, got object"],
	[() => new Backoff(policy, 42), "stream must be a Stream, got number"],
	[() => new Backoff(policy, null), "stream must be a Stream, got null"],
	[() => Policy(good), /cannot be invoked without 'new'/],
	[() => Policy.parse(), "line must be a string, got undefined"],
	[() => Policy.parse(policy), "line must be a string, got object"],
	[() => Budget.parse(null), "line must be a string, got null"],
	[policyOf({ hint: 1 }), "hint must be one of at_least, exact, spread, got number"],
	[policyOf({ maxRetries: "3" }), "max_retries must be a whole number or a bigint, got string"],
	[() => policy.preview("10"), "count must be a number, got string"],
	[() => policy.preview(null), "count must be a number, got null"],
	[() => policy.fitBase(), "max_attempts must be a whole number or a bigint, got undefined"],
	[() => policy.fitBase(3), "max_elapsed must be a number of milliseconds or { nanoseconds }, got undefined"],
	[() => new Operation(good, stream, { now: 0 }), "policy must be a Policy, got object"],
	[() => new Operation(policy, 42, { now: 0 }), "stream must be a Stream, got number"],
	[() => new Operation(policy, stream), "an operation must be a plain object of options, got undefined"],
	[() => new Operation(policy, stream, {}), "now must be a number of milliseconds or { nanoseconds }, got undefined"],
	[beginning({ deadline: null }), "deadline must be a number of milliseconds or { nanoseconds }, got null"],
	[beginning({ budget: "quota" }), "budget must be a Budget, got string"],
	[beginning({ budget: null }), "budget must be a Budget, got null"],
	[beginning({ dead_line: 1 }), "dead_line is unknown; the options of an operation are now, deadline, budget"],
	[() => beginning()().decide("transient"), "a decision must be a plain object of options, got undefined"],
	[() => beginning()().decide("transient", 5), "a decision must be a plain object of options, got number"],
	[() => beginning()().decide(2, { now: 0 }), /^outcome must be one of success, .*, got number$/],
	[deciding({ hint: "120" }), "hint must be a number of milliseconds or { nanoseconds }, got string"],
	[deciding({ budget: 1 }), "budget is unknown; the options of a decision are now, hint"],
	[recorded("1", "success"), "attempts must be a whole number or a bigint, got string"],
	[recorded(1), /^reason must be one of success, .*, got undefined$/],
	[() => new History().merge({}), "other must be a History, got object"],
	[() => retryAfter(120), "header must be a string, a response or its headers, got number"],
	[() => retryAfter(["1"]), "header must be a string, a response or its headers, got an array"],
	[() => retryAfter({ "retry-after": ["1"] }), "header must be a string, a response or its headers, got an array"],
	[() => retryAfter({ "retry-after": 1 }), "header must be a string, a response or its headers, got number"],
	[() => httpOutcome(), "status must be a number, got undefined"],
	[() => httpOutcome("503"), "status must be a number, got string"],
	[() => retryAfter("1", null), "now must be a number of milliseconds or { nanoseconds }, got null"],
	[() => retryAfter("1", new Date(0)), "now must be a number of milliseconds or { nanoseconds }, got object"],
];

describe("wrong types", () => {
	for (const [misuse, message] of wrongTypes) {
		test(`${message}`, () => {
			assert.throws(misuse, { name: "TypeError", message });
			assert.equal(policy.delayNs(stream, 0), FIRST);
		});
	}
});

describe("lines", () => {
	/** What a refused line's error says. */
	const refusal = (line, kind = Policy) => {
		try {
			kind.parse(line);
		} catch (error) {
			assert.ok(error instanceof PolicyError);
			const { code, at, found, message } = error;
			return { code, at, found, message };
		}
		return undefined;
	};

	test("a lone surrogate is refused where it is, and found as it was given", () => {
		const { code, at, found, message } = refusal("full:base=\ud800s,cap=1h");
		assert.deepEqual([code, at, found], ["not_a_duration", 10, "\ud800s"]);
		assert.match(message, /^at 10: base "\\xef\\xbf\\xbds" is not/);
		assert.deepEqual(refusal("\udc00").found, "\udc00");
		assert.equal(refusal("ratio:\ud800", Budget).code, "unknown_key");
	});

	test("of a long text only the length is told, however long it is", () => {
		const tooLong = { code: "text_too_long", at: 1024, found: "", message: /longer than 1024 bytes/ };
		for (const line of ["x".repeat(1025), "ä".repeat(513), "x".repeat(1 << 24), `full:base=${"\ud800".repeat(9999)}`]) {
			const { message, ...rest } = refusal(line);
			assert.deepEqual(rest, { code: tooLong.code, at: tooLong.at, found: tooLong.found });
			assert.match(message, tooLong.message);
		}
		assert.equal(refusal("ä".repeat(512)).found, "ä".repeat(512));
		assert.equal(`${Policy.parse(`constant:base=${"0".repeat(1008)}1s`)}`, "constant:base=1s");
	});

	test("an error that is not of a line has no place", () => {
		assert.throws(policyOf({ cap: 1 }), { at: undefined, found: undefined });
	});

	test("a refused line leaves the policy in use as it was", () => {
		assert.equal(policy.delayNs(stream, 0), FIRST);
		assert.throws(() => Policy.parse("full:base=1s,cap=1ms"), { code: "cap_below_base", at: 17, found: "1ms" });
		assert.equal(policy.delayNs(stream, 0), FIRST);
	});

	test("equal policies are those that print alike", () => {
		const same = Policy.parse("full:base=100ms,cap=20s");
		assert.ok(policy.equals(same) && same.equals(policy) && policy.equals(policy));
		for (const other of [Policy.parse("full:base=100ms,cap=21s"), `${policy}`, null, undefined, {}, 5]) {
			assert.equal(policy.equals(other), false);
		}
	});
});

describe("retryAfter", () => {
	test("a header that is not there is no hint", () => {
		assert.equal(retryAfter(new Headers().get("retry-after")), undefined);
		assert.equal(retryAfter(undefined), undefined);
	});

	test("is that of a response, of headers, and of a plain object of them", () => {
		const [name, value] = ["Retry-After", "7"];
		for (const [from, hint] of [
			[new Response("", { headers: { [name]: value } }), 7000],
			[new Headers({ [name]: value }), 7000],
			[new Map([["retry-after", value]]), 7000],
			[{ [name]: value }, 7000],
			[{ "retry-after": value }, 7000],
			[{ headers: { "RETRY-AFTER": value } }, 7000],
			[{ headers: new Headers({ [name]: value }) }, 7000],
			[new Response(""), undefined],
			[new Headers(), undefined],
			[{}, undefined],
			[{ headers: {} }, undefined],
		]) {
			assert.equal(retryAfter(from), hint);
			assert.equal(retryAfterNs(from), hint && BigInt(hint) * 1_000_000n);
		}
	});

	test("reads the time now", () => {
		const [now, soon] = [Date.now(), new Date(Date.now() + 3600e3).toUTCString()];
		const hint = retryAfter(soon);
		assert.ok(hint > 3590e3 && hint <= 3600e3, `${hint} at ${now}`);
	});

	test("is right for a value of any length, and quick", () => {
		const much = 1 << 20;
		const zeros = "0".repeat(much);
		const blanks = " \t".repeat(much);
		for (const [header, hint] of [
			[`${zeros}7`, 7_000_000_000n],
			[zeros, 0n],
			[`${blanks}7${blanks}`, 7_000_000_000n],
			[blanks, undefined],
			["9".repeat(much), LONGEST],
			[`${"9".repeat(much)}x`, undefined],
			[`${"9".repeat(4096)}é`, undefined],
			[`7${blanks}7`, undefined],
			[`${blanks}Thu, 01 Jan 1970 00:00:02 GMT${blanks}`, 2_000_000_000n],
			[`\u00a07`, undefined],
			["\ud800", undefined],
		]) {
			assert.equal(retryAfterNs(header, 0), hint, header.slice(0, 9));
		}
	});
});

describe("operations", () => {
	const now = (nanoseconds) => ({ now: { nanoseconds } });

	test("what is refused changes nothing", () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=5");
		const operation = new Operation(policy, stream, { now: 0, budget });
		assert.throws(() => operation.decide("no outcome", { now: 0 }), PolicyError);
		assert.throws(() => operation.decide("transient", { now: -1 }), PolicyError);
		assert.throws(() => operation.decide("transient", { now: 0, hint: Number.NaN }), PolicyError);
		assert.deepEqual([operation.retries, operation.attempts, operation.reason], [0, 1, undefined]);
		assert.equal(operation.decide("transient", { now: 0 }).delayNs, FIRST);
		assert.equal(operation.decide("transient", { now: 0 }).reason, "budget");
	});

	test("operations on two policies and one budget, in turn", () => {
		const budget = Budget.parse("quota:max_tokens=2,cost=1");
		const other = Policy.parse("constant:base=1s");
		const [a, b] = [policy, other].map((of) => new Operation(of, stream, { now: 0, budget }));
		assert.equal(a.decide("transient", { now: 0 }).delayNs, FIRST);
		assert.equal(b.decide("transient", { now: 0 }).delay, 1000);
		assert.deepEqual(a.decide("transient", { now: 0 }), { delay: 83.043876, delayNs: 83_043_876n, reason: "budget" });
		assert.equal(b.decide("success", { now: 0 }).reason, "success");
		const c = new Operation(other, stream, { now: 0, budget });
		assert.equal(c.decide("transient", { now: 0 }).reason, undefined);
	});

	test("an operation that has ended stays so", () => {
		const operation = new Operation(policy, stream, { now: 0 });
		assert.equal(operation.cancel(), "cancelled");
		assert.deepEqual(operation.decide("success", { now: 0 }), { delay: 0, delayNs: 0n, reason: "cancelled" });
		assert.equal(operation.cancel(), "cancelled");
	});

	test("times are rounded as durations are, and exact as nanoseconds", () => {
		const longest = Policy.parse("constant:base=1ns");
		const operation = new Operation(longest, stream, {
			...now(2n ** 64n - 3n),
			deadline: { nanoseconds: 2n ** 64n - 2n },
		});
		assert.equal(operation.decide("transient", now(2n ** 64n - 3n)).reason, undefined);
		assert.equal(operation.decide("transient", now(2n ** 64n - 2n)).reason, "deadline");
		const endless = new Operation(longest, stream, { now: 0, deadline: { nanoseconds: 2n ** 64n - 1n } });
		assert.equal(endless.decide("transient", { now: 0, hint: { nanoseconds: 2n ** 64n - 1n } }).delayNs, LONGEST);
		const begun = new Operation(longest, stream, { now: 1.0000005, deadline: 1.0000014 });
		assert.equal(begun.decide("transient", { now: 1.0000004 }).reason, undefined);
	});

	test("without a stream, on one that nobody else has", () => {
		const wide = Policy.parse("full:base=1d");
		const delay = () => new Operation(wide, undefined, { now: 0 }).decide("transient", { now: 0 }).delayNs;
		assert.equal(new Set(Array.from({ length: 50 }, delay)).size, 50);
	});

	test("getters that use the package disturb nothing", () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=5");
		const disturb = () => {
			const other = new Operation(Policy.parse("linear:base=7s"), new Stream(1), {
				now: 9,
				budget: Budget.parse("ttl"),
			});
			other.decide("timeout", { now: 10 });
			new History().record(3, "budget");
			Budget.parse("rate").toString();
			Policy.parse("river").preview(3);
			retryAfter("5");
			return 0;
		};
		const operation = new Operation(policy, stream, {
			get now() {
				return { nanoseconds: disturb() };
			},
			get budget() {
				disturb();
				return budget;
			},
		});
		const answer = operation.decide("transient", {
			get now() {
				return disturb();
			},
			hint: {
				get nanoseconds() {
					return disturb();
				},
			},
		});
		assert.deepEqual([answer.delayNs, operation.retries], [FIRST, 1]);
		assert.equal(operation.decide("transient", { now: 0 }).reason, "budget");
		const fitted = Policy.parse("full:base=1s,cap=20s").fitBase(4, {
			get nanoseconds() {
				return disturb() + 700_000_000;
			},
		});
		assert.equal(`${fitted}`, "exponential:base=100ms,cap=20s,jitter=full");
	});
});

test("the state of a history and a budget is its own", () => {
	const [one, two] = [new History(), new History()];
	one.record(2n ** 64n - 1n, "deadline");
	one.record(5, "deadline");
	two.merge(two);
	two.merge(one);
	two.merge(two);
	assert.match(two.prometheus(), /^backoff_attempts_sum 18446744073709551615$/m);
	assert.deepEqual([two.counts().operations, one.counts().operations], [4, 2]);
	const budget = Budget.parse("quota");
	assert.throws(() => Budget.parse("quota:"), PolicyError);
	assert.equal(`${budget}`, "quota");
});

test("a key that is undefined is no key that was left out", () => {
	assert.throws(() => new Stream(42, undefined), { name: "TypeError", message: /key must be/ });
});

test("a key is what its bytes are, whatever its class says", () => {
	class Odd extends Uint8Array {
		subarray() {
			return new Uint8Array();
		}
	}
	assert.equal(new Stream(42, Odd.from([1, 2])).state, new Stream(42, Uint8Array.of(1, 2)).state);
	const view = new DataView(new ArrayBuffer(2));
	Object.defineProperty(view, Symbol.toStringTag, { value: "Uint8Array" });
	assert.throws(() => new Stream(42, view), TypeError);
});

test("options are a plain object's own", () => {
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

test("an index that no number holds is refused by its limit", () => {
	const policy = new Policy({ growth: "constant", base: 1 });
	assert.throws(() => policy.window(2 ** 53), { code: "too_large", limit: 2n ** 32n - 1n });
});

describe("what is accepted", () => {
	const accepted = [
		// Milliseconds, and the nanoseconds they are: nearest, ties to even.
		[0, 0n],
		[-0, 0n],
		[1e-6, 1n],
		[0.0000015, 2n],
		[0.0000025, 3n], // the double is above 2.5 ns
		[2 ** -7, 7812n], // 7812.5 ns, a tie
		[3 * 2 ** -7, 23438n], // 23437.5 ns, a tie
		[0.9821435, 982143n], // the double is below 982143.5 ns
		[0.1, 100_000n],
		[1.6, 1_600_000n],
		[9007199254.740993, 9007199254740993n],
		[2 ** 43, 8796093022208000000n],
		[{ nanoseconds: 7 }, 7n],
		[{ nanoseconds: 9223372036854775807n }, LONGEST],
		[{ nanoseconds: "9223372036854775807" }, LONGEST],
	];
	for (const [base, ns] of accepted) {
		test(`base ${JSON.stringify(base, (_, value) => (typeof value === "bigint" ? `${value}n` : value))}`, () => {
			assert.equal(new Policy({ growth: "constant", base }).windowNs(0), ns);
		});
	}

	const ratios = [
		[1.6, [8, 5]],
		[2, [2, 1]],
		[1.01, [101, 100]],
		[1.5009765625, [1537, 1024]],
		[1_000_000, [1_000_000, 1]],
		[
			[16, 10],
			[8, 5],
		],
		[
			[16n, 10n],
			[8, 5],
		],
	];
	for (const [multiplier, terms] of ratios) {
		test(`multiplier ${multiplier}`, () => {
			assert.deepEqual(new Policy({ growth: "exponential", base: 1000, multiplier }).params.multiplier, terms);
		});
	}

	test("an option that is undefined is not given", () => {
		assert.deepEqual(policyOf({ increment: undefined, floor: undefined })().params, policy.params);
	});

	test("a key of the longest length, as text and as bytes", () => {
		const key = "k".repeat(65_536);
		assert.equal(new Stream(1, key).state, new Stream(1, new TextEncoder().encode(key)).state);
	});

	test("a Buffer and an array of another realm are Uint8Arrays", async () => {
		const { runInNewContext } = await import("node:vm");
		const other = runInNewContext("Uint8Array.of(106, 111, 98, 45, 49)");
		assert.equal(new Stream(42, other).state, stream.state);
		assert.equal(new Stream(42, Buffer.from("job-1")).state, stream.state);
	});

	test("no delays at all", () => {
		assert.equal(policy.delays(stream, 0).length, 0);
		assert.deepEqual(policy.delaysNs(stream, 0), new BigUint64Array(0));
	});
});

describe("state", () => {
	test("a refused policy leaves the others as they were", () => {
		const backoff = new Backoff(policy, stream);
		assert.throws(policyOf({ cap: 1 }), PolicyError);
		assert.equal(backoff.nextDelayNs(), FIRST);
	});

	test("policies used in turn do not mix", () => {
		const other = new Policy({ growth: "constant", base: 7 });
		for (let turn = 0; turn < 3; turn++) {
			assert.equal(policy.delayNs(stream, 0), FIRST);
			assert.equal(other.delay(stream, 0), 7);
			assert.equal(other.window(0), 7);
		}
	});

	test("a getter that makes a policy of its own disturbs nothing", () => {
		const options = {
			growth: "constant",
			get base() {
				new Policy({ growth: "fibonacci", base: 9, cap: 99, floor: 3 });
				return 5;
			},
		};
		assert.deepEqual(new Policy(options).params, new Policy({ growth: "constant", base: 5 }).params);
	});

	test("a policy, its params and a stream are frozen", () => {
		for (const frozen of [policy, policy.params, policy.params.multiplier, stream]) {
			assert.ok(Object.isFrozen(frozen));
		}
		assert.throws(() => Object.assign(stream, { state: 0n }), TypeError);
	});

	test("the options are copied", () => {
		const options = { ...good };
		const copied = new Policy(options);
		options.base = 1;
		assert.deepEqual(copied.params, policy.params);
	});

	test("an early break leaves the iterator where it stands", () => {
		const backoff = new Backoff(policy, stream);
		for (const delay of backoff) {
			assert.equal(delay, 11.399434);
			break;
		}
		assert.equal(backoff.index, 1);
		assert.equal(backoff.nextDelayNs(), 83_043_876n);
	});

	test("streams from entropy differ", () => {
		const states = new Set(Array.from({ length: 100 }, () => Stream.fromEntropy().state));
		assert.equal(states.size, 100);
		assert.notEqual(new Backoff(policy).stream.state, new Backoff(policy).stream.state);
	});
});
