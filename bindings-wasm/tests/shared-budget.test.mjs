// A shared budget over a store in memory, which can be slow, fail, lose races and forget to answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Budget, makeRetriable, Operation, Policy, retry, SharedBudget } from "./installed.mjs";
import { endOf, FakeClock, notes, script } from "./loop.mjs";

const busy = new Error("busy");
const NOW = 1_000_000_000n;
/** Much longer than a test. */
const PATIENT = { timeout: 60_000 };

const stateOf = (text) => text.split(" | ")[0];

/** A store with compare-and-swap. `on` may replace a method for its next calls. */
class MemoryStore {
	texts = new Map();
	calls = [];
	now = NOW;
	on = {};

	/** The state under a key, without the numbers of processes. */
	state(key) {
		return stateOf(this.texts.get(key));
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
	const end = await endOf(retry(fn, { clock, policy, shouldRetry: () => true, budget, ...hooks, ...options }));
	const seen = events.map(([, { reason, budgetIsLocal }]) => `${reason ?? "wait"}${budgetIsLocal ? ", local" : ""}`);
	return { ...end, calls: fn.contexts.length, seen, waits: clock.waits, stop: events.at(-1)[1] };
}

/** A budget over a new store, with its exchanges. */
function share(text, options = {}, store = new MemoryStore()) {
	const exchanges = [];
	const onExchange = (exchange) => exchanges.push(exchange);
	const budget = new SharedBudget(store, "test", text, { ...PATIENT, onExchange, ...options });
	return { budget, store, exchanges };
}

const steps = ({ steps: of }) =>
	of.map(({ event, count, granted }) => `${event} ${granted === null ? count : `${granted} of ${count}`}`);

/** How often an event happened in an exchange. */
const countOf = ({ steps: of }, name) =>
	of.filter(({ event }) => event === name).reduce((sum, { count }) => sum + count, 0);

describe("a loop", () => {
	test("is refused when the account is empty, with the delay that it does not wait", async () => {
		const { budget, store } = share("quota:max_tokens=10,cost=5");
		const first = await run(budget);
		assert.deepEqual([first.error, first.calls, first.waits], [busy, 3, [1000, 1000]]);
		assert.deepEqual(first.seen, ["wait", "wait", "budget"]);
		assert.deepEqual([first.stop.delay, first.stop.attempts, first.stop.outcome], [1000, 3, "transient"]);
		assert.equal(store.state("backoff:test:quota:max_tokens=10"), "2 0");
		assert.equal(budget.key, "backoff:test:quota:max_tokens=10");
		assert.deepEqual((await run(budget)).seen, ["budget"]);
		assert.equal(budget.lastError, undefined);
	});

	test("gives back what its retry took, when it succeeds", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=10,cost=5,cost_throttled=7");
		const throttled = { shouldRetry: () => "throttled" };
		assert.deepEqual((await run(budget, throttled, script(busy, "ok"))).value, "ok");
		assert.equal(store.state(budget.key), "1 3");
		await budget.flush();
		assert.equal(store.state(budget.key), "2 10");
		assert.deepEqual(exchanges.map(steps), [
			["operation_began 1", "attempt_failed 1", "retry_requested 1 of 1"],
			["operation_succeeded 1"],
		]);
		assert.deepEqual(exchanges[0], {
			before: null,
			now: NOW,
			steps: [
				{ event: "operation_began", outcome: null, held: 0n, count: 1, granted: null },
				{ event: "attempt_failed", outcome: null, held: 0n, count: 1, granted: null },
				{ event: "retry_requested", outcome: "throttled", held: 0n, count: 1, granted: 1 },
			],
			after: "1 3 | 0 1 0",
			stored: "yes",
			error: undefined,
		});
		assert.equal(exchanges[1].steps[0].held, 7n);
	});

	test("a success and a permanent failure ask the store for nothing", async () => {
		const { budget, store } = share("throttle");
		assert.equal((await run(budget, {}, script("ok"))).value, "ok");
		assert.equal((await run(budget, { shouldRetry: () => false })).calls, 1);
		assert.deepEqual(store.calls, []);
		// It is refused by max_retries, so it asks for nothing, but the failure counts.
		await run(budget, { policy: "constant:base=1s,max_retries=0" });
		assert.deepEqual(store.calls, []);
		await budget.flush();
		assert.equal(store.state(budget.key), "1 9000");
	});

	test("two budgets share an account, and another name or another configuration is another account", async () => {
		const store = new MemoryStore();
		const [one, two] = [share("quota:max_tokens=15,cost=5", {}, store), share("quota:cost=5,max_tokens=15", {}, store)];
		assert.deepEqual((await run(one.budget, { policy: "constant:base=1s,max_retries=2" })).calls, 3);
		assert.deepEqual((await run(two.budget)).seen, ["wait", "budget"]);
		assert.deepEqual((await run(share("quota:max_tokens=5", {}, store).budget)).seen, ["wait", "budget"]);
		const named = new SharedBudget(store, "other", Budget.parse("quota:max_tokens=15,cost=5"), PATIENT);
		assert.deepEqual((await run(named)).seen, ["wait", "wait", "wait", "max_retries"]);
		assert.equal(store.texts.size, 3);
	});

	test("of makeRetriable, and of an operation that took the first free loop", async () => {
		const { budget } = share("quota:max_tokens=5,cost=5");
		const fn = script(busy);
		const retriable = makeRetriable(fn, { budget, shouldRetry: () => true, policy: "none" });
		await assert.rejects(retriable(), busy);
		assert.equal(fn.contexts.length, 2);
	});

	test("an abort ends the wait for the store", async () => {
		const store = new MemoryStore();
		let answer;
		store.on.load = () =>
			new Promise((_, reject) => {
				answer = reject;
			});
		const { budget } = share("quota", {}, store);
		const controller = new AbortController();
		const ended = run(budget, { signal: controller.signal });
		while (store.calls.length === 0) {
			await wait(1);
		}
		controller.abort(new Error("enough"));
		const { error, seen } = await ended;
		assert.deepEqual([error.message, seen], ["enough", ["cancelled"]]);
		answer(busy);
	});
});

describe("exchanges", () => {
	test("one at a time; what waits meanwhile goes together", async () => {
		const store = new MemoryStore();
		let open;
		const opened = new Promise((resolve) => {
			open = resolve;
		});
		let inFlight = 0;
		store.on.swap = async (own) => {
			assert.equal(++inFlight, 1);
			await opened;
			inFlight--;
			return own();
		};
		const { budget, exchanges } = share("quota:max_tokens=30,cost=5", {}, store);
		const once = { policy: "constant:base=1s,max_retries=1" };
		const first = run(budget, once);
		while (!store.calls.includes("swap")) {
			await wait(1);
		}
		const others = Array.from({ length: 7 }, () => run(budget, once));
		await wait(5);
		open();
		const ends = await Promise.all([first, ...others]);
		assert.equal(ends.filter(({ seen }) => seen[0] === "wait").length, 6);
		assert.deepEqual(
			exchanges.map((exchange) => countOf(exchange, "retry_requested")),
			[1, 7],
		);
		assert.equal(store.state(budget.key), "6 0");
	});

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
		assert.deepEqual((await run(budget, { policy: "constant:base=1s,max_retries=1" })).seen, ["wait", "max_retries"]);
		assert.deepEqual(store.calls, ["load", "swap", "load", "swap", "load", "swap", "load", "swap"]);
		assert.deepEqual([exchanges.length, exchanges[0].before, stateOf(exchanges[0].after)], [1, "3 50", "4 45"]);
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

	test("100 events go without a request; flush sends fewer", async () => {
		const { budget, store, exchanges } = share("ratio:max_tokens=10,ratio=0.1");
		store.texts.set(budget.key, "1 0");
		for (let count = 0; count < 50; count++) {
			await run(budget, {}, script("ok"));
		}
		while (exchanges.length === 0) {
			await wait(1);
		}
		assert.deepEqual(steps(exchanges[0]), ["operation_began 50", "operation_succeeded 50"]);
		assert.equal(store.state(budget.key), "51 50");
		await run(budget, {}, script("ok"));
		await budget.flush();
		assert.equal(store.state(budget.key), "52 51");
		const calls = store.calls.length;
		await budget.flush();
		assert.equal(store.calls.length, calls, "nothing to send");
	});

	test("a lease: later retries need no exchange", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=20,cost=5,cost_timeout=6", { lease: 3 });
		const once = { policy: "constant:base=1s,max_retries=1" };
		for (let count = 0; count < 3; count++) {
			assert.deepEqual((await run(budget, once)).seen, ["wait", "max_retries"]);
		}
		assert.deepEqual([exchanges.length, store.state(budget.key)], [1, "3 5"]);
		// The lease is of the same outcome.
		assert.deepEqual((await run(budget, { ...once, shouldRetry: () => "timeout" })).seen, ["budget"]);
		assert.deepEqual((await run(budget, once)).seen, ["wait", "max_retries"]);
		assert.deepEqual((await run(budget, once)).seen, ["budget"]);
		assert.deepEqual(steps(exchanges[2]).slice(-2), ["retry_requested 1 of 1", "retry_requested 0 of 1"]);
	});

	test("requests together leave at most the lease less one unused", async () => {
		const { budget, store } = share("quota:max_tokens=50,cost=5", { lease: 2 });
		const once = { policy: "constant:base=1s,max_retries=1" };
		await Promise.all(Array.from({ length: 4 }, () => run(budget, once)));
		assert.equal(store.state(budget.key), "5 25");
	});

	test("requests that wait behind an exchange take what it leased", async () => {
		const { budget, store, exchanges } = share("quota:max_tokens=50,cost=5", { lease: 3 });
		const once = { policy: "constant:base=1s,max_retries=1" };
		let open;
		const opened = new Promise((resolve) => {
			open = resolve;
		});
		store.on.swap = async (own) => {
			await opened;
			return own();
		};
		const runs = [run(budget, once)];
		while (!store.calls.includes("swap")) {
			await wait(1);
		}
		runs.push(run(budget, once), run(budget, once));
		await wait(5);
		open();
		await Promise.all(runs);
		await budget.flush();
		assert.deepEqual([countOf(exchanges[0], "retry_requested"), store.state(budget.key)], [3, "3 35"]);
	});
});

describe("the store is away", () => {
	const fail = () => Promise.reject(new Error("refused"));
	for (const [what, on, message] of [
		["load rejects", { load: fail }, "refused"],
		[
			"load throws",
			{
				load() {
					throw new Error("refused");
				},
			},
			"refused",
		],
		[
			"load returns nothing",
			{ load: () => undefined },
			"the value of load() must be { text: string | null, now: bigint }",
		],
		["load returns null", { load: () => null }, "the value of load() must be { text: string | null"],
		["load rejects with undefined", { load: () => Promise.reject() }, "the store rejected with undefined"],
		[
			"load returns a number for a time",
			{ load: () => ({ text: null, now: 5 }) },
			"now of load() must be a bigint of nanoseconds, got number",
		],
		[
			"load returns bytes",
			{ load: () => ({ text: Buffer.of(5), now: 5n }) },
			"text of load() must be a string, or null if there is none, got Buffer",
		],
		[
			"the text is of another program",
			{ load: () => ({ text: "hello", now: 5n }) },
			'"hello" is not a state of the budget',
		],
		["swap rejects", { swap: fail }, "refused"],
		["swap returns 1", { swap: () => 1 }, "the value of compareAndSwap() must be a boolean, got number"],
		["load never answers", { load: () => new Promise(() => {}) }, "the store did not answer within 1000 ms"],
		["swap never answers", { swap: () => new Promise(() => {}) }, "the store did not answer within 1000 ms"],
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
		const flush = async () => {
			await run(budget, {}, script("ok"));
			return budget.flush();
		};
		const away = new Error("refused");
		assert.equal(await flush(), true);
		store.on.load = () => Promise.reject(away);
		assert.equal(await flush(), false);
		store.on = {};
		store.texts.set(budget.key, "hello");
		assert.equal(await flush(), false);
		store.texts.set(budget.key, "7 20 | 0 1 0");
		store.on.swap = (own) => own() && Promise.reject(away);
		assert.equal(await flush(), false);
		store.on = {};
		// The steps of the last exchange may be stored, so they are forgotten.
		assert.equal(await flush(), true);
		assert.deepEqual(
			exchanges.map(({ before, now, steps: { length }, stored, error }) => [
				before,
				now,
				length,
				stored,
				error?.message,
			]),
			[
				[null, NOW, 2, "yes", undefined],
				[null, 0n, 0, "no", "refused"],
				["hello", NOW, 0, "no", exchanges[2].error.message],
				["7 20 | 0 1 0", NOW, 2, "unknown", "refused"],
				["10 23 | 0 1 0", NOW, 2, "yes", undefined],
			],
		);
		assert.match(exchanges[2].error.message, /"hello" is not a state/);
		assert.deepEqual([exchanges[1].after, exchanges[2].after], ["", ""]);
		assert.equal(JSON.parse(JSON.stringify(exchanges[1])).error.message, "refused");
	});

	test("every race is lost: the local budget decides", async (t) => {
		const { budget, store, exchanges } = share("quota:max_tokens=500", { timeout: 50 });
		// The time goes on with each race, and not by itself: on a loaded machine a timer may be first.
		let passed = 0;
		const own = performance.now;
		t.after(() => {
			performance.now = own;
		});
		performance.now = () => passed;
		store.on.swap = () => {
			passed += 400;
			return false;
		};
		assert.equal((await run(budget, { policy: "constant:base=1s,max_retries=1" })).seen[0], "wait, local");
		assert.equal(budget.lastError.message, "other processes were faster for 1000 ms");
		assert.deepEqual([exchanges[0].stored, exchanges[0].error], ["lost", budget.lastError]);
		assert.equal(store.calls.filter((call) => call === "swap").length, 3);
	});

	for (const [what, options, want] of [
		["one of the four that the account has counted grants its part", {}, 10],
		["a process of eight grants its part", { processes: 8 }, 5],
		["a process may grant the whole", { fallback: "whole" }, 40],
		["a process may refuse", { fallback: "refuse" }, 0],
	]) {
		test(what, async () => {
			const { budget, store } = share("quota:max_tokens=40,cost=1", options);
			store.texts.set(budget.key, "0 40 | 0 3 0");
			await run(budget, {}, script(busy, "ok"));
			store.on.load = fail;
			let granted = 0;
			for (let count = 0; count < 40; count++) {
				granted += (await run(budget, { policy: "constant:base=1s,max_retries=1" })).seen[0] === "wait, local";
			}
			assert.equal(granted, want);
			const { exchanges, failedExchanges, localDecisions, processes } = budget.stats;
			assert.deepEqual([exchanges, failedExchanges, localDecisions, processes], [2, 1, 40, 4]);
		});
	}

	test("what it granted goes back to it, and the events that were not sent are sent later", async (t) => {
		const { budget, store, exchanges } = share("quota:max_tokens=10,cost=5");
		store.on.load = fail;
		const own = performance.now;
		t.after(() => {
			performance.now = own;
		});
		assert.deepEqual((await run(budget, {}, script(busy, busy, "ok"))).seen, ["wait, local", "wait, local", "success"]);
		// It holds the 5 of its last retry: 10 - 5 - 5 + 5.
		assert.deepEqual((await run(budget)).seen, ["wait, local", "budget, local"]);
		store.on.load = undefined;
		performance.now = () => own.call(performance) + 2000;
		assert.deepEqual((await run(budget, {}, script(busy, "ok"))).seen, ["wait", "success"]);
		assert.deepEqual(steps(exchanges[1]), [
			"operation_began 3",
			"operation_succeeded 1",
			"attempt_failed 5",
			"retry_requested 1 of 1",
		]);
		assert.equal(exchanges[1].steps[1].held, 0n);
		assert.equal(store.state(budget.key), "1 5");
	});

	test("at most 100 events of each kind are kept", async (t) => {
		const { budget, store, exchanges } = share("throttle:max_tokens=1000,ratio=1");
		store.on.load = fail;
		await run(budget);
		const own = performance.now;
		t.after(() => {
			performance.now = own;
		});
		for (let count = 0; count < 200; count++) {
			await run(budget, { policy: "constant:base=1s,max_retries=0" });
		}
		store.on.load = undefined;
		performance.now = () => own.call(performance) + 60_000;
		await budget.flush();
		assert.deepEqual(exchanges.map(steps), [[], ["operation_began 100", "attempt_failed 100"]]);
		assert.equal(store.state(budget.key), "100 900000");
	});

	test("a swap without an answer is unknown, and its events are not sent again", async (t) => {
		const { budget, store, exchanges } = share("quota:max_tokens=10,cost=5", { timeout: 50 });
		let answer;
		store.on.swap = (own) => {
			own();
			return new Promise((resolve) => {
				answer = resolve;
			});
		};
		assert.deepEqual((await run(budget, {}, script(busy, "ok"))).seen, ["wait, local", "success"]);
		while (exchanges.length === 0) {
			await wait(1);
		}
		assert.deepEqual([exchanges.map(({ stored }) => stored), store.state(budget.key)], [["unknown"], "1 5"]);
		answer(true);
		await wait(5);
		assert.equal(exchanges.length, 1);
		store.on.swap = undefined;
		const own = performance.now;
		t.after(() => {
			performance.now = own;
		});
		performance.now = () => own.call(performance) + 60_000;
		await budget.flush();
		assert.deepEqual(steps(exchanges[1]), ["operation_succeeded 1"]);
	});

	test("a loop that is aborted while it waits takes no token", async () => {
		const { budget, store } = share("quota:max_tokens=10,cost=5");
		const controller = new AbortController();
		store.on.load = async (own) => {
			controller.abort(busy);
			await wait(5);
			return own();
		};
		assert.deepEqual((await run(budget, { signal: controller.signal })).seen, ["cancelled"]);
		await budget.flush();
		assert.equal(store.state(budget.key).split(" ")[1], "10");
	});

	test("a store that is slower than the timeout gets the steps, and is not waited for", async () => {
		const { budget, store, exchanges } = share("throttle:max_tokens=1000", { timeout: 20 });
		assert.equal((await run(budget, { policy: "constant:base=1s,max_retries=1" })).seen[0], "wait");
		store.on.load = async (own) => {
			await wait(100);
			return own();
		};
		assert.equal((await run(budget, { policy: "constant:base=1s,max_retries=1" })).seen[0], "wait, local");
		assert.equal(await budget.flush(), true);
		assert.deepEqual([exchanges[1].stored, budget.stats.failedExchanges], ["yes", 0]);
	});

	test("an answer that comes too late is not followed by a swap", async () => {
		const { budget, store } = share("quota", { timeout: 20 });
		let answer;
		store.on.load = () =>
			new Promise((resolve) => {
				answer = resolve;
			});
		await run(budget, { policy: "constant:base=1s,max_retries=1" });
		// The exchange may end a little later than the wait for it.
		while (budget.stats.failedExchanges === 0) {
			await wait(1);
		}
		answer({ text: null, now: 5n });
		await wait(5);
		assert.deepEqual(store.calls, ["load"]);
	});

	test("a store that loses every race at once does not block the process", async () => {
		const { budget, store } = share("quota", { timeout: 20 });
		store.load = () => ({ text: null, now: 5n });
		store.compareAndSwap = () => false;
		assert.equal((await run(budget)).seen[0], "wait, local");
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

test("no event of many loops that begin at once is lost", async () => {
	const { budget, exchanges } = share("ratio");
	const loops = Array.from({ length: 500 }, () => retry(async () => 1, { budget, shouldRetry: () => true }));
	await Promise.all(loops);
	await budget.flush();
	for (const event of ["operation_began", "operation_succeeded"]) {
		assert.equal(
			exchanges.reduce((sum, exchange) => sum + countOf(exchange, event), 0),
			500,
		);
	}
});

describe("misuse", () => {
	const store = new MemoryStore();
	for (const [what, act, message] of [
		[
			"no store",
			() => new SharedBudget(undefined, "a", "quota"),
			/store must be an object with load\(key\) and compareAndSwap/,
		],
		["a store without swap", () => new SharedBudget({ load() {} }, "a", "quota"), /store must be an object with load/],
		["no name", () => new SharedBudget(store, "", "quota"), /name must be a string that is not empty/],
		["no process", () => new SharedBudget(store, "a", "quota", { processes: 0 }), /processes 0 is below 1/],
		["a control character", () => new SharedBudget(store, "a\0", "quota"), /name "a\\u0000" has a control character/],
		[
			"a lone surrogate",
			() => new SharedBudget(store, "\ud800", "quota"),
			/has a control character or a lone surrogate/,
		],
		["a long name", () => new SharedBudget(store, "é".repeat(128), "quota"), /name has 256 bytes, which is above 255/],
		["a number as a name", () => new SharedBudget(store, 5, "quota"), /name must be a string .*, got number/],
		["no budget", () => new SharedBudget(store, "a"), /budget must be a Budget or a budget string, got undefined/],
		["an invalid budget", () => new SharedBudget(store, "a", "quotas"), /unknown name "quotas"/],
		["concurrent", () => new SharedBudget(store, "a", "envoy"), /budget must not be concurrent: a process that dies/],
		[
			"a concurrent local budget",
			() => new SharedBudget(store, "a", "sre", { localBudget: "concurrent" }),
			/localBudget must not be/,
		],
		[
			"a local budget of null",
			() => new SharedBudget(store, "a", "sre", { localBudget: null }),
			/localBudget must be a Budget or a budget string, got null/,
		],
		[
			"a budget as a fallback",
			() => new SharedBudget(store, "a", "sre", { fallback: "quota" }),
			/fallback must be "share", "whole" or "refuse"/,
		],
		[
			"a number of processes that refuse",
			() => new SharedBudget(store, "a", "sre", { fallback: "refuse", processes: 2 }),
			/processes is only for the fallback "share", and the fallback is "refuse"/,
		],
		["lease 0", () => new SharedBudget(store, "a", "sre", { lease: 0 }), /lease 0 is below 1/],
		["lease 1001", () => new SharedBudget(store, "a", "sre", { lease: 1001 }), /lease 1001 is above 1000/],
		["lease 1.5", () => new SharedBudget(store, "a", "sre", { lease: 1.5 }), /lease 1.5 is not a whole number/],
		["lease of text", () => new SharedBudget(store, "a", "sre", { lease: "2" }), /lease must be a number, got string/],
		["timeout 0", () => new SharedBudget(store, "a", "sre", { timeout: 0 }), /timeout 0ms is not above 0ms/],
		["timeout NaN", () => new SharedBudget(store, "a", "sre", { timeout: NaN }), /timeout NaN is not a finite number/],
		[
			"a long timeout",
			() => new SharedBudget(store, "a", "sre", { timeout: 2 ** 31 }),
			/2147483648ms is above 2147483647ms/,
		],
		[
			"timeout of text",
			() => new SharedBudget(store, "a", "sre", { timeout: "5" }),
			/timeout must be a number of milli/,
		],
		["onExchange", () => new SharedBudget(store, "a", "sre", { onExchange: 5 }), /onExchange must be a function/],
		[
			"an unknown option",
			() => new SharedBudget(store, "a", "sre", { leases: 5 }),
			/leases is unknown; the options of/,
		],
		[
			"in an operation",
			() => new Operation(Policy.parse("none"), undefined, { now: 0, budget: share("sre").budget }),
			/budget must be a Budget, got SharedBudget/,
		],
	]) {
		test(what, () => assert.throws(act, message));
	}

	test("an exchange has a JSON", async () => {
		const { budget, exchanges } = share("quota:max_tokens=3,cost=2");
		await run(budget, { policy: "constant:base=1s,max_retries=1" });
		assert.deepEqual(JSON.parse(JSON.stringify(exchanges)), [
			{
				before: null,
				now: "1000000000",
				steps: [
					{ event: "operation_began", outcome: null, held: "0", count: 1, granted: null },
					{ event: "attempt_failed", outcome: null, held: "0", count: 1, granted: null },
					{ event: "retry_requested", outcome: "transient", held: "0", count: 1, granted: 1 },
				],
				after: "1 1 | 0 1 0",
				stored: "yes",
			},
		]);
	});

	test("a flush in the hook is over at once", async () => {
		const answers = [];
		const { budget, store, exchanges } = share("quota", {
			onExchange: (exchange) => {
				exchanges.push(exchange);
				answers.push(budget.flush());
			},
		});
		store.on.load = () => Promise.reject(new Error("away"));
		assert.deepEqual((await run(budget)).seen, ["wait, local", "wait, local", "wait, local", "max_retries"]);
		assert.deepEqual(await Promise.all(answers), [false]);
		assert.equal(exchanges.length, 1);
		assert.equal(await budget.flush(), false);
	});

	test("the key stays", () => {
		const { budget } = share("quota");
		assert.throws(() => {
			budget.key = "another";
		}, TypeError);
		assert.deepEqual(Object.keys(budget).includes("key"), true);
	});

	test("a hook that fails is no error of the loop", async () => {
		for (const onExchange of [() => Promise.reject(new Error("hook")), () => assert.fail("hook")]) {
			const { budget } = share("quota", { onExchange });
			assert.deepEqual((await run(budget)).seen, ["wait", "wait", "wait", "max_retries"]);
			await wait(1);
			assert.match(budget.lastError.message, /hook/);
		}
	});
});
