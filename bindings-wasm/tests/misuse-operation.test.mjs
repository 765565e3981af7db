// Bad arguments of operations, budgets, stats and HTTP functions.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	Budget,
	httpOutcome,
	Operation,
	Policy,
	PolicyError,
	parseRetryAfter,
	RandomStream,
	RetryStats,
} from "./installed.mjs";
import { FIRST, good, MAX_NS, MAX_UINT64, policy, stream, testRefused, testWrongTypes } from "./misuse.mjs";

const beginning = (options) => () => new Operation(policy, stream, { now: 0, ...options });
const deciding = (options) => () => beginning()().decide("transient", { now: 0, ...options });
const outcome = (name) => () => beginning()().decide(name, { now: 0 });
const recorded = (attempts, reason) => () => new RetryStats().record(attempts, reason);
const proxyOf = (object) => new Proxy(object, {});
const got = (name) => `got a ${name} of another copy of backoff-wasm, or a proxy`;

/** Of 365.25 days, in ns. */
const TEN_YEARS = 36525n * 8_640_000_000_000n;

describe("refused", () => {
	testRefused([
		// The misuse; then code, field, value, limit and message of the error.
		[beginning({ now: Number.NaN }), "not_finite", "now", 0n, 0n, "now NaN is not a finite number"],
		[beginning({ now: -1 }), "negative", "now", -1_000_000n, 0n, "now -1ms is negative"],
		[
			beginning({ deadline: { nanoseconds: 2n ** 64n } }),
			"too_large",
			"deadline",
			2n ** 64n,
			MAX_UINT64,
			"deadline 18446744073709551616ns is above 18446744073709551615ns",
		],
		[
			beginning({ now: 5, deadline: 4e11 }),
			"too_large",
			"deadline",
			4n * 10n ** 17n,
			TEN_YEARS + 5_000_000n,
			"deadline 400000000000ms is more than 10 years after now; pass a time of the same clock",
		],
		[deciding({ now: Infinity }), "not_finite", "now", 0n, 0n, "now Infinity is not a finite number"],
		[
			deciding({ now: 1e20 }),
			"too_large",
			"now",
			10n ** 26n,
			MAX_UINT64,
			/^now 100000000000000000000ms is above \d+ns$/,
		],
		[
			deciding({ retryAfter: Number.NaN }),
			"not_finite",
			"retry_after",
			0n,
			0n,
			"retryAfter NaN is not a finite number",
		],
		[
			outcome("failed"),
			"unknown_outcome",
			"outcome",
			0n,
			5n,
			'outcome "failed" is unknown; the outcomes are success, transient, throttled, timeout, permanent',
		],
		[recorded(1, "gave up"), "unknown_reason", "reason", 0n, 7n, /^reason "gave up" is unknown; .*deadline, budget/],
		[recorded(-1, "success"), "negative", "attempts", -1n, 0n, "attempts -1 is negative"],
		[recorded(2n ** 64n, "success"), "too_large", "attempts", 2n ** 64n, MAX_UINT64, /^attempts \d+ is above \d+$/],
		[() => httpOutcome(65_536), "too_large", "status", 65_536n, 65_535n, "status 65536 is above 65535"],
		[() => httpOutcome(-1), "negative", "status", -1n, 0n, "status -1 is negative"],
		[() => httpOutcome(200.5), "not_whole", "status", 0n, 0n, "status 200.5 is not a whole number"],
		[() => parseRetryAfter("1", -1), "negative", "now", -1_000_000n, 0n, "now -1ms is negative"],
		[
			() => Budget.parse("full"),
			"unknown_head",
			undefined,
			0n,
			0n,
			/^at 0: unknown name "full"; the names are quota, /,
		],
	]);
});

describe("wrong types", () => {
	testWrongTypes([
		[() => Budget.parse(null), "text must be a string, got null"],
		[() => new Operation(good, stream, { now: 0 }), /^policy must be a Policy, got object; make it with/],
		[() => new Operation(policy, 42, { now: 0 }), "stream must be a RandomStream, got number"],
		[() => new Operation(policy, stream), "options of an operation must be a plain object, got undefined"],
		[() => new Operation(policy, stream, {}), "now must be a number of milliseconds or { nanoseconds }, got undefined"],
		[beginning({ deadline: new Date(0) }), "deadline must be a time of the clock of now, got Date; retry takes one"],
		[beginning({ deadline: null }), "deadline must be a number of milliseconds or { nanoseconds }, got null"],
		[beginning({ budget: "quota" }), "budget must be a Budget, got string"],
		[beginning({ budget: null }), "budget must be a Budget, got null"],
		[beginning({ dead_line: 1 }), "dead_line is unknown; the options of an operation are now, deadline, budget"],
		[() => beginning()().decide("transient"), "options of a decision must be a plain object, got undefined"],
		[() => beginning()().decide("transient", 5), "options of a decision must be a plain object, got number"],
		[() => beginning()().decide(2, { now: 0 }), /^outcome must be one of success, .*, got number$/],
		[deciding({ retryAfter: "120" }), "retryAfter must be a number of milliseconds or { nanoseconds }, got string"],
		[deciding({ budget: 1 }), "budget is unknown; the options of a decision are now, retryAfter"],
		// Vue's `reactive` makes such proxies.
		[() => proxyOf(policy).delay(stream, 0), `policy must be a Policy, ${got("Policy")}`],
		[() => proxyOf(policy).params, `policy must be a Policy, ${got("Policy")}`],
		[() => proxyOf(stream).draw(0), `stream must be a RandomStream, ${got("RandomStream")}`],
		[() => proxyOf(Budget.parse("ratio")).text, `budget must be a Budget, ${got("Budget")}`],
		[beginning({ budget: proxyOf(Budget.parse("ratio")) }), `budget must be a Budget, ${got("Budget")}`],
		[() => proxyOf(new RetryStats()).counts(), `stats must be a RetryStats, ${got("RetryStats")}`],
		[recorded("1", "success"), "attempts must be a whole number or a bigint, got string"],
		[recorded(1), /^reason must be one of success, .*, got undefined$/],
		[() => new RetryStats().merge({}), "other must be a RetryStats, got object"],
		[() => parseRetryAfter(true), "header must be a string, a response or its headers, got boolean"],
		[() => parseRetryAfter([["1"]]), "header must be a string, a response or its headers, got an array"],
		[() => parseRetryAfter({ "retry-after": {} }), "header must be a string, a response or its headers, got object"],
		[() => httpOutcome(), "status must be a number, got undefined"],
		[() => httpOutcome("503"), "status must be a number, got string"],
		[() => parseRetryAfter("1", null), "now must be a number of milliseconds or { nanoseconds }, got null"],
		[() => parseRetryAfter("1", new Date(0)), "now must be a number of milliseconds or { nanoseconds }, got Date"],
	]);
});

describe("operations", () => {
	const now = (nanoseconds) => ({ now: { nanoseconds } });

	test("a refused argument changes nothing", () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=5");
		const operation = new Operation(policy, stream, { now: 0, budget });
		assert.throws(() => operation.decide("no outcome", { now: 0 }), PolicyError);
		assert.throws(() => operation.decide("transient", { now: -1 }), PolicyError);
		assert.throws(() => operation.decide("transient", { now: 0, retryAfter: Number.NaN }), PolicyError);
		assert.deepEqual([operation.retries, operation.attempts, operation.reason], [0, 1, undefined]);
		assert.equal(operation.decide("transient", { now: 0 }).delayNs, FIRST);
		assert.equal(operation.decide("transient", { now: 0 }).reason, "budget");
	});

	test("operations on two policies share one budget", () => {
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

	test("an operation that has stopped stays stopped", () => {
		const operation = new Operation(policy, stream, { now: 0 });
		assert.equal(operation.cancel(), "cancelled");
		assert.deepEqual(operation.decide("success", { now: 0 }), { delay: 0, delayNs: 0n, reason: "cancelled" });
		assert.equal(operation.cancel(), "cancelled");
	});

	test("a deadline may be 10 years away, or further in nanoseconds, or none", () => {
		const farther = { nanoseconds: 2n * TEN_YEARS };
		for (const deadline of [Number(TEN_YEARS) / 1e6, Infinity, farther]) {
			assert.equal(beginning({ deadline })().reason, undefined);
		}
		const now = 1.7e12; // as of Date.now()
		assert.equal(beginning({ now, deadline: now + 5000 })().reason, undefined);
	});

	test("times are rounded as durations are, and exact as nanoseconds", () => {
		const longest = Policy.parse("constant:base=1ns,retry_after_max=none");
		const operation = new Operation(longest, stream, {
			...now(2n ** 64n - 3n),
			deadline: { nanoseconds: 2n ** 64n - 2n },
		});
		assert.equal(operation.decide("transient", now(2n ** 64n - 3n)).reason, undefined);
		assert.equal(operation.decide("transient", now(2n ** 64n - 2n)).reason, "deadline");
		const endless = new Operation(longest, stream, { now: 0, deadline: { nanoseconds: 2n ** 64n - 1n } });
		assert.equal(endless.decide("transient", { now: 0, retryAfter: { nanoseconds: 2n ** 64n - 1n } }).delayNs, MAX_NS);
		const begun = new Operation(longest, stream, { now: 1.0000005, deadline: 1.0000014 });
		assert.equal(begun.decide("transient", { now: 1.0000004 }).reason, undefined);
	});

	test("without a stream, each operation has a unique one", () => {
		const wide = Policy.parse("full:base=1d");
		const delay = () => new Operation(wide, undefined, { now: 0 }).decide("transient", { now: 0 }).delayNs;
		assert.equal(new Set(Array.from({ length: 50 }, delay)).size, 50);
	});

	test("getters of the options may use the package", () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=5");
		const disturb = () => {
			const other = new Operation(Policy.parse("linear:base=7s"), new RandomStream(1), {
				now: 9,
				budget: Budget.parse("ttl"),
			});
			other.decide("timeout", { now: 10 });
			new RetryStats().record(3, "budget");
			Budget.parse("rate").toString();
			Policy.parse("river").preview(3);
			parseRetryAfter("5");
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
		const decision = operation.decide("transient", {
			get now() {
				return disturb();
			},
			retryAfter: {
				get nanoseconds() {
					return disturb();
				},
			},
		});
		assert.deepEqual([decision.delayNs, operation.retries], [FIRST, 1]);
		assert.equal(operation.decide("transient", { now: 0 }).reason, "budget");
		const fitted = Policy.parse("full:base=1s,cap=20s").fitBase(4, {
			get nanoseconds() {
				return disturb() + 700_000_000;
			},
		});
		assert.equal(`${fitted}`, "exponential:base=100ms,cap=20s,jitter=full");
	});
});

test("stats and budgets do not share state", () => {
	const [one, two] = [new RetryStats(), new RetryStats()];
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
