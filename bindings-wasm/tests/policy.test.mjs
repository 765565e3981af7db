// The values that a policy accepts, and its state, which nothing changes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backoff, Policy, PolicyError, RandomStream } from "./installed.mjs";
import { FIRST, good, MAX_NS, policy, policyOf, stream } from "./misuse.mjs";

describe("accepted values", () => {
	const accepted = [
		// Milliseconds are rounded to the nearest nanosecond, ties to even.
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
		[{ nanoseconds: 9223372036854775807n }, MAX_NS],
		[{ nanoseconds: "9223372036854775807" }, MAX_NS],
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

	describe("Infinity means no limit", () => {
		const base = { growth: "constant", base: 1 };
		const rows = [
			["cap", MAX_NS],
			["maxRetries", 2n ** 32n],
			["maxElapsed", MAX_NS],
			["retryAfterMax", MAX_NS],
			["retryAfterMaxExtra", MAX_NS],
		];
		for (const [option, noLimit] of rows) {
			test(option, () => {
				const unlimited = new Policy({ ...base, [option]: Infinity });
				const exact = option === "maxRetries" ? noLimit : { nanoseconds: noLimit };
				assert.ok(unlimited.equals(new Policy({ ...base, [option]: exact })));
				assert.equal(unlimited.params[option], Infinity);
				assert.ok(new Policy(unlimited.params).equals(unlimited));
			});
		}

		test("maxAttempts", () => assert.equal(new Policy({ ...base, maxAttempts: Infinity }).params.maxRetries, Infinity));

		test("a limit just below is not Infinity", () => {
			const { cap, maxRetries } = new Policy({
				...base,
				cap: { nanoseconds: MAX_NS - 1n },
				maxRetries: 2 ** 32 - 1,
			}).params;
			assert.deepEqual([cap, maxRetries], [{ nanoseconds: MAX_NS - 1n }, 2 ** 32 - 1]);
		});

		test("in the policy string, only retry_after_max shows it", () => {
			const policy = new Policy({ ...base, cap: Infinity, retryAfterMax: Infinity });
			assert.equal(`${policy}`, "constant:base=1ms,retry_after_max=none");
			assert.equal(new Policy(base).params.retryAfterMax, 3_600_000);
		});
	});

	test("an option that is undefined is not set", () => {
		assert.deepEqual(policyOf({ increment: undefined, floor: undefined })().params, policy.params);
	});

	test("a Buffer and an array of another realm are Uint8Arrays", async () => {
		const { runInNewContext } = await import("node:vm");
		const other = runInNewContext("Uint8Array.of(106, 111, 98, 45, 49)");
		assert.equal(new RandomStream(42, other).state, stream.state);
		assert.equal(new RandomStream(42, Buffer.from("job-1")).state, stream.state);
	});

	test("an empty batch", () => {
		assert.equal(policy.delays(stream, 0).length, 0);
		assert.deepEqual(policy.delaysNs(stream, 0), new BigUint64Array(0));
	});
});

describe("state", () => {
	test("a refused policy changes no other", () => {
		const backoff = new Backoff(policy, stream);
		assert.throws(policyOf({ cap: 1 }), PolicyError);
		assert.equal(backoff.nextDelayNs(), FIRST);
	});

	test("a getter of the options may make a policy", () => {
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

	test("params are read once", () => assert.equal(policy.params, policy.params));

	test("the options are copied", () => {
		const options = { ...good };
		const copied = new Policy(options);
		options.base = 1;
		assert.deepEqual(copied.params, policy.params);
	});

	test("streams from entropy differ", () => {
		const states = new Set(Array.from({ length: 100 }, () => RandomStream.fromEntropy().state));
		assert.equal(states.size, 100);
		assert.notEqual(new Backoff(policy).stream.state, new Backoff(policy).stream.state);
	});
});

test("policies are equal if their strings are, and nothing else is", () => {
	const full = Policy.parse("full:base=1s");
	assert.ok(full.equals(new Policy({ growth: "exponential", base: 1000, jitter: "full" })));
	for (const other of [Policy.parse("full:base=2s"), `${full}`, undefined]) {
		assert.equal(full.equals(other), false);
	}
});
