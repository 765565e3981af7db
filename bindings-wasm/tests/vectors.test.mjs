// What the requests of evaluate.test.mjs do not ask: keys that are no text, messages and fields, resumptions, stats, and
// how JavaScript shows numbers and ends iterators.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	Backoff,
	Budget,
	BudgetState,
	Operation,
	Policy,
	PolicyError,
	parseRetryAfter,
	parseRetryAfterNs,
	RandomStream,
	RetryStats,
	SharedBudget,
} from "./installed.mjs";
import { MAX_NS } from "./misuse.mjs";
import { inOptions, nanoseconds, options, stream, vectors } from "./vectors.mjs";

const KINDS = { policy: Policy, budget: Budget };
const milliseconds = (ns) => Number(BigInt(ns)) / 1e6;

/** Tests each case of a file of vectors. */
function each(layer, act) {
	describe(layer, () => {
		for (const { id, ...members } of vectors(layer)) {
			test(id, () => act(members));
		}
	});
}

/** Asserts that this throws a PolicyError with these parts, whose numbers are text. */
function refuses(action, { code, field, value, limit, message, at, found }) {
	assert.throws(action, (error) => {
		assert.ok(error instanceof PolicyError && error instanceof RangeError);
		assert.deepEqual(
			[error.message, error.code, error.field, error.value, error.limit, error.at, error.found],
			[message, code, field ?? undefined, BigInt(value), BigInt(limit), at, found],
		);
		return true;
	});
}

each("draws", ({ stream, index, draw }) =>
	assert.equal(new RandomStream(BigInt(stream)).draw(Number(index)), BigInt(draw)),
);
each("streams", ({ seed, key, stream: state }) => assert.equal(stream(seed, key).state, BigInt(state)));

each("errors", ({ policy, error }) => {
	const message = inOptions(error.message);
	const isByNumber = /^\d+$/.test(policy[error.field]) && error.code === "unknown_kind";
	if (isByNumber) {
		assert.throws(() => new Policy(options(policy)), { code: error.code, field: error.field });
	} else {
		refuses(() => new Policy(options(policy)), { ...error, message });
	}
});

each("text_errors", ({ of, text, error }) => refuses(() => KINDS[of].parse(text), error));

/** A value of a field, as a number of the unit of the core. */
function exactly(value) {
	if (Array.isArray(value)) {
		return value.map(exactly);
	}
	const { nanoseconds } = Object(value);
	const isLimit = value === Infinity || nanoseconds === MAX_NS || value === 2n ** 32n || value === 2n ** 32n + 1n;
	if (isLimit || nanoseconds !== undefined) {
		return isLimit ? Infinity : Number(nanoseconds) / 1e6;
	}
	return typeof value === "bigint" ? Number(value) : value;
}

each("texts", ({ of, text, canonical, policy }) => {
	const read = KINDS[of].parse(text);
	assert.equal(JSON.stringify({ read }), JSON.stringify({ read: canonical }));
	assert.equal(`${KINDS[of].parse(canonical)}`, canonical);
	if (of === "policy") {
		for (const [name, value] of Object.entries(options(policy))) {
			assert.deepEqual(exactly(read.params[name] ?? read.params.maxRetries + 1), exactly(value), name);
		}
		const built = new Policy(options(policy));
		assert.equal(`${built}`, canonical);
		assert.deepEqual(built.params, read.params);
		assert.ok(built.equals(read) && new Policy(read.params).equals(read));
	}
});

describe("fields of budgets", () => {
	for (const [text, params] of [
		["quota:cost=7", { maxTokens: 500, cost: 7, costThrottled: 7, costTimeout: 7 }],
		["throttle", { maxTokens: 10, ratio: [1, 10] }],
		["ratio:ratio=1/3", { maxTokens: 10, ratio: [1, 3] }],
		["rate", { maxTokens: 60, per: 60_000 }],
		["ttl", { ratio: [1, 5], ttl: 10_000, minPerSecond: 10 }],
		["concurrent", { ratio: [1, 5], minConcurrent: 3 }],
	]) {
		test(text, () => {
			const budget = Budget.parse(text);
			assert.equal(budget.kind, text.split(":")[0]);
			assert.deepEqual(budget.params, params);
			assert.ok(Object.isFrozen(budget.params) && Object.isFrozen(budget.params.ratio ?? budget.params));
		});
	}
});

each("ratios", ({ field, number, ratio }) => {
	const jitter = field === "multiplier" ? "none" : "proportional";
	const option = field === "multiplier" ? field : "jitterAbove";
	const make = (value = Number(number)) => new Policy({ growth: "exponential", base: 1000, jitter, [option]: value });
	if (ratio === null) {
		assert.throws(make, { code: "ratio_too_fine", field });
	} else {
		assert.equal(`${make()}`, `${make(ratio.split("/").map(Number))}`);
	}
});

each("fits", ({ policy: string, field, attempts, total, canonical, error }) => {
	const policy = Policy.parse(string);
	const fit = () => policy[field === "base" ? "fitBase" : "fitCap"](BigInt(attempts), nanoseconds(total));
	if (error) {
		const message = error.message.replace("max_attempts", "attempts").replace("max_elapsed", "total");
		refuses(fit, { ...error, message });
	} else {
		assert.equal(`${fit()}`, canonical);
	}
});

each("retry_after", ({ value, now, retry_after: retryAfter }) => {
	const expected = retryAfter === null ? undefined : BigInt(retryAfter);
	assert.equal(parseRetryAfterNs(value, nanoseconds(now)), expected);
});

each("resumptions", (given) => {
	const { policy, stream, retries, begun, deadline, now, outcome, retry_after: retryAfter, answer } = given;
	const operation = Operation.resume(Policy.parse(policy), new RandomStream(BigInt(stream)), BigInt(retries), {
		now: nanoseconds(begun),
		...(deadline !== null && { deadline: nanoseconds(deadline) }),
	});
	assert.equal(operation.retries, Number(retries));
	const { delayNs, reason } = operation.decide(outcome, {
		now: nanoseconds(now),
		...(retryAfter !== null && { retryAfter: nanoseconds(retryAfter) }),
	});
	const { wait, stop, delay = wait } = answer;
	assert.deepEqual([delayNs, reason], [BigInt(delay), stop]);
	assert.equal(operation.retries, Number(given.retries_after));
	assert.equal(operation.refuseRetry(), given.refused);
	assert.deepEqual([operation.retries, operation.reason], [Number(given.retries_refused), given.refused]);
});

each("stats", ({ records, more, text }) => {
	const [stats, other] = [records, more].map((all) => {
		const stats = new RetryStats();
		for (const [attempts, reason, times] of all) {
			for (let time = 0; time < times; time++) {
				stats.record(attempts, reason);
			}
		}
		return stats;
	});
	const before = `${other}`;
	stats.merge(other);
	assert.deepEqual([stats.prometheus(), `${stats}`, `${other}`], [text, text, before]);

	// The counts are those of the text.
	const { operations, attempts, retries, stops, buckets, bounds } = stats.counts();
	const line = (name) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)[1]);
	const names = ["backoff_attempts_count", "backoff_attempts_sum", "backoff_retries_total"];
	assert.deepEqual([operations, attempts, retries], names.map(line));
	const pairs = (pattern) => [...text.matchAll(pattern)].map(([, name, count]) => [name, Number(count)]);
	assert.deepEqual(Object.entries(stops), pairs(/reason="(\w+)"\} (\d+)/g));
	const upTo = (at) => buckets.slice(0, at + 1).reduce((sum, count) => sum + count);
	const cumulative = buckets.map((_, at) => [`${bounds[at] ?? "+Inf"}`, upTo(at)]);
	assert.deepEqual(cumulative, pairs(/le="(.*)"\} (\d+)/g));
});

each("stats_labels", ({ records, prefix, labels, text }) => {
	const stats = new RetryStats();
	for (const [attempts, reason, times] of records) {
		for (let time = 0; time < times; time++) {
			stats.record(attempts, reason);
		}
	}
	const names = Object.fromEntries(labels);
	if (Object.keys(names).length < labels.length) {
		return; // an object has a name once
	}
	if (text === null) {
		assert.throws(() => stats.prometheus({ prefix, labels: names }), RangeError);
	} else {
		assert.equal(stats.prometheus({ prefix, labels: names }), text);
	}
});

each("budget_levels", async ({ budget: text, steps }) => {
	const [policy, budget, operations] = [Policy.parse("constant:base=0s"), Budget.parse(text), new Map()];
	const store = { load: undefined, compareAndSwap: () => assert.fail("a level changes nothing") };
	for (const { do: what, now: time, operation: number, outcome, state, level, max, unit } of steps) {
		const [now, operation] = [nanoseconds(time), operations.get(number)];
		if (what === "begin") {
			operations.set(number, new Operation(policy, new RandomStream(0), { now, budget }));
		} else if (what === "outcome") {
			operation.decide(outcome, { now });
		} else if (what === "cancel") {
			operation.cancel();
		} else {
			const [left, most] = [level, max].map((parts) => Number(parts) / Number(unit));
			assert.deepEqual(budget.level(now), { left, most });
			if (budget.kind !== "concurrent") {
				store.load = async () => ({ text: state, now: BigInt(time) });
				assert.deepEqual(await new SharedBudget(store, "test", text).level(), { left, most });
			}
		}
	}
});

test("numbers of milliseconds are the nanoseconds, rounded", () => {
	const count = 60;
	for (const text of [
		"full:base=1ns,multiplier=3",
		"decorrelated:base=100ms,cap=20s",
		"constant:base=9007199254740993ns",
	]) {
		const [policy, on] = [Policy.parse(text), new RandomStream(42, "job-1")];
		const exact = [...policy.delaysNs(on, count, 7)];
		const rounded = exact.map(milliseconds);
		const indices = exact.map((_, offset) => 7 + offset);
		assert.deepEqual([...policy.delays(on, count, 7)], rounded);
		assert.deepEqual(
			indices.map((index) => policy.delay(on, index)),
			rounded,
		);
		assert.deepEqual(
			indices.map((index) => policy.window(index)),
			indices.map((index) => milliseconds(policy.windowNs(index))),
		);
		const [first, second, third] = [0, 1, 2].map(() => new Backoff(policy, on));
		const delays = Array.from({ length: count }, () => milliseconds(first.nextDelayNs()));
		assert.deepEqual(
			delays.map(() => second.nextDelay()),
			delays,
		);
		assert.deepEqual(
			delays.map(() => third.next().value),
			delays,
		);
		const inMs = (row) => Object.fromEntries(Object.entries(row).map(([name, ns]) => [name, milliseconds(ns)]));
		assert.deepEqual(policy.preview(9), policy.previewNs(9).map(inMs));
		const decide = (options) => new Operation(policy, on, { now: 0 }).decide("transient", { now: 0, ...options });
		assert.equal(decide({}).delay, milliseconds(decide({}).delayNs));
	}
	assert.deepEqual([parseRetryAfter("7"), parseRetryAfter("9".repeat(20))], [7000, milliseconds(MAX_NS)]);
});

describe("an iterator ends after the last retry", () => {
	const on = new RandomStream(42, "job-1");
	for (const [limit, count] of [
		["max_retries=0", 0],
		["max_attempts=10", 9],
		["max_retries=513", 513],
		["max_retries=3,max_elapsed=0s", 3],
	]) {
		test(limit, () => {
			const policy = Policy.parse(`full:base=100ms,cap=20s,${limit}`);
			const backoff = new Backoff(policy, on);
			assert.deepEqual([...backoff], [...policy.delays(on, count)]);
			assert.equal(backoff.index, count);
			assert.deepEqual([...backoff], []);
			assert.deepEqual([backoff.nextDelay(), backoff.next()], [undefined, { done: true, value: undefined }]);
			backoff.reset();
			assert.equal(backoff.stream.draw(0), on.draw(count));
			assert.deepEqual([[...backoff].length, backoff.index], [count, count]);
			assert.equal(policy.delays(on, count + 5).length, count + 5, "batches are not limited");
		});
	}
});

// The requests ask for single delays; these tests prove that batches equal them.
describe("batches join without a seam", () => {
	for (const jitter of ["full", "decorrelated"]) {
		test(jitter, () => {
			const policy = new Policy({ growth: "exponential", base: 100, cap: 20_000, jitter });
			const on = new RandomStream(42, "job-1");
			const single = Array.from({ length: 4200 }, (_, index) => policy.delayNs(on, index));
			assert.deepEqual([...policy.delaysNs(on, 4200)], single);
			const backoff = new Backoff(policy, on);
			assert.deepEqual(
				single.map(() => backoff.nextDelayNs()),
				single,
			);
			const last = 2 ** 32 - 1;
			const expected = [policy.delayNs(on, last - 1), policy.delayNs(on, last)];
			for (const count of [2, 1000, 2 ** 53 - 1]) {
				assert.deepEqual([...policy.delaysNs(on, count, last - 1)], expected);
			}
			assert.equal(policy.delays(on, 3, last - 1).length, 2);
		});
	}

	test("nextDelayNs is exact above 2^53", () => {
		const backoff = new Backoff(new Policy({ growth: "constant", base: { nanoseconds: MAX_NS } }), new RandomStream(0));
		assert.deepEqual([backoff.nextDelayNs(), backoff.nextDelayNs()], [MAX_NS, MAX_NS]);
	});
});

describe("no limit ends no wait", () => {
	const longest = { nanoseconds: MAX_NS };
	for (const limit of ["retry_after_max=none", "retry_after_max=none,max_elapsed=none"]) {
		test(`the longest wait, ${limit}`, () => {
			const policy = Policy.parse(`constant:base=1s,${limit}`);
			for (const built of [policy, new Policy(policy.params), new Policy({ ...policy.params, maxElapsed: longest })]) {
				const operation = new Operation(built, stream("1", null), { now: 0 });
				const { delayNs, reason } = operation.decide("throttled", { now: 5, retryAfter: longest });
				assert.deepEqual([delayNs, reason], [MAX_NS, undefined]);
			}
		});
	}
});

describe("a state of a budget", () => {
	const rate = Budget.parse("rate");
	const state = BudgetState.full(rate);

	test("has its text and its version, and is the same if nothing changed", () => {
		assert.equal(JSON.stringify({ state }), `{"state":"${state.text}"}`);
		assert.deepEqual({ ...state }, { text: state.text, version: 0n });
		const same = state.step("attempt_failed", 0n);
		assert.ok(same.state === state && `${state}` === state.text);
		assert.deepEqual(JSON.parse(JSON.stringify(same)), { state: state.text, granted: false, held: "0" });
		const quota = BudgetState.full(Budget.parse("quota")).step("retry_requested", 0n, { outcome: "transient" });
		assert.deepEqual([quota.granted, quota.held, quota.state.version], [true, 5n, 1n]);
	});

	test("has the limits of a used budget, not its state", () => {
		const used = Budget.parse("quota:max_tokens=10,cost=5");
		new Operation(Policy.parse("none"), undefined, { now: 0, budget: used }).decide("transient", { now: 0 });
		assert.equal(BudgetState.full(used).text, "0 10");
	});

	test("operations and other budgets leave a budget's own", () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=5");
		const decide = () =>
			new Operation(Policy.parse("none"), undefined, { now: 0, budget }).decide("transient", { now: 0 });
		assert.equal(decide().reason, undefined);
		assert.equal(`${Budget.parse("rate:max_tokens=7")}`, "rate:max_tokens=7");
		assert.deepEqual([decide().reason, `${budget}`], ["budget", "quota:max_tokens=5"]);
	});
});

test("parseRetryAfter reads a response, headers, and a plain object of headers", () => {
	const [name, value] = ["Retry-After", "7"];
	for (const [from, retryAfter] of [
		[new Response("", { headers: { [name]: value } }), 7000],
		[new Headers({ [name]: value }), 7000],
		[new Map([["retry-after", value]]), 7000],
		[{ [name]: value }, 7000],
		[{ headers: { "RETRY-AFTER": value } }, 7000],
		[{ headers: new Headers({ [name]: value }) }, 7000],
		[7, 7000],
		[["7"], 7000],
		[{ "retry-after": 7 }, 7000],
		[{ "retry-after": ["7", "8"] }, 7000],
		[{ headers: { "retry-after": [] } }, undefined],
		[-7, undefined],
		[7.5, undefined],
		[Number.NaN, undefined],
		[new Headers(), undefined],
		[new Headers().get("retry-after"), undefined],
		[undefined, undefined],
		[{}, undefined],
		[{ headers: {} }, undefined],
	]) {
		assert.equal(parseRetryAfter(from), retryAfter);
		assert.equal(parseRetryAfterNs(from), retryAfter && BigInt(retryAfter) * 1_000_000n);
	}
	const soon = new Date(Date.now() + 3600e3).toUTCString();
	const relative = parseRetryAfter(soon);
	assert.ok(relative > 3590e3 && relative <= 3600e3, `${relative}`);
	// The bytes of the module are fewer than these.
	for (const long of ["0".repeat(4096), " \t".repeat(2 ** 20), `${"9".repeat(4096)}é`, "\ud800"]) {
		assert.equal(parseRetryAfterNs(long, 0), undefined);
	}
});
