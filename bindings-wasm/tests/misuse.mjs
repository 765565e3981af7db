// What the tests of bad input share: a good policy, and checks of tables of errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Policy, PolicyError, RandomStream } from "./installed.mjs";

export const good = { growth: "exponential", base: 100, cap: 20_000, jitter: "full" };
export const policy = new Policy(good);
export const stream = new RandomStream(42, "job-1");
/** The first delay of this policy on this stream: `full` of tests/vectors/jitters.json. */
export const FIRST = 11_399_434n;
export const MAX_NS = 2n ** 63n - 1n;
export const MAX_UINT64 = 2n ** 64n - 1n;

/** Makes a policy of the good options and these. */
export const policyOf = (options) => () => new Policy({ ...good, ...options });

/** Tests that each misuse throws this PolicyError, and that the good policy still works afterwards. */
export function testRefused(rows) {
	for (const [misuse, code, field, value, limit, message] of rows) {
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
}

/** Tests that each misuse throws this TypeError, and that the good policy still works afterwards. */
export function testWrongTypes(rows) {
	for (const [misuse, message] of rows) {
		test(`${message}`, () => {
			assert.throws(misuse, { name: "TypeError", message });
			assert.equal(policy.delayNs(stream, 0), FIRST);
		});
	}
}
