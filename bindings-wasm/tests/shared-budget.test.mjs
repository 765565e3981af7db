// A shared budget over a store in memory, which can be slow, fail, lose races and forget to answer. exchanges.test.mjs has
// the rules of its member, which all languages share; here are its calls of the store, its timers and its queue.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { requireThere, retry, SharedBudget } from "./installed.mjs";
import { always, busy, endOf, FakeClock, notes, script, throwing } from "./loop.mjs";

const NOW = 1_000_000_000n;
const ONCE = { policy: "constant:base=1s,max_retries=1" };
const fail = () => Promise.reject(new Error("refused"));

/** Waits until this is true. */
async function until(isTrue) {
	while (!isTrue()) {
		await wait(1);
	}
}

/** A promise, and the functions that end it. */
function deferred() {
	const ends = {};
	const promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
	return { promise, ...ends };
}

/** A store with compare-and-swap. `on` may replace a method for its next calls. */
class MemoryStore {
	texts = new Map();
	calls = [];
	now = NOW;
	on = {};

	/** The state under a key, without the numbers of processes. */
	state(key) {
		return this.texts.get(key).split(" | ")[0];
	}

	async load(key) {
		this.calls.push("load");
		const own = () => ({ text: this.texts.get(key) ?? null, now: this.now });
		return this.on.load ? this.on.load(own) : own();
	}

	async compareAndSwap(key, expected, next) {
		this.calls.push("swap");
		const own = () => {
			const isSame = (this.texts.get(key) ?? null) === expected;
			if (isSame) {
				this.texts.set(key, next);
			}
			return isSame;
		};
		return this.on.swap ? this.on.swap(own) : own();
	}
}

/** Runs a loop whose function fails with `busy` or plays another script. */
async function run(budget, options = {}, fn = script(busy)) {
	const { events, ...hooks } = notes();
	const clock = new FakeClock();
	const policy = "constant:base=1s,max_retries=3";
	const end = await endOf(retry(fn, { clock, policy, shouldRetry: always, budget, ...hooks, ...options }));
	const seen = events.map(([, { reason, budgetIsLocal }]) => `${reason ?? "wait"}${budgetIsLocal ? ", local" : ""}`);
	return { ...end, calls: fn.contexts.length, seen, waits: clock.waits, stop: events.at(-1)[1] };
}

/** A budget over a new store, with its exchanges. No test takes as long as its timeout. */
function share(text, options = {}, store = new MemoryStore()) {
	const exchanges = [];
	const onExchange = (exchange) => exchanges.push(exchange);
	const budget = new SharedBudget(store, "test", text, { timeout: 60_000, onExchange, ...options });
	return { budget, store, exchanges };
}

const steps = ({ steps: of }) =>
	of.map(({ event, count, granted }) => `${event} ${granted === null ? count : `${granted} of ${count}`}`);

/** How often an event happened in some exchanges. */
const countOf = (exchanges, name) =>
	exchanges
		.flatMap(({ steps }) => steps)
		.filter(({ event }) => event === name)
		.reduce((sum, { count }) => sum + count, 0);

/** Replaces the clock of this process until the end of a test. */
function setTime(t, now) {
	const { performance } = globalThis;
	const own = performance.now;
	t.after(() => {
		performance.now = own;
	});
	performance.now = () => now(() => own.call(performance));
}

describe("a loop", () => {
	test("is refused when the account is empty, with the delay that it does not wait", async () => {
		const { budget, store } = share("quota:max_tokens=10,cost=5");
		const first = await run(budget);
		assert.deepEqual([first.error, first.calls, first.waits], [busy, 3, [1000, 1000]]);
		assert.deepEqual(first.seen, ["wait", "wait", "budget"]);
		assert.deepEqual([first.stop.delay, first.stop.attempts, first.stop.outcome], [1000, 3, "transient"]);
		assert.equal(budget.key, "backoff:test:quota:max_tokens=10");
		assert.equal(store.state(budget.key), "2 0");
		assert.deepEqual((await run(budget)).seen, ["budget"]);
		assert.equal(budget.lastError, undefined);
	});

	test("gives back what its retry took, when it succeeds", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=10,cost=5,cost_throttled=7");
		assert.equal((await run(budget, { shouldRetry: () => "throttled" }, script(busy, "ok"))).value, "ok");
		assert.equal(store.state(budget.key), "1 3");
		await budget.flush();
		assert.equal(store.state(budget.key), "2 10");
		const step = (event, more) => ({ event, outcome: null, held: 0n, count: 1, granted: null, ...more });
		const requested = step("retry_requested", { outcome: "throttled", granted: 1 });
		const all = [step("operation_began"), step("attempt_failed"), requested];
		const expected = { before: null, now: NOW, steps: all, after: "1 3 | 0 1 0", stored: "yes", error: undefined };
		assert.deepEqual(exchanges[0], expected);
		assert.deepEqual(exchanges[1].steps, [step("operation_succeeded", { held: 7n })]);
		const digits = (_, value) => (typeof value === "bigint" ? `${value}` : value);
		assert.equal(JSON.stringify(exchanges[0]), JSON.stringify(expected, digits));
	});

	test("leaves a level in the store, for a gauge", async () => {
		const { budget, store } = share("ratio:max_tokens=10,ratio=0.1");
		assert.deepEqual(await budget.level(), { left: 10, most: 10 });
		store.texts.set(budget.key, "1 25 | 0 1 0");
		assert.deepEqual(await budget.level(), { left: 2.5, most: 10 });
		store.texts.set(budget.key, "what");
		await assert.rejects(budget.level(), { code: "not_a_state" });
		store.on.load = () => Promise.reject(new Error("away"));
		await assert.rejects(budget.level(), /away/);
	});

	test("that succeeds or fails permanently asks the store for nothing", async () => {
		const { budget, store } = share("throttle");
		assert.equal((await run(budget, {}, script("ok"))).value, "ok");
		assert.equal((await run(budget, { shouldRetry: () => false })).calls, 1);
		// It is refused by max_retries, so it asks for nothing, but the failure counts.
		await run(budget, { policy: "constant:base=1s,max_retries=0" });
		assert.deepEqual(store.calls, []);
		await budget.flush();
		assert.equal(store.state(budget.key), "1 9000");
	});

	test("that is aborted does not wait for the store, and takes no token", async () => {
		const { budget, store } = share("quota:max_tokens=10,cost=5");
		const controller = new AbortController();
		const opened = deferred();
		store.on.load = async (own) => {
			await opened.promise;
			return own();
		};
		const ended = run(budget, { signal: controller.signal });
		await until(() => store.calls.length > 0);
		controller.abort(new Error("enough"));
		const { error, seen } = await ended;
		assert.deepEqual([error.message, seen], ["enough", ["cancelled"]]);
		opened.resolve();
		await budget.flush();
		assert.equal(store.state(budget.key).split(" ")[1], "10");
	});
});

describe("exchanges", () => {
	for (const [what, lease, others, requests, state] of [
		["what waits meanwhile goes together", 1, 7, [1, 7], "6 0"],
		["what waits takes what was leased", 3, 2, [3], "3 15"],
	]) {
		test(`one at a time; ${what}`, async () => {
			const opened = deferred();
			let inFlight = 0;
			const { budget, store, exchanges } = share("quota:max_tokens=30,cost=5", { lease });
			store.on.swap = async (own) => {
				assert.equal(++inFlight, 1);
				await opened.promise;
				inFlight--;
				return own();
			};
			const runs = [run(budget, ONCE)];
			await until(() => store.calls.includes("swap"));
			runs.push(...Array.from({ length: others }, () => run(budget, ONCE)));
			await wait(5);
			opened.resolve();
			const ends = await Promise.all(runs);
			assert.equal(ends.filter(({ seen }) => seen[0] === "wait").length, Math.min(others + 1, 6));
			await budget.flush();
			const asked = exchanges.map((exchange) => countOf([exchange], "retry_requested"));
			assert.deepEqual([asked.filter(Boolean), store.state(budget.key)], [requests, state]);
		});
	}

	test("a lost race begins again with a load", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=100,cost=5");
		let losses = 3;
		store.on.swap = (own) => {
			if (losses-- > 0) {
				const before = BigInt(store.texts.get(budget.key)?.split(" ")[0] ?? 0);
				store.texts.set(budget.key, `${before + 1n} 50`);
			}
			return own();
		};
		assert.deepEqual((await run(budget, ONCE)).seen, ["wait", "max_retries"]);
		assert.deepEqual(store.calls, Array(4).fill(["load", "swap"]).flat());
		assert.deepEqual([exchanges.length, exchanges[0].before, exchanges[0].after], [1, "3 50", "4 45 | 0 1 0"]);
	});

	test("nothing is swapped if nothing changed", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=5,cost=5");
		store.texts.set(budget.key, "7 0");
		assert.deepEqual((await run(budget)).seen, ["budget"]);
		// The first exchange counts this process.
		assert.deepEqual((await run(budget)).seen, ["budget"]);
		assert.deepEqual(store.calls, ["load", "swap", "load"]);
		const { before, after, stored } = exchanges[1];
		assert.deepEqual([before, after, stored], ["7 0 | 0 1 0", "7 0 | 0 1 0", "unchanged"]);
	});

	test("100 events go without a request; flush sends fewer, and nothing if there is nothing", async () => {
		const { budget, store, exchanges } = share("ratio:max_tokens=10,ratio=0.1");
		store.texts.set(budget.key, "1 0");
		for (let count = 0; count < 50; count++) {
			await run(budget, {}, script("ok"));
		}
		await until(() => exchanges.length > 0);
		assert.deepEqual(steps(exchanges[0]), ["operation_began 50", "operation_succeeded 50"]);
		assert.equal(store.state(budget.key), "51 50");
		await run(budget, {}, script("ok"));
		await budget.flush();
		assert.equal(store.state(budget.key), "52 51");
		const calls = store.calls.length;
		await budget.flush();
		assert.equal(store.calls.length, calls);
	});
});

describe("the store is unavailable", () => {
	const bytes = Buffer.of(5);
	const never = () => new Promise(() => {});
	for (const [what, on, message] of [
		["load rejects", { load: fail }, "refused"],
		["load throws", { load: throwing(new Error("refused")) }, "refused"],
		["load returns nothing", { load: () => {} }, "the value of load() must be { text: string | null, now: bigint }"],
		["load returns null", { load: () => null }, "the value of load() must be { text: string | null"],
		["load rejects with undefined", { load: () => Promise.reject() }, "the store rejected with undefined"],
		["the time is a number", { load: () => ({ text: null, now: 5 }) }, "now of load() must be a bigint of nanoseconds"],
		["the text is bytes", { load: () => ({ text: bytes, now: 5n }) }, "text of load() must be a string, or null if"],
		["the text is another's", { load: () => ({ text: "hello", now: 5n }) }, '"hello" is not a state of the budget'],
		["swap rejects", { swap: fail }, "refused"],
		["swap rejects with undefined", { swap: () => Promise.reject() }, "the store rejected with undefined"],
		["swap returns 1", { swap: () => 1 }, "the value of compareAndSwap() must be a boolean, got number"],
		["load never answers", { load: never }, "the store did not answer within 1000 ms"],
		["swap never answers", { swap: never }, "the store did not answer within 1000 ms"],
	]) {
		test(`${what}: the local budget decides`, async () => {
			// The first exchange has a second.
			const options = { localBudget: "quota:max_tokens=5,cost=5", ...(message.includes("1000 ms") && { timeout: 50 }) };
			const { budget, store } = share("quota:max_tokens=500", options);
			Object.assign(store.on, on);
			const { seen, error } = await run(budget);
			assert.deepEqual([seen, error], [["wait, local", "budget, local"], busy]);
			assert.ok(budget.lastError.message.includes(message), budget.lastError.message);
			// It is not asked again for a second, except by a flush.
			const calls = store.calls.length;
			assert.deepEqual((await run(budget)).seen, ["budget, local"]);
			assert.equal(store.calls.length, calls);
			assert.equal(await budget.flush(), false);
			assert.ok(store.calls.length > calls);
		});
	}

	test("every exchange is reported", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=25");
		const rows = [
			["yes", undefined, [null, NOW, 2], true],
			["no", "refused", [null, 0n, 0], false, { load: fail }],
			["no", '"hello" is not a state of the budget of', ["hello", NOW, 0], false, {}, "hello"],
			["unknown", "refused", ["7 20", NOW, 2], false, { swap: (own) => own() && fail() }, "7 20 | 0 1 0"],
			// The steps of the last exchange may be stored, so they are forgotten.
			["yes", undefined, ["10 23", NOW, 2], true],
		];
		for (const [stored, message, [before, now, count], isStored, on = {}, text] of rows) {
			store.on = on;
			if (text) {
				store.texts.set(budget.key, text);
			}
			await run(budget, {}, script("ok"));
			assert.equal(await budget.flush(), isStored);
			const exchange = exchanges.at(-1);
			assert.deepEqual([exchange.stored, exchange.now, exchange.steps.length], [stored, now, count]);
			assert.equal(exchange.before?.split(" | ")[0] ?? null, before);
			assert.equal(exchange.after === "", stored === "no");
			assert.ok(message ? exchange.error.message.includes(message) : exchange.error === undefined);
			assert.equal(JSON.parse(JSON.stringify(exchange)).error?.message, exchange.error?.message);
		}
		assert.equal(exchanges.length, rows.length);
	});

	test("every race is lost: the local budget decides", async (t) => {
		const { budget, store, exchanges } = share("quota:max_tokens=500", { timeout: 50 });
		// The time goes on with each race, and not by itself: on a loaded machine a timer may be first.
		let passed = 0;
		setTime(t, () => passed);
		store.on.swap = () => {
			passed += 400;
			return false;
		};
		assert.equal((await run(budget, ONCE)).seen[0], "wait, local");
		assert.equal(budget.lastError.message, "other processes were faster for 1000 ms");
		assert.deepEqual([exchanges[0].stored, exchanges[0].error], ["lost", budget.lastError]);
		assert.equal(store.calls.filter((call) => call === "swap").length, 3);
	});

	test("a store that loses every race at once does not block the process", async () => {
		const { budget, store } = share("quota", { timeout: 20 });
		store.load = () => ({ text: null, now: 5n });
		store.compareAndSwap = () => false;
		assert.equal((await run(budget)).seen[0], "wait, local");
	});

	for (const [options, want] of [
		// One of the four that the account has counted
		[{}, 10],
		[{ processes: 8 }, 5],
		[{ fallback: "whole" }, 40],
		[{ fallback: "refuse" }, 0],
	]) {
		test(`a process grants ${want} with ${JSON.stringify(options)}`, async () => {
			const { budget, store } = share("quota:max_tokens=40,cost=1", options);
			store.texts.set(budget.key, "0 40 | 0 3 0");
			await run(budget, {}, script(busy, "ok"));
			store.on.load = fail;
			let granted = 0;
			for (let count = 0; count < 40; count++) {
				granted += (await run(budget, ONCE)).seen[0] === "wait, local";
			}
			assert.equal(granted, want);
			const { exchanges, failedExchanges, localDecisions, processes } = budget.stats;
			assert.deepEqual([exchanges, failedExchanges, localDecisions, processes], [2, 1, 40, 4]);
		});
	}

	test("what it granted goes back to it, and the events that were not sent are sent later", async (t) => {
		const { budget, store, exchanges } = share("quota:max_tokens=10,cost=5");
		store.on.load = fail;
		assert.deepEqual((await run(budget, {}, script(busy, busy, "ok"))).seen, ["wait, local", "wait, local", "success"]);
		// It holds the 5 of its last retry: 10 - 5 - 5 + 5.
		assert.deepEqual((await run(budget)).seen, ["wait, local", "budget, local"]);
		store.on.load = undefined;
		setTime(t, (own) => own() + 2000);
		assert.deepEqual((await run(budget, {}, script(busy, "ok"))).seen, ["wait", "success"]);
		const sent = ["operation_began 3", "operation_succeeded 1", "attempt_failed 5", "retry_requested 1 of 1"];
		assert.deepEqual(steps(exchanges[1]), sent);
		assert.equal(store.state(budget.key), "1 5");
	});

	test("a swap without an answer is unknown, and its events are not sent again", async (t) => {
		const { budget, store, exchanges } = share("quota:max_tokens=10,cost=5", { timeout: 50 });
		const { promise, resolve } = deferred();
		store.on.swap = (own) => {
			own();
			return promise;
		};
		assert.deepEqual((await run(budget, {}, script(busy, "ok"))).seen, ["wait, local", "success"]);
		await until(() => exchanges.length > 0);
		assert.deepEqual([exchanges[0].stored, store.state(budget.key)], ["unknown", "1 5"]);
		resolve(true);
		await wait(5);
		assert.equal(exchanges.length, 1);
		store.on.swap = undefined;
		setTime(t, (own) => own() + 60_000);
		await budget.flush();
		assert.deepEqual(steps(exchanges[1]), ["operation_succeeded 1"]);
	});

	test("a store that is slower than the timeout gets the steps, and is not waited for", async () => {
		const { budget, store, exchanges } = share("throttle:max_tokens=1000", { timeout: 20 });
		assert.equal((await run(budget, ONCE)).seen[0], "wait");
		store.on.load = async (own) => {
			await wait(100);
			return own();
		};
		assert.equal((await run(budget, ONCE)).seen[0], "wait, local");
		assert.equal(await budget.flush(), true);
		assert.deepEqual([exchanges[1].stored, budget.stats.failedExchanges], ["yes", 0]);
	});

	test("an answer that comes too late is not followed by a swap", async () => {
		const { budget, store } = share("quota", { timeout: 20 });
		const { promise, resolve } = deferred();
		store.on.load = () => promise;
		await run(budget, ONCE);
		// The exchange may end a little later than the wait for it.
		await until(() => budget.stats.failedExchanges > 0);
		resolve({ text: null, now: 5n });
		await wait(5);
		assert.deepEqual(store.calls, ["load"]);
	});

	test("no timer is left", async () => {
		const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
		const before = timers();
		const { budget, store } = share("quota");
		await run(budget);
		store.on.load = fail;
		await run(budget);
		assert.equal(timers(), before);
	});
});

test("a flush in the hook is over at once", async () => {
	const answers = [];
	// Without end, if a flush in the hook began another exchange.
	const onExchange = () => answers.length < 3 && answers.push(budget.flush());
	const { budget, store } = share("quota", { onExchange });
	store.on.load = fail;
	assert.deepEqual((await run(budget)).seen, ["wait, local", "wait, local", "wait, local", "max_retries"]);
	assert.deepEqual(await Promise.all(answers), [false]);
	assert.equal(await budget.flush(), false);
});

test("a hook that fails is no error of the loop", async () => {
	for (const onExchange of [() => Promise.reject(new Error("hook")), throwing(new Error("hook"))]) {
		const { budget } = share("quota", { onExchange });
		assert.deepEqual((await run(budget)).seen, ["wait", "wait", "wait", "max_retries"]);
		await wait(1);
		assert.match(budget.lastError.message, /hook/);
	}
});

test("the key stays", () => {
	const { budget } = share("quota");
	assert.throws(() => Object.assign(budget, { key: "another" }), TypeError);
	assert.ok(Object.keys(budget).includes("key"));
});

test("the store in PostgreSQL limits its queries, unless the pool does", async () => {
	const { postgresStore } = requireThere("backoff-wasm/postgres");
	for (const [pool, limit] of [
		[{}, 1000],
		[{ options: { query_timeout: 50 } }, 50],
		[{ options: { query_timeout: 0 } }, 1000],
		[{ connectionParameters: { query_timeout: 70 } }, 70],
	]) {
		const limits = [];
		const query = async ({ query_timeout }) => {
			limits.push(query_timeout);
			return { rows: [{ text: null, now: "5" }], rowCount: 1 };
		};
		const store = postgresStore({ ...pool, query });
		assert.deepEqual(await store.load("key"), { text: null, now: 5000n });
		assert.equal(await store.compareAndSwap("key", null, "0 1"), true);
		assert.equal(await store.compareAndSwap("key", "0 1", "1 1"), true);
		assert.deepEqual(limits, [limit, limit, limit]);
	}
});
