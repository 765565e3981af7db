// Operations: their state, their times, and getters that disturb the core.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, Operation, Policy, PolicyError, parseRetryAfter, RandomStream, RetryStats } from "./installed.mjs";
import { FIRST, policy, stream } from "./misuse.mjs";

const begin = (options, of = policy) => new Operation(of, stream, { now: 0, ...options });

test("a refused argument changes nothing", () => {
	const operation = begin({ budget: Budget.parse("quota:max_tokens=5,cost=5") });
	assert.throws(() => operation.decide("no outcome", { now: 0 }), PolicyError);
	assert.throws(() => operation.decide("transient", { now: -1 }), PolicyError);
	assert.throws(() => operation.decide("transient", { now: 0, retryAfter: Number.NaN }), PolicyError);
	assert.deepEqual([operation.retries, operation.attempts, operation.reason], [0, 1, undefined]);
	assert.equal(operation.decide("transient", { now: 0 }).delayNs, FIRST);
	assert.equal(operation.decide("transient", { now: 0 }).reason, "budget");
});

test("a deadline may be 10 years away, or further in nanoseconds, or none", () => {
	for (const deadline of [315_576_000_000, Infinity, { nanoseconds: 631_152_000_000_000_000n }]) {
		assert.equal(begin({ deadline }).reason, undefined);
	}
	const now = 1.7e12; // as of Date.now()
	assert.equal(begin({ now, deadline: now + 5000 }).reason, undefined);
});

test("the limit of an attempt is in ms or in ns, or none", () => {
	const limits = (operation) => [operation.attemptLimit(1), operation.attemptLimitNs(1)];
	assert.deepEqual(limits(begin({}, Policy.parse("constant:base=1s,attempt_timeout=2500us"))), [2.5, 2_500_000n]);
	assert.deepEqual(limits(begin({})), [undefined, undefined]);
});

test("an own delay of null or undefined is none", () => {
	for (const delay of [null, undefined]) {
		assert.equal(begin().decide("transient", { now: 0, delay }).delayNs, FIRST);
	}
});

test("without a stream, each operation has a unique one", () => {
	const wide = Policy.parse("full:base=1d");
	const delay = () => new Operation(wide, undefined, { now: 0 }).decide("transient", { now: 0 }).delayNs;
	assert.equal(new Set(Array.from({ length: 50 }, delay)).size, 50);
});

test("getters of the options may use the package", () => {
	const budget = Budget.parse("quota:max_tokens=5,cost=5");
	/** An object whose members are read through a getter that uses the core. */
	const disturbing = (members) => {
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
		};
		const getter = ([name, value]) => {
			const get = () => {
				disturb();
				return value;
			};
			return [name, { get, enumerable: true }];
		};
		return Object.defineProperties({}, Object.fromEntries(Object.entries(members).map(getter)));
	};
	const operation = new Operation(policy, stream, disturbing({ now: disturbing({ nanoseconds: 0 }), budget }));
	const decision = operation.decide("transient", disturbing({ now: 0, retryAfter: disturbing({ nanoseconds: 0 }) }));
	assert.deepEqual([decision.delayNs, operation.retries], [FIRST, 1]);
	assert.equal(operation.decide("transient", { now: 0 }).reason, "budget");
	const fitted = Policy.parse("full:base=1s,cap=20s").fitBase(4, disturbing({ nanoseconds: 700_000_000 }));
	assert.equal(`${fitted}`, "exponential:base=100ms,cap=20s,jitter=full");
});

describe("objects do not share state", () => {
	test("operations on two policies with one budget", () => {
		const budget = Budget.parse("quota:max_tokens=2,cost=1");
		const other = Policy.parse("constant:base=1s");
		const [a, b] = [begin({ budget }), begin({ budget }, other)];
		assert.equal(a.decide("transient", { now: 0 }).delayNs, FIRST);
		assert.equal(b.decide("transient", { now: 0 }).delay, 1000);
		assert.deepEqual(a.decide("transient", { now: 0 }), { delay: 83.043876, delayNs: 83_043_876n, reason: "budget" });
		assert.equal(b.decide("success", { now: 0 }).reason, "success");
		assert.equal(begin({ budget }, other).decide("transient", { now: 0 }).reason, undefined);
	});

	test("stats and budgets", () => {
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
});
