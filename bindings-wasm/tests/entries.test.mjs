// The core in plain JavaScript is a second implementation. What it says of random arguments is what the module says: the
// same values, and the same errors with the same messages. (The evaluators compare the numbers of many more.)

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { requireThere } from "./installed.mjs";

const entries = ["backoff-wasm", "backoff-wasm/js"].map((entry) => requireThere(entry));

let state = 20_261_128;
function below(count) {
	state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
	return (state >>> 8) % count;
}
const pick = (values) => values[below(values.length)];

const NUMBERS = [
	0,
	-0,
	1,
	2,
	3,
	1.5,
	0.1,
	1e-7,
	100,
	20_000,
	1e300,
	-1,
	NaN,
	Infinity,
	-Infinity,
	1e21,
	2 ** 53,
	4 / 3,
];
const WORDS = [2n ** 63n, 2n ** 64n, 2n ** 70n, 5n, -5n].flatMap((word) => [word, { nanoseconds: word }]);
const TEXTS = ["full", "exponential", "", "é \ud800", "x".repeat(100), "中".repeat(70)];
const OTHERS = [
	null,
	undefined,
	true,
	{},
	[1, 2],
	[8, 5],
	[1, 0],
	[2n ** 32n, 1],
	[1],
	{ nanoseconds: "7" },
	new Date(0),
];
const VALUES = [...NUMBERS, ...WORDS, ...TEXTS, ...OTHERS];
const GOOD = {
	...{ growth: "exponential", base: 100, increment: 5, multiplier: 1.6, power: 3, origin: 2, offset: 4, cap: 5000 },
	...{ capOn: "delay", floor: 3, jitter: "full", jitterBelow: 0.5, jitterAbove: [1, 3], jitterMax: 7 },
	...{ jitterIncrement: 2, jitterSlot: 1, maxRetries: 4, maxAttempts: 3, maxElapsed: 1000, throttledBase: 50 },
	...{ retryAfter: "spread", retryAfterMax: 10, retryAfterMaxExtra: 2 },
};
const GROWTHS = ["constant", "linear", "exponential", "polynomial", "fibonacci"];
const JITTERS = ["none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"];
const POLICIES = ["full:base=100ms,cap=20s", "decorrelated:base=1ms,cap=5s", "sidekiq", "envoy", "constant:base=0s"];

function randomOptions() {
	const options = { growth: pick(GROWTHS), base: pick([1, 100, 0.0001]), jitter: pick(JITTERS) };
	for (let left = below(4); left > 0; left--) {
		const name = pick(Object.keys(GOOD));
		options[name] = below(2) ? GOOD[name] : pick(VALUES);
	}
	return options;
}

const all = (shown) => `${shown} ${inspect(shown)} ${JSON.stringify(shown)} ${inspect(shown.params)}`;
const calls = [
	() => {
		const options = randomOptions();
		return ({ Policy, RandomStream }) => {
			const policy = new Policy(options);
			return `${all(policy)} ${inspect(policy.preview(4))} ${policy.delayNs(new RandomStream(7, "k"), 5)}`;
		};
	},
	() => {
		const [text, method] = [pick(POLICIES), pick(["fitBase", "fitCap"])];
		const [attempts, total] = [below(3) ? 1 + below(100) : pick(VALUES), below(3) ? pick([1, 1e6]) : pick(VALUES)];
		return ({ Policy }) => all(Policy.parse(text)[method](attempts, total));
	},
	() => {
		const [now, deadline, retryAfter, outcome] = [pick([0, pick(VALUES)]), pick(VALUES), pick(VALUES), pick(VALUES)];
		return ({ Operation, Policy, RandomStream }) => {
			const operation = new Operation(Policy.parse("default"), new RandomStream(1), { now, deadline });
			const decided = operation.decide("throttled", { now: 1, retryAfter });
			return inspect([decided, operation, operation.decide(outcome, { now: 2 })]);
		};
	},
	() => {
		const [seed, key, index] = [pick(VALUES), pick(VALUES), pick(VALUES)];
		return ({ RandomStream }) => inspect([new RandomStream(seed, key), new RandomStream(3).draw(index)]);
	},
	() => {
		const [text, held, now] = [pick(["1 5 7", "0 3600000000000 0", pick(VALUES)]), pick(VALUES), pick(VALUES)];
		return ({ Budget, BudgetState }) =>
			inspect(new BudgetState(Budget.parse("rate"), text).step("attempt_over", now, { held }));
	},
	() => {
		const [attempts, reason] = [pick(VALUES), pick(["budget", "success", pick(VALUES)])];
		return ({ RetryStats }) => {
			const stats = new RetryStats();
			stats.record(attempts, reason);
			return all(stats);
		};
	},
	() => {
		const [header, now, status] = [
			pick(["7", "Sun, 06 Nov 1994 08:49:37 GMT", pick(VALUES)]),
			pick(VALUES),
			pick(VALUES),
		];
		return ({ httpVerdict, parseRetryAfterNs }) =>
			`${parseRetryAfterNs(header, now)} ${inspect(httpVerdict({ status, headers: { "retry-after": header } }, now))}`;
	},
];

/** What a call returns, or all of its error. */
function answer(call, entry) {
	try {
		return call(entry);
	} catch (error) {
		const { name, message, code, field, value, limit } = error;
		return inspect({ name, message, code, field, value, limit });
	}
}

test("both entries say the same of random arguments", () => {
	const [codes, errors] = [new Set(), { none: 0, TypeError: 0, PolicyError: 0 }];
	for (let round = 0; round < 4000; round++) {
		for (const call of calls.map((make) => make())) {
			const [expected, answered] = entries.map((entry) => answer(call, entry));
			assert.equal(answered, expected);
			const [, name = "none"] = /^\{\s+name: '(\w+)'/.exec(expected) ?? [];
			errors[name]++;
			codes.add(/ code: '(\w+)'/.exec(expected)?.[1]);
		}
	}
	// The arguments are right, of a wrong type, and break the rules, all often enough to prove something.
	assert.ok(Object.values(errors).every((count) => count > 2000) && codes.size > 14, inspect({ errors, codes }));
});
