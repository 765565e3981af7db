// Every function that takes options or a duration treats unusual objects alike.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeRetriable, Operation, Policy, parseRetryAfter, RandomStream, retry } from "./installed.mjs";
import { FakeClock } from "./loop.mjs";

const policy = Policy.parse("constant:base=1s,max_retries=1");
const begin = (options) => new Operation(policy, new RandomStream(1), options);
const always = () => true;
const busyOnce = ({ attempt }) => (attempt === 1 ? Promise.reject(new Error("busy")) : "ok");

/** Good options of each function that takes some, and a call with them. */
const PLACES = {
	"a policy": [{ growth: "constant", base: 1 }, (options) => new Policy(options)],
	"an operation": [{ now: 0 }, begin],
	"a decision": [{ now: 0 }, (options) => begin({ now: 0 }).decide("transient", options)],
	retry: [{ shouldRetry: always }, (options) => retry(() => 1, options)],
	makeRetriable: [{ shouldRetry: always }, (options) => makeRetriable(() => 1, options)()],
	"a verdict of shouldRetry": [
		{ outcome: "transient" },
		(options) => retry(busyOnce, { policy, clock: new FakeClock(), shouldRetry: () => options }),
	],
};

for (const [what, [good, call]] of Object.entries(PLACES)) {
	describe(`options of ${what}`, () => {
		const names = Object.keys(good);

		test("may be frozen, without a prototype, or of another realm", async () => {
			const { runInNewContext } = await import("node:vm");
			await call(Object.freeze({ ...good }));
			await call(Object.assign(Object.create(null), good));
			await call(Object.assign(runInNewContext("({})"), good));
		});

		test("may have getters, which are called once", async () => {
			const read = [];
			const getters = names.map((name) => {
				const get = () => {
					read.push(name);
					return good[name];
				};
				return [name, { get, enumerable: true }];
			});
			await call(Object.defineProperties({}, Object.fromEntries(getters)));
			assert.deepEqual(read, names);
		});

		test("are not changed", async () => {
			const options = { ...good };
			await call(options);
			assert.deepEqual(options, good);
		});

		test("are no instance of a class, no array and no function, and inherit nothing", async () => {
			class Options {}
			const plain = { name: "TypeError", message: new RegExp(`^options of ${what} must be a plain object, got `) };
			const inputs = [Object.assign(new Options(), good), Object.create(good)];
			// Without an outcome an object is no verdict at all.
			for (const options of what === "a verdict of shouldRetry" ? inputs : [...inputs, new Map(), [], always]) {
				await assert.rejects(async () => call(options), plain);
			}
		});

		test("have no unknown member", async () => {
			await assert.rejects(async () => call({ ...good, unknown: 1 }), {
				name: "TypeError",
				message: new RegExp(`^unknown is unknown; the options of ${what} are `),
			});
		});
	});
}

describe("a duration or a time", () => {
	const places = {
		base: (base) => new Policy({ growth: "constant", base }),
		cap: (cap) => new Policy({ growth: "constant", base: 0, cap }),
		total: (total) => Policy.parse("constant:base=0s").fitBase(2, total),
		now: (now) => begin({ now }),
		deadline: (deadline) => begin({ now: 0, deadline }),
		"deadline of a loop": (deadline) => retry(() => 1, { shouldRetry: always, deadline, clock: new FakeClock() }),
		retryAfter: (retryAfter) => begin({ now: 0 }).decide("throttled", { now: 0, retryAfter }),
		"retryAfter of a verdict": (retryAfter) => {
			const shouldRetry = () => ({ outcome: "throttled", retryAfter });
			return retry(busyOnce, { policy, clock: new FakeClock(), shouldRetry });
		},
		"now of a header": (now) => parseRetryAfter("1", now),
	};
	for (const [place, pass] of Object.entries(places)) {
		const [name] = place.split(" ");
		const by = place.endsWith("verdict") ? "shouldRetry: " : "";
		test(place, async () => {
			for (const accepted of [5, 0.5, { nanoseconds: 5n }, { nanoseconds: 5 }, { nanoseconds: "5" }]) {
				await pass(accepted);
			}
			for (const refused of [5n, "5", "5ms", {}, [], { milliseconds: 5 }, true]) {
				const message = new RegExp(`^${by}${name} must be a number of milliseconds or \\{ nanoseconds \\}, got `);
				await assert.rejects(async () => pass(refused), { name: "TypeError", message });
			}
			for (const [refused, code] of [
				[Number.NaN, "not_finite"],
				[1e-7, "too_small"],
				[{ nanoseconds: 0.5 }, "not_whole"],
				[{ nanoseconds: 2n ** 64n }, "too_large"],
			]) {
				await assert.rejects(async () => pass(refused), { name: "PolicyError", code });
			}
			for (const negative of [-1, -1e-7, { nanoseconds: -1n }, { nanoseconds: "-1" }, { nanoseconds: -1 }]) {
				if (name === "retryAfter") {
					// As for a date in the past.
					await pass(negative);
				} else {
					await assert.rejects(async () => pass(negative), { name: "PolicyError", code: "negative" });
				}
			}
		});
	}
});
