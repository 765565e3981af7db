// Draws, streams, delays and errors: the vectors of all languages, on the installed package.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backoff, Policy, PolicyError, RandomStream } from "./installed.mjs";
import { inOptions, options, stream, vectors } from "./vectors.mjs";

const milliseconds = (ns) => Number(BigInt(ns)) / 1e6;

describe("draws", () => {
	for (const { id, stream, index, draw } of vectors("draws")) {
		test(id, () => assert.equal(new RandomStream(BigInt(stream)).draw(Number(index)), BigInt(draw)));
	}
});

describe("streams", () => {
	for (const { id, seed, key, stream: state } of vectors("streams")) {
		test(id, () => assert.equal(stream(seed, key).state, BigInt(state)));
	}
	test("a long text key equals its UTF-8 bytes", () => {
		for (const text of ["\u{1f680}".repeat(3000), `x${"é".repeat(5000)}`, "a".repeat(4096), "a".repeat(70_000)]) {
			assert.equal(new RandomStream(42, text).state, new RandomStream(42, new TextEncoder().encode(text)).state);
		}
	});
});

for (const layer of ["samples", "growths", "jitters", "caps", "articles"]) {
	describe(layer, () => {
		for (const { id, policy: fields, seed, key, first: start, windows, delays } of vectors(layer)) {
			test(id, () => {
				const policy = new Policy(options(fields));
				const on = stream(seed, key);
				const first = Number(start);
				const expected = delays.map(BigInt);
				const count = expected.length;
				const at = (method) => expected.map((_, offset) => method(first + offset));
				assert.ok(count > 0);
				assert.deepEqual(
					at((index) => policy.windowNs(index)),
					windows.map(BigInt),
				);
				assert.deepEqual(
					at((index) => policy.window(index)),
					windows.map(milliseconds),
				);
				assert.deepEqual(
					at((index) => policy.delayNs(on, index)),
					expected,
				);
				assert.deepEqual(
					at((index) => policy.delay(on, index)),
					delays.map(milliseconds),
				);
				assert.deepEqual([...policy.delaysNs(on, count, first)], expected);
				assert.deepEqual([...policy.delays(on, count, first)], delays.map(milliseconds));
				if (first === 0) {
					const returned = Math.min(count, policy.params.maxRetries);
					const ends = Array(count - returned).fill(undefined);
					const exact = new Backoff(policy, on);
					assert.deepEqual(
						expected.map(() => exact.nextDelayNs()),
						[...expected.slice(0, returned), ...ends],
					);
					const rounded = new Backoff(policy, on);
					assert.deepEqual(
						delays.map(() => rounded.next().value),
						[...delays.slice(0, returned).map(milliseconds), ...ends],
					);
				}
				for (const again of [new Policy(policy.params), Policy.parse(JSON.parse(JSON.stringify(policy)))]) {
					assert.deepEqual(again.params, policy.params);
					assert.ok(again.equals(policy));
				}
			});
		}
	});
}

describe("resets", () => {
	for (const { id, policy, seed, key, asked, runs, stream: last } of vectors("resets")) {
		for (const method of ["nextDelayNs", "nextDelay"]) {
			test(`${id}, ${method}`, () => {
				const backoff = new Backoff(new Policy(options(policy)), stream(seed, key));
				for (const [position, run] of runs.entries()) {
					const expected = run.map(method === "nextDelay" ? milliseconds : BigInt);
					assert.equal(backoff.index, 0);
					assert.deepEqual(
						run.map(() => backoff[method]()),
						expected,
					);
					// Each further request, and one more, returns the end.
					const further = asked[position] - run.length;
					for (let count = further && further + 1; count > 0; count--) {
						assert.deepEqual([backoff[method](), backoff.next()], [undefined, { done: true, value: undefined }]);
					}
					assert.equal(backoff.index, run.length);
					backoff.reset();
				}
				assert.equal(backoff.stream.state, BigInt(last));
			});
		}
	}
});

describe("an iterator ends after the last retry", () => {
	const on = new RandomStream(42, "job-1");
	for (const [limit, count] of [
		["max_retries=0", 0],
		["max_retries=3", 3],
		["max_attempts=1", 0],
		["max_attempts=10", 9],
		["max_retries=8", 8],
		["max_retries=513", 513],
		["max_retries=3,max_elapsed=0s", 3],
	]) {
		test(limit, () => {
			const policy = Policy.parse(`full:base=100ms,cap=20s,${limit}`);
			const all = [...policy.delays(on, count)];
			const backoff = new Backoff(policy, on);
			const taken = [];
			for (const delay of backoff) {
				taken.push(delay);
			}
			assert.deepEqual(taken, all);
			assert.equal(backoff.index, count);
			assert.deepEqual([...backoff], []);
			backoff.reset();
			const later = on.draw(count);
			assert.equal(backoff.stream.draw(0), later);
			assert.deepEqual([[...backoff].length, backoff.index], [count, count]);
			assert.equal(policy.delays(on, count + 5).length, count + 5, "batches are not limited");
		});
	}
});

describe("errors", () => {
	for (const { id, policy, error } of vectors("errors")) {
		test(id, () => {
			const isByNumber = /^\d+$/.test(policy[error.field]) && error.code === "unknown_kind";
			assert.throws(
				() => new Policy(options(policy)),
				(refused) => {
					const { code, field, value, limit, message } = refused;
					assert.ok(refused instanceof PolicyError && refused instanceof RangeError);
					assert.deepEqual([code, field], [error.code, error.field]);
					if (!isByNumber) {
						assert.deepEqual([`${value}`, `${limit}`, message], [error.value, error.limit, inOptions(error.message)]);
					}
					return true;
				},
			);
		});
	}
});

// The vectors prove single delays; these tests prove that batches equal them.
describe("batches join without a seam", () => {
	for (const jitter of ["full", "decorrelated"]) {
		const policy = new Policy({ growth: "exponential", base: 100, cap: 20_000, jitter });
		const on = new RandomStream(42, "job-1");
		const single = Array.from({ length: 4200 }, (_, index) => policy.delayNs(on, index));

		test(`delaysNs, ${jitter}`, () => assert.deepEqual([...policy.delaysNs(on, 4200)], single));
		test(`nextDelayNs, ${jitter}`, () => {
			const backoff = new Backoff(policy, on);
			assert.deepEqual(
				single.map(() => backoff.nextDelayNs()),
				single,
			);
		});
		test(`a batch ends with the last index, ${jitter}`, () => {
			const last = 2 ** 32 - 1;
			const expected = [policy.delayNs(on, last - 1), policy.delayNs(on, last)];
			assert.deepEqual([...policy.delaysNs(on, 2, last - 1)], expected);
			assert.deepEqual([...policy.delaysNs(on, 1000, last - 1)], expected);
			assert.deepEqual([...policy.delaysNs(on, 2 ** 53 - 1, last - 1)], expected);
			assert.equal(policy.delays(on, 3, last - 1).length, 2);
		});
	}

	test("nextDelayNs is exact above 2^53", () => {
		const policy = new Policy({ growth: "constant", base: { nanoseconds: 2n ** 63n - 1n } });
		const backoff = new Backoff(policy, new RandomStream(0));
		assert.deepEqual([backoff.nextDelayNs(), backoff.nextDelayNs()], [2n ** 63n - 1n, 2n ** 63n - 1n]);
	});
});
