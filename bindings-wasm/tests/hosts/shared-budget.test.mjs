// Shared budgets in a real Redis and a real PostgreSQL, with each client: one account of several processes, and a server
// that is killed.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Budget, BudgetState, retry, SharedBudget } from "backoff-wasm";
import { PolicyRetryStrategy } from "backoff-wasm/aws-sdk";
import { retryingFetch } from "backoff-wasm/fetch";
import { postgresStore } from "backoff-wasm/postgres";
import { redisStore } from "backoff-wasm/redis";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { startServers } from "./servers.mjs";

let servers;
before(async () => {
	servers = await startServers("redis", "postgres");
});
after(() => servers.stop());

/** Each opens a client; `stop` ends it. The errors of connections come while a test restarts the server. */
const CLIENTS = {
	async ioredis() {
		const client = new Redis(servers.redis, { maxRetriesPerRequest: 1, retryStrategy: () => 50 });
		client.on("error", () => {});
		return { server: "redis", store: redisStore(client), stop: () => client.disconnect() };
	},
	async "node-redis"() {
		const client = createClient({ url: servers.redis, socket: { reconnectStrategy: () => 50 } });
		client.on("error", () => {});
		await client.connect();
		return {
			server: "redis",
			store: redisStore(client),
			stop: () => (client.destroy ?? client.disconnect).call(client),
		};
	},
	async "a pool of pg"() {
		const pool = new pg.Pool({ connectionString: servers.postgres, max: 3 });
		pool.on("error", () => {});
		const store = postgresStore(pool);
		await store.createTable();
		await store.createTable();
		return { server: "postgres", store, stop: () => pool.end() };
	},
	async "a client of pg, serializable"() {
		const options = "-c default_transaction_isolation=serializable";
		const pool = new pg.Pool({ connectionString: servers.postgres, max: 5, options });
		pool.on("error", () => {});
		return { server: "postgres", store: postgresStore(pool), stop: () => pool.end() };
	},
};

let names = 0;
const busy = new Error("busy");

/** How often a loop was granted a retry, until it was refused, and how often by the local budget. */
async function failFor(budget, maxRetries = 1000) {
	let [granted, local] = [0, 0];
	const onRetry = ({ budgetIsLocal }) => {
		granted++;
		local += budgetIsLocal ? 1 : 0;
	};
	const policy = `constant:base=1ns,max_retries=${maxRetries}`;
	await assert.rejects(
		retry(() => Promise.reject(busy), { policy, shouldRetry: () => true, budget, onRetry }),
		busy,
	);
	return { granted, local };
}

for (const [name, open] of Object.entries(CLIENTS)) {
	describe(name, () => {
		let client;
		before(async () => {
			client = await open();
		});
		after(() => client.stop());

		test("load and swap", async () => {
			const { store } = client;
			const key = `backoff:${name}:ü`;
			const nothing = await store.load(key);
			assert.equal(nothing.text, null);
			assert.ok(Math.abs(Number(nothing.now / 1_000_000n) - Date.now()) < 60_000, `${nothing.now}`);
			assert.equal(await store.compareAndSwap(key, "0 1", "0 2"), false);
			assert.equal(await store.compareAndSwap(key, null, "0 1"), true);
			assert.equal(await store.compareAndSwap(key, null, "0 2"), false);
			assert.equal(await store.compareAndSwap(key, "0 5", "0 2"), false);
			assert.equal(await store.compareAndSwap(key, "0 1", "0 2"), true);
			const { text, now } = await store.load(key);
			assert.equal(text, "0 2");
			assert.ok(now > nothing.now && now % 1000n === 0n);
		});

		test("ten loops over two budgets get what one account has", { timeout: 60_000 }, async () => {
			const account = `account ${++names}`;
			const budget = () => new SharedBudget(client.store, account, "quota:max_tokens=200,cost=1", { timeout: 60_000 });
			const [one, two] = [budget(), budget()];
			const ends = await Promise.all(Array.from({ length: 10 }, (_, loop) => failFor(loop % 2 ? one : two)));
			assert.deepEqual(
				[ends.reduce((sum, { granted }) => sum + granted, 0), ends.some(({ local }) => local > 0)],
				[200, false],
			);
			assert.match((await client.store.load(one.key)).text, /^200 0 \|/);
			assert.deepEqual([one.lastError, two.lastError], [undefined, undefined]);
		});

		test("the server is killed: the local budget decides, and then the account goes on", {
			timeout: 60_000,
		}, async () => {
			const account = `account ${++names}`;
			const options = { timeout: 2000, fallback: "whole", localBudget: "quota:max_tokens=3,cost=1" };
			const budget = new SharedBudget(client.store, account, "quota:max_tokens=10,cost=1", options);
			assert.deepEqual(await failFor(budget, 4), { granted: 4, local: 0 });
			await servers.tell(`kill ${client.server}`);
			const start = performance.now();
			assert.deepEqual(await failFor(budget), { granted: 3, local: 3 });
			assert.ok(budget.lastError !== undefined);
			assert.ok(performance.now() - start < 30_000, "nothing waits for long");
			await servers.tell(`start ${client.server}`);
			let left;
			do {
				await wait(100);
				left = await failFor(budget);
			} while (left.local > 0 || left.granted === 0);
			// Redis of the tests stores what it confirmed. A swap without an answer may have taken one retry.
			assert.ok(left.granted === 6 || left.granted === 5, `${left.granted}`);
			const { text } = await client.store.load(budget.key);
			assert.equal(BudgetState.parse(Budget.parse("quota:max_tokens=10,cost=1"), text).text.split(" ")[1], "0");
		});
	});
}

test("many processes create the table at once", async () => {
	const pool = new pg.Pool({ connectionString: servers.postgres, max: 20 });
	for (let turn = 0; turn < 5; turn++) {
		await pool.query("drop table if exists backoff_budgets");
		await Promise.all(Array.from({ length: 20 }, () => postgresStore(pool).createTable()));
	}
	await pool.end();
});

test("createTable tells other errors", async () => {
	const denied = Object.assign(new Error("permission denied"), { code: "42501" });
	await assert.rejects(postgresStore({ query: () => Promise.reject(denied) }).createTable(), denied);
});

test("one budget for the requests of a fleet", async () => {
	const client = await CLIENTS.ioredis();
	let requests = 0;
	const fetch = async () => {
		requests++;
		return new Response("busy", { status: 503 });
	};
	const budget = new SharedBudget(client.store, "fetch", "quota:max_tokens=5,cost=1", { timeout: 60_000 });
	const retrying = retryingFetch({ fetch, budget, policy: "constant:base=1ns,max_retries=3" });
	for (const expected of [4, 7, 8]) {
		assert.equal((await retrying("http://localhost/")).status, 503);
		assert.equal(requests, expected);
	}
	client.stop();
});

test("an adapter whose library retries by itself refuses a shared budget", () => {
	const budget = new SharedBudget({ load() {}, compareAndSwap() {} }, "name", "sre");
	assert.throws(
		() => new PolicyRetryStrategy({ budget }),
		/^TypeError: budget must be a Budget, got a SharedBudget: this adapter takes a budget of one process$/,
	);
});

test("what is no client is refused", () => {
	for (const client of [undefined, null, 5, {}, { eval() {} }, { evalSha() {} }, { evalsha() {} }, new Map()]) {
		assert.throws(
			() => redisStore(client),
			/^TypeError: client must be a client of ioredis or of node-redis, got [a-z]+$/,
		);
		assert.throws(() => postgresStore(client), /^TypeError: pool must be a Pool or a Client of pg, got [a-z]+$/);
	}
});
