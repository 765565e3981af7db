// Bad arguments: typed errors that name the argument, the value and the limit. The vectors have the rules of the core; here
// are the checks in front of it, which numbers, types and objects of JavaScript need.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	Backoff,
	Budget,
	BudgetMember,
	BudgetState,
	httpOutcome,
	isIdempotentMethod,
	Operation,
	Policy,
	PolicyError,
	parseRetryAfter,
	RandomStream,
	RetryStats,
	SharedBudget,
} from "./installed.mjs";
import { FIRST, good, MAX_NS, MAX_UINT64, policy, policyOf, stream } from "./misuse.mjs";

const proportional = (jitterBelow) => policyOf({ jitter: "proportional", jitterBelow });
const polynomial = (options) => policyOf({ growth: "polynomial", ...options });
const multiplied = (multiplier) => policyOf({ multiplier });
const seeded = (seed) => () => new RandomStream(seed);
const keyed = (key) => () => new RandomStream(1, key);
const beginning = (options) => () => new Operation(policy, stream, { now: 0, ...options });
const deciding = (options) => () => beginning()().decide("transient", { now: 0, ...options });
const outcome = (name) => () => beginning()().decide(name, { now: 0 });
const recorded = (attempts, reason) => () => new RetryStats().record(attempts, reason);
const resumed =
	(retries, options, on = stream) =>
	() =>
		Operation.resume(policy, on, retries, { now: 0, ...options });
const budget = Budget.parse("rate");
const stepping = (event, nowNs, options) => () => BudgetState.full(budget).step(event, nowNs, options);
const store = { load() {}, compareAndSwap() {} };
const sharing =
	(name, text = "sre", options = undefined, on = store) =>
	() =>
		new SharedBudget(on, name, text, options);

const [MAX_INDEX, MAX_SAFE] = [2n ** 32n - 1n, 2n ** 53n - 1n];
/** Of 365.25 days, in ns. */
const TEN_YEARS = 36525n * 8_640_000_000_000n;
/** 1e300 ms in ns. */
const HUGE = BigInt(1e300) * 10n ** 6n;
/** A ratio as the core has it. */
const ratio = (numerator, denominator) => (numerator << 32n) | denominator;

describe("refused, and the good policy still works", () => {
	for (const [misuse, parts, message] of [
		// The misuse; then code, field, value and limit of the error, and its message.
		[policyOf({ base: Number.NaN }), "not_finite base 0 0", "base NaN is not a finite number"],
		[policyOf({ floor: Infinity }), "not_finite floor 0 0", "floor Infinity is not a finite number"],
		[policyOf({ base: -5 }), "negative base -5000000 0", "base -5ms is negative"],
		[policyOf({ base: { nanoseconds: -5n } }), "negative base -5 0", "base -5 is negative"],
		[policyOf({ base: 5e-7 }), "too_small base 0 1", "base 5e-7ms is below 1ns"],
		[policyOf({ base: Number.MIN_VALUE }), "too_small base 0 1", "base 5e-324ms is below 1ns"],
		[policyOf({ base: { nanoseconds: 1.5 } }), "not_whole base 0 0", "base 1.5 is not a whole number"],
		[policyOf({ cap: 1e13 }), `too_large cap ${10n ** 19n} ${MAX_NS}`, `cap 10000000000s is above ${MAX_NS}ns`],
		[policyOf({ cap: 1e14 }), `too_large cap ${10n ** 20n} ${MAX_NS}`, `cap 100000000000000ms is above ${MAX_NS}ns`],
		[
			policyOf({ cap: { nanoseconds: 2 ** 53 } }),
			`too_large cap ${2n ** 53n} ${MAX_SAFE}`,
			"cap 9007199254740992 is above 9007199254740991; pass it as a bigint",
		],
		[policyOf({ increment: 1e300 }), `unused increment ${HUGE} 3`, /^increment 1e\+300ms is not used by growth expo/],
		[
			policyOf({ growth: "expo" }),
			"unknown_kind growth 0 6",
			/^growth "expo" is unknown; .*constant, linear, exponent/,
		],
		[policyOf({ growth: "größe" }), "unknown_kind growth 0 6", /^growth "größe" is unknown; the kinds are constant/],
		[policyOf({ capOn: "" }), "unknown_kind cap_on 0 2", 'capOn "" is unknown; the kinds are window, delay'],
		[
			policyOf({ retryAfter: "at least" }),
			"unknown_kind retry_after 0 3",
			/^retryAfter "at least" is .* at_least, exa/,
		],
		[() => new Policy({ growth: "constant", base: undefined }), "missing base 0 0", "base is missing"],
		[polynomial({ power: 1.5 }), "not_whole power 0 0", "power 1.5 is not a whole number"],
		[polynomial({ power: 10n ** 200n }), `too_large power ${10n ** 200n} 16`, /^power 10{127}\.\.\. is above 16$/],
		[polynomial({ origin: 2 ** 32 }), `too_large origin ${2n ** 32n} ${MAX_INDEX}`, /^origin 4294967296 is above \d+$/],
		[polynomial({ origin: -1 }), "negative origin -1 0", "origin -1 is negative"],
		[policyOf({ maxRetries: -1 }), "negative max_retries -1 0", "maxRetries -1 is negative"],
		[policyOf({ maxRetries: 3, maxAttempts: 4 }), "given_twice max_attempts 4 3", /^maxAttempts 4 .* as maxRetries 3;/],
		[multiplied(Number.NaN), "not_finite multiplier 0 0", "multiplier NaN is not a finite number"],
		[multiplied(1e21), "ratio_too_fine multiplier 0 1000000", "multiplier 1e+21 has a term above 1000000"],
		[multiplied(1e6 / 3), "ratio_too_fine multiplier 0 1000000", /^multiplier 333333\.3{10} has .* 1000000$/],
		[multiplied([2 ** 33, 2 ** 32]), "ratio_too_fine multiplier 0 1000000", /^multiplier 8589934592\/4294967296 has/],
		[multiplied([1.5, 1]), "not_whole multiplier 0 0", "multiplier 1.5 is not a whole number"],
		[
			multiplied(1.005),
			`too_small multiplier ${ratio(201n, 200n)} ${ratio(101n, 100n)}`,
			"multiplier 1.005 is below 1.01",
		],
		[
			proportional([1, 10_000_000]),
			`ratio_too_fine jitter_below ${ratio(1n, 10_000_000n)} 1000000`,
			"jitterBelow 1/10000000 has a term above 1000000",
		],
		[
			() => policy.delay(stream, 2 ** 32),
			`too_large index ${2n ** 32n} ${MAX_INDEX}`,
			/^index 4294967296 is above \d+$/,
		],
		[() => stream.draw(2 ** 32), `too_large index ${2n ** 32n} ${MAX_INDEX}`, /^index 4294967296 is above \d+$/],
		[() => policy.delays(stream, 2 ** 53), `too_large count ${2n ** 53n} ${MAX_SAFE}`, /^count \d+ is above \d+$/],
		[() => policy.delaysNs(stream, Infinity), "not_finite count 0 0", "count Infinity is not a finite number"],
		[
			() => policy.delays(stream, 1, 2 ** 32),
			`too_large first ${2n ** 32n} ${MAX_INDEX}`,
			/^first 4294967296 is above/,
		],
		[() => policy.fitBase(1.5, 1), "not_whole max_attempts 0 0", "attempts 1.5 is not a whole number"],
		[() => policy.fitBase(2, 1e300), `too_large max_elapsed ${HUGE} ${MAX_NS}`, `total 1e+300ms is above ${MAX_NS}ns`],
		[
			() => policy.fitCap(3, 1),
			"does_not_fit cap 200000000 1000000",
			/^cap cannot be made short enough: .* above 1ms$/,
		],
		[() => policy.preview(65_537), "too_large count 65537 65536", "count 65537 is above 65536"],

		[seeded(-1), "negative seed -1 0", "seed -1 is negative"],
		[
			seeded(2n ** 64n),
			`too_large seed ${2n ** 64n} ${MAX_UINT64}`,
			`seed 18446744073709551616 is above ${MAX_UINT64}`,
		],
		[seeded(2 ** 53), `too_large seed ${2n ** 53n} ${MAX_SAFE}`, /^seed \d+ is above \d+; pass it as a bigint$/],
		[keyed("ab\ud800"), "not_unicode key 2 0", "key has a lone surrogate at 2, so it has no UTF-8"],

		[beginning({ now: -1 }), "negative now -1000000 0", "now -1ms is negative"],
		[
			beginning({ deadline: { nanoseconds: 2n ** 64n } }),
			`too_large deadline ${2n ** 64n} ${MAX_UINT64}`,
			`deadline 18446744073709551616ns is above ${MAX_UINT64}ns`,
		],
		[
			beginning({ now: 5, deadline: 4e11 }),
			`too_large deadline ${4n * 10n ** 17n} ${TEN_YEARS + 5_000_000n}`,
			"deadline 400000000000ms is more than 10 years after now; pass a time of the same clock",
		],
		[deciding({ now: Infinity }), "not_finite now 0 0", "now Infinity is not a finite number"],
		[deciding({ now: 1e20 }), `too_large now ${10n ** 26n} ${MAX_UINT64}`, /^now 10{20}ms is above \d+ns$/],
		[
			outcome("failed"),
			"unknown_outcome outcome 0 5",
			/^outcome "failed" is unknown; the outcomes are success, .*anent$/,
		],
		[resumed(-1), "negative retries -1 0", "retries -1 is negative"],
		[resumed(2n ** 64n), `too_large retries ${2n ** 64n} ${MAX_UINT64}`, /^retries 18446744073709551616 is above/],
		[recorded(1, "gave up"), "unknown_reason reason 0 7", /^reason "gave up" is unknown; .*deadline, budget/],
		[recorded(2n ** 64n, "success"), `too_large attempts ${2n ** 64n} ${MAX_UINT64}`, /^attempts \d+ is above \d+$/],
		[() => httpOutcome(65_536), "too_large status 65536 65535", "status 65536 is above 65535"],
		[() => parseRetryAfter("1", -1), "negative now -1000000 0", "now -1ms is negative"],

		[() => BudgetState.parse(budget, ""), "not_a_state text 0 0", 'text "" is not a state of the budget rate'],
		[
			() => BudgetState.parse(budget, `0 ${"1".repeat(5000)}`),
			"not_a_state text 0 0",
			/^text "0 1{58}" is not a state/,
		],
		[stepping("began", 0n), "unknown_event event 0 6", /^event "began" is unknown; the events are operation_began,/],
		[stepping("retry_requested", 0n, { outcome: "busy" }), "unknown_outcome outcome 0 5", /^outcome "busy" is unknown/],
		[stepping("attempt_over", 2n ** 64n), `too_large nowNs ${2n ** 64n} ${MAX_UINT64}`, /^nowNs \d+ is above/],
		[stepping("attempt_over", 0n, { held: -1 }), "negative held -1 0", "held -1 is negative"],
		[sharing("a", "sre", { processes: 0 }), "too_small processes 0 1", "processes 0 is below 1"],
		[sharing("a", "sre", { lease: 0 }), "too_small lease 0 1", "lease 0 is below 1"],
		[sharing("a", "sre", { lease: 1001 }), "too_large lease 1001 1000", "lease 1001 is above 1000"],
		[sharing("a", "sre", { timeout: 0 }), "too_small timeout 0 0", "timeout 0ms is not above 0ms"],
	]) {
		test(`${message}`, () => {
			assert.throws(misuse, (error) => {
				assert.ok(error instanceof PolicyError && error instanceof RangeError);
				const { code, field = "", value, limit } = error;
				assert.equal(`${code} ${field} ${value} ${limit}`, parts);
				assert.equal(error.name, "PolicyError");
				assert[message instanceof RegExp ? "match" : "equal"](error.message, message);
				return true;
			});
			assert.equal(policy.delayNs(stream, 0), FIRST);
		});
	}
});

const DURATION = "must be a number of milliseconds or { nanoseconds }, got";
const WHOLE = "must be a whole number or a bigint, got";
const PLAIN = "must be a plain object, got";
const KEY = "key must be a string or a Uint8Array, got";
const HEADER = "header must be a string, a response or its headers, got";
const proxyOf = (object) => new Proxy(object, {});
const copyOf = (name) => `a ${name} of another copy of backoff-wasm, or a proxy`;

describe("wrong types", () => {
	for (const [misuse, message] of [
		[() => new Policy(), `options of a policy ${PLAIN} undefined`],
		[() => new Policy("full:base=1s"), `options of a policy ${PLAIN} string; a policy string is read by Policy.parse`],
		[() => new Policy(new (class Settings {})()), `options of a policy ${PLAIN} Settings`],
		[() => new Policy(new Map()), `options of a policy ${PLAIN} Map`],
		[() => new Policy([]), `options of a policy ${PLAIN} an array`],
		[policyOf({ bse: 1 }), /^bse is unknown; the options of a policy are growth, base, .*, elapsedFrom$/],
		[policyOf({ jitter_max: 1 }), /^jitter_max is unknown; .*jitterMax/],
		[policyOf({ toString: 1 }), /^toString is unknown/],
		[policyOf({ base: null }), `base ${DURATION} null`],
		[policyOf({ base: "100ms" }), `base ${DURATION} string`],
		[policyOf({ base: { seconds: 1 } }), `base ${DURATION} object`],
		[policyOf({ base: { nanoseconds: "1e3" } }), `base ${WHOLE} string`],
		[policyOf({ growth: 3 }), /^growth must be one of constant, linear, exponential, .*, steps, got number$/],
		[policyOf({ maxRetries: "3" }), `maxRetries ${WHOLE} string`],
		[multiplied("1.6"), "multiplier must be a number or [numerator, denominator], got string"],
		[multiplied([8, "5"]), `multiplier ${WHOLE} string`],
		[() => policy.delay(42, 0), "stream must be a RandomStream, got number"],
		[() => policy.delay({ state: 1n }, 0), "stream must be a RandomStream, got object"],
		[() => policy.delay(stream), "index must be a number, got undefined"],
		[() => policy.delay(stream, 0n), "index must be a number, got bigint"],
		[() => policy.preview("10"), "count must be a number, got string"],
		[() => policy.fitBase(3), `total ${DURATION} undefined`],
		[() => new Backoff(), "policy must be a Policy, got undefined"],
		[() => new Backoff(new (class Poli {})()), "policy must be a Policy, got Poli"],
		[() => new Backoff(good, stream), "policy must be a Policy, got object; make it with new Policy(options)"],
		[() => new Backoff(Object.create(null), stream), /^policy must be a Policy, got object; make it with/],
		[() => new Backoff(policy, null), "stream must be a RandomStream, got null"],
		[() => Policy(good), /cannot be invoked without 'new'/],
		[() => Policy.parse(), "text must be a string, got undefined"],
		[() => Policy.parse(policy), "text must be a string, got Policy"],

		[() => new RandomStream(), `seed ${WHOLE} undefined`],
		[seeded("42"), `seed ${WHOLE} string`],
		[keyed(undefined), `${KEY} undefined`],
		[keyed([1, 2]), `${KEY} an array`],
		[keyed(new Uint16Array(1)), `${KEY} Uint16Array`],

		[() => new Operation(good, stream, { now: 0 }), /^policy must be a Policy, got object; make it with/],
		[() => new Operation(policy, stream), `options of an operation ${PLAIN} undefined`],
		[() => new Operation(policy, stream, {}), `now ${DURATION} undefined`],
		[beginning({ deadline: new Date(0) }), "deadline must be a time of the clock of now, got Date; retry takes one"],
		[beginning({ budget: "quota" }), "budget must be a Budget, got string"],
		[beginning({ budget: sharing("a")() }), "budget must be a Budget, got SharedBudget"],
		[beginning({ dead_line: 1 }), "dead_line is unknown; the options of an operation are now, deadline, budget"],
		[() => beginning()().decide("transient"), `options of a decision ${PLAIN} undefined`],
		[outcome(2), /^outcome must be one of success, .*, got number$/],
		[deciding({ retryAfter: "120" }), `retryAfter ${DURATION} string`],
		[deciding({ budget: 1 }), "budget is unknown; the options of a decision are now, retryAfter, delay"],
		[() => Operation.resume(policy, undefined, 1, { now: 0 }), /^stream must be the RandomStream of the operation/],
		[resumed(1, { budget }), /resumed holds nothing of a budget/],
		[() => Operation.resume(policy, stream, 1), `options of an operation ${PLAIN} undefined`],
		[beginning({ budget: null }), "budget must be a Budget, got null"],
		[() => BudgetState.parse(budget, undefined), "text must be a string, got undefined"],
		// Vue's `reactive` makes such proxies.
		[() => proxyOf(policy).delay(stream, 0), `policy must be a Policy, got ${copyOf("Policy")}`],
		[() => proxyOf(stream).draw(0), `stream must be a RandomStream, got ${copyOf("RandomStream")}`],
		[() => proxyOf(budget).text, `budget must be a Budget, got ${copyOf("Budget")}`],
		[() => proxyOf(new RetryStats()).counts(), `stats must be a RetryStats, got ${copyOf("RetryStats")}`],
		[() => proxyOf(new Backoff(policy, stream)).next(), `this must be a Backoff, got ${copyOf("Backoff")}`],
		[() => proxyOf(new Backoff(policy, stream)).index, `this must be a Backoff, got ${copyOf("Backoff")}`],
		[
			() => proxyOf(beginning({})()).cancel(),
			"this must be an Operation, got an Operation of another copy of backoff-wasm, or a proxy",
		],
		[() => Object.create(BudgetState.prototype).step("operation_began", 0n), /^this must be a BudgetState, got a/],
		[() => proxyOf(sharing("a")()).stats, `this must be a SharedBudget, got ${copyOf("SharedBudget")}`],
		[() => new BudgetMember("quota", budget, 1, 0n, 1n, 1n), "budget must be a Budget, got string"],
		[() => new BudgetMember(budget, "quota", 1, 0n, 1n, 1n), "budget must be a Budget, got string"],
		[recorded("1", "success"), `attempts ${WHOLE} string`],
		[recorded(1), /^reason must be one of success, .*, got undefined$/],
		[() => new RetryStats().merge({}), "other must be a RetryStats, got object"],
		[() => new RetryStats().prometheus("shop"), "options of prometheus must be a plain object, got string"],
		[
			() => new RetryStats().prometheus({ prefx: "a" }),
			"prefx is unknown; the options of prometheus are prefix, labels",
		],
		[() => new RetryStats().prometheus({ labels: [] }), "options of labels must be a plain object, got an array"],
		[() => new RetryStats().prometheus({ labels: { a: 5 } }), "label a must be a string, got number"],
		[() => parseRetryAfter(true), `${HEADER} boolean`],
		[() => parseRetryAfter({ "retry-after": {} }), `${HEADER} object`],
		[() => parseRetryAfter("1", new Date(0)), `now ${DURATION} Date`],
		[() => isIdempotentMethod(5), "method must be a string, got number"],
		[() => httpOutcome("503"), "status must be a number, got string"],

		[() => new BudgetState("rate"), "budget must be a Budget, got string"],
		[() => new BudgetState(budget, 5), "text must be a string, got number"],
		[stepping(1, 0n), /^event must be one of operation_began, .*, got number$/],
		[stepping("retry_requested", 0n), /^outcome must be one of success, .*, got undefined$/],
		[stepping("attempt_failed", 0n, { outcome: "timeout" }), /^outcome belongs to the event retry_requested, not to/],
		[stepping("attempt_over", 0n, { hold: 1 }), /^hold is unknown; the options of a step/],
		[stepping("attempt_over"), `nowNs ${WHOLE} undefined`],
		[sharing("a", "sre", {}, null), /^store must be an object with load\(key\) and compareAndSwap/],
		[sharing(""), 'name must be a string that is not empty, got ""'],
		[sharing(5), /^name must be a string .*, got number/],
		[sharing("a", "envoy"), /^budget must not be concurrent: a process that dies/],
		[sharing("a", "sre", { localBudget: null }), "localBudget must be a Budget or a budget string, got null"],
		[sharing("a", "sre", { fallback: "quota" }), 'fallback must be "share", "whole" or "refuse", got "quota"'],
		[sharing("a", "sre", { fallback: "refuse", processes: 2 }), /^processes is only for the fallback "share", and the/],
		[sharing("a", "sre", { lease: "2" }), "lease must be a number, got string"],
		[sharing("a", "sre", { timeout: "5" }), /^timeout must be a number of milli/],
		[sharing("a", "sre", { onExchange: 5 }), /^onExchange must be a function/],
		[sharing("a", "sre", { leases: 5 }), /^leases is unknown; the options of/],
	]) {
		test(`${message}`, () => {
			assert.throws(misuse, { name: "TypeError", message });
			assert.equal(policy.delayNs(stream, 0), FIRST);
		});
	}

	for (const [misuse, message] of [
		[sharing("a\0"), /name "a\\u0000" has a control character/],
		[sharing("\ud800"), /has a control character or a lone surrogate/],
		[sharing("é".repeat(128)), /name has 256 bytes, which is above 255/],
		[sharing("a", "sre", { timeout: 2 ** 31 }), /2147483648ms is above 2147483647ms/],
	]) {
		test(`${message}`, () => assert.throws(misuse, message));
	}
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
		for (const text of ["x".repeat(1025), "ä".repeat(513), "x".repeat(1 << 24), `full:base=${"\ud800".repeat(9999)}`]) {
			const { message, ...rest } = errorOf(text);
			assert.deepEqual(rest, { code: "text_too_long", at: 1024, found: "" });
			assert.match(message, /longer than 1024 bytes/);
		}
		assert.equal(errorOf("ä".repeat(512)).found, "ä".repeat(512));
		assert.equal(`${Policy.parse(`constant:base=${"0".repeat(1008)}1s`)}`, "constant:base=1s");
	});

	test("an error of options has no place", () => {
		assert.throws(policyOf({ cap: 1 }), { at: undefined, found: undefined });
	});
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
