// Shared budgets in a real Redis and a real PostgreSQL, with each client: one account of several processes, and a server
// that is killed, or whose keys move to another one.

import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { retry, SharedBudget } from "backoff-wasm";
import { PolicyRetryStrategy } from "backoff-wasm/aws-sdk";
import { postgresStore } from "backoff-wasm/postgres";
import { redisStore } from "backoff-wasm/redis";
import { Cluster, Redis } from "ioredis";
import pg from "pg";
import * as nodeRedis from "redis";
import { startServers } from "./servers.mjs";

let servers;
before(async () => {
	servers = await startServers("redis", "redis-cluster", "redis-sentinel", "postgres");
});
after(() => servers.stop());

const portOf = (url) => Number(new URL(url).port);
const retryStrategy = () => 50;
/** A busy machine may need longer than the store allows by default. */
const PATIENT_POOL = { query_timeout: 60_000 };

function ofIoredis(server, client) {
	client.on("error", () => {});
	return { server, store: redisStore(client), stop: () => client.disconnect() };
}

async function ofNodeRedis(server, client) {
	client.on("error", () => {});
	await client.connect();
	return { server, store: redisStore(client), stop: () => (client.destroy ?? client.disconnect).call(client) };
}

/** Each opens a client; `stop` ends it. The errors of connections come while a test restarts the server. */
const REDIS = {
	async ioredis(map = (port) => port) {
		const port = map(portOf(servers.redis));
		return ofIoredis("redis", new Redis(port, { maxRetriesPerRequest: 1, retryStrategy }));
	},
	async "node-redis"(map = (port) => port) {
		const url = `redis://127.0.0.1:${map(portOf(servers.redis))}`;
		return ofNodeRedis("redis", nodeRedis.createClient({ url, socket: { reconnectStrategy: retryStrategy } }));
	},
};

const CLUSTERS = {
	async "a cluster of ioredis"(map = (port) => port) {
		const natMap = Object.fromEntries(
			(await portsOfCluster()).map((port) => [`127.0.0.1:${port}`, { host: "127.0.0.1", port: map(port) }]),
		);
		const options = { natMap, clusterRetryStrategy: retryStrategy };
		return ofIoredis("redis-cluster", new Cluster([servers["redis-cluster"]], options));
	},
	async "a cluster of node-redis"(map = (port) => port) {
		const nodeAddressMap = (address) => ({ host: "127.0.0.1", port: map(Number(address.split(":").at(-1))) });
		const rootNodes = [{ url: servers["redis-cluster"] }];
		return ofNodeRedis("redis-cluster", nodeRedis.createCluster({ rootNodes, nodeAddressMap }));
	},
};

const SENTINELS = {
	async "Sentinel, with ioredis"(map = (port) => port) {
		const port = await portOfMaster();
		const natMap = { [`127.0.0.1:${port}`]: { host: "127.0.0.1", port: map(port) } };
		const options = { sentinels: sentinels(), name: "backoff", maxRetriesPerRequest: 1, natMap };
		return ofIoredis("redis-sentinel", new Redis(options));
	},
};
// The oldest version has none.
if (nodeRedis.createSentinel) {
	SENTINELS["Sentinel, with node-redis"] = async (map = (port) => port) => {
		const nodeAddressMap = (address) => ({ host: "127.0.0.1", port: map(Number(address.split(":").at(-1))) });
		const options = { sentinelRootNodes: sentinels(), name: "backoff", nodeAddressMap };
		return ofNodeRedis("redis-sentinel", nodeRedis.createSentinel(options));
	};
}

const sentinels = () => [{ host: "127.0.0.1", port: portOf(servers["redis-sentinel"]) }];

/** Sends one command to a server. */
async function ask(server, ...words) {
	const client = new Redis(servers[server]);
	const answer = await client.call(...words);
	client.disconnect();
	return answer;
}

async function portsOfCluster() {
	return (await ask("redis-cluster", "CLUSTER", "SLOTS")).map(([, , [, port]]) => port);
}

async function portOfMaster() {
	return Number((await ask("redis-sentinel", "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "backoff"))[1]);
}

const CLIENTS = {
	...REDIS,
	...CLUSTERS,
	async "a pool of pg"() {
		const pool = new pg.Pool({ ...PATIENT_POOL, connectionString: servers.postgres, max: 3 });
		pool.on("error", () => {});
		const store = postgresStore(pool);
		await store.createTable();
		await store.createTable();
		return { server: "postgres", store, stop: () => pool.end() };
	},
	async "a client of pg, serializable"() {
		const options = "-c default_transaction_isolation=serializable";
		const pool = new pg.Pool({ ...PATIENT_POOL, connectionString: servers.postgres, max: 5, options });
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
			assert.match(text, /^\d+ 0 \|/);
		});
	});
}

/** Servers between clients and Redis. `lose` ends a connection in place of the next answer to a swap. */
async function startProxies(ports) {
	let isLossy = false;
	const start = (port) => {
		const proxy = createServer((socket) => {
			const redis = connect(port, "127.0.0.1");
			let isLost = false;
			socket.on("data", (asked) => {
				if (isLossy && asked.includes("pcall")) {
					[isLossy, isLost] = [false, true];
				}
				redis.write(asked);
			});
			redis.on("data", (answer) => (isLost ? socket.destroy() : socket.write(answer)));
			for (const [one, other] of [
				[socket, redis],
				[redis, socket],
			]) {
				one.on("error", () => {});
				one.on("close", () => other.destroy());
			}
		});
		return new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve([port, proxy])));
	};
	const proxies = new Map(await Promise.all(ports.map(start)));
	return {
		map: (port) => proxies.get(port)?.address().port ?? port,
		lose() {
			isLossy = true;
		},
		stop() {
			for (const proxy of proxies.values()) {
				proxy.close();
			}
		},
	};
}

for (const [name, open] of Object.entries({ ...REDIS, ...CLUSTERS, ...SENTINELS })) {
	test(`a swap whose answer is lost: ${name}`, { timeout: 60_000 }, async () => {
		const ports = [portOf(servers.redis), ...(await portsOfCluster()), await portOfMaster()];
		const proxies = await startProxies(ports);
		const client = await open(proxies.map);
		const key = `lost ${++names}`;
		assert.equal(await client.store.compareAndSwap(key, null, "0 1"), true);
		proxies.lose();
		// Some clients send it again.
		await assert.rejects(client.store.compareAndSwap(key, "0 1", "0 2"));
		assert.equal((await client.store.load(key)).text, "0 2");
		assert.equal(await client.store.compareAndSwap(key, "0 1", "0 3"), false);
		client.stop();
		proxies.stop();
	});
}

for (const [name, open] of Object.entries(CLUSTERS)) {
	test(`slots that move to another server: ${name}`, { timeout: 60_000 }, async () => {
		const { store, stop } = await open();
		// Each is in a slot of another server.
		const keys = ["a", "b", "c"].map((tag) => `{${tag}} ${name}`);
		for (const key of keys) {
			assert.equal(await store.compareAndSwap(key, null, "0 1"), true);
		}
		await servers.tell("move redis-cluster");
		for (const key of keys) {
			assert.equal(await store.compareAndSwap(key, "0 1", "0 2"), true);
		}
		await servers.tell("move redis-cluster");
		for (const key of keys) {
			assert.equal((await store.load(key)).text, "0 2");
		}
		stop();
	});
}

test("Sentinel names another master when one is killed", { timeout: 60_000 }, async () => {
	const clients = await Promise.all(Object.values(SENTINELS).map((open) => open()));
	const options = { timeout: 2000, fallback: "refuse" };
	const budgets = clients.map(
		({ store }) => new SharedBudget(store, "sentinel", "quota:max_tokens=10,cost=1", options),
	);
	for (const budget of budgets) {
		assert.deepEqual(await failFor(budget, 2), { granted: 2, local: 0 });
	}
	await servers.tell("kill redis-sentinel");
	for (const budget of budgets) {
		// The local budget refuses.
		while ((await failFor(budget, 2)).granted === 0) {
			await wait(100);
		}
	}
	for (const { store, stop } of clients) {
		const [version, tokens] = (await store.load(budgets[0].key)).text.split(" ").map(Number);
		// The replica had everything. Each retry is a version and takes a token.
		assert.ok(version > 2 * budgets.length && version + tokens === 10, `${version} ${tokens}`);
		stop();
	}
});

for (const level of ["read committed", "repeatable read", "serializable"]) {
	// Two of the levels make that an error.
	test(`a swap that waited for another one has lost: ${level}`, { timeout: 60_000 }, async () => {
		const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
		const pool = new pg.Pool({ ...PATIENT_POOL, connectionString: servers.postgres, max: 3, options });
		const store = postgresStore(pool);
		await store.createTable();
		assert.equal(await store.compareAndSwap(level, null, "0 1"), true);
		const other = await pool.connect();
		await other.query("begin");
		await other.query("update backoff_budgets set state = '1 0' where key = $1", [level]);
		const swap = store.compareAndSwap(level, "0 1", "1 5");
		while ((await pool.query("select from pg_locks where not granted")).rowCount === 0) {
			await wait(1);
		}
		await other.query("commit");
		other.release();
		assert.equal(await swap, false);
		assert.equal((await store.load(level)).text, "1 0");
		await pool.end();
	});
}

test("many processes create the table at once", async () => {
	const pool = new pg.Pool({ ...PATIENT_POOL, connectionString: servers.postgres, max: 20 });
	for (let turn = 0; turn < 5; turn++) {
		await pool.query("drop table if exists backoff_budgets");
		await Promise.all(Array.from({ length: 20 }, () => postgresStore(pool).createTable()));
	}
	await pool.end();
});

test("a query that hangs gives its connection back", { timeout: 60_000 }, async () => {
	const pool = new pg.Pool({ connectionString: servers.postgres, max: 2 });
	const store = postgresStore(pool);
	await store.createTable();
	const other = await pool.connect();
	await other.query("begin; lock table backoff_budgets");
	await assert.rejects(store.load("hangs"), /Query read timeout/);
	await other.query("rollback");
	other.release();
	while (pool.totalCount > 1) {
		await wait(1);
	}
	await pool.end();
});

test("nothing is prepared: a pooler may give each statement another connection", async () => {
	const pool = new pg.Pool({ ...PATIENT_POOL, connectionString: servers.postgres, max: 1 });
	const store = postgresStore(pool);
	await store.createTable();
	assert.equal((await store.load("prepared")).text, null);
	assert.equal(await store.compareAndSwap("prepared", null, "0 1"), true);
	assert.equal(await store.compareAndSwap("prepared", "0 1", "0 2"), true);
	const { rows } = await pool.query("select name from pg_prepared_statements");
	assert.deepEqual(rows, []);
	await pool.end();
});

test("createTable tells other errors", async () => {
	const denied = Object.assign(new Error("permission denied"), { code: "42501" });
	await assert.rejects(postgresStore({ query: () => Promise.reject(denied) }).createTable(), denied);
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
