// A process of the fleet that shares a budget: fleet.mjs redis|postgres ADDRESS NAME BUDGET LEASE REQUESTS LOG. It runs four
// loops that always fail, until the store has decided so many of their retries. It writes every exchange into the log,
// as a JSON line, and prints what it counted.

import { closeSync, openSync, writeSync } from "node:fs";
import { retry, SharedBudget } from "backoff-wasm";
import { postgresStore } from "backoff-wasm/postgres";
import { redisStore } from "backoff-wasm/redis";

const LOOPS = 4;
const PAUSE_MS = 10;
/** The pause between two flushes of a store that is away. */
const FLUSH_MS = 100;

const [kind, address, name, budgetString, lease, requests, logPath] = process.argv.slice(2);

/** The store, and a function that closes it. */
async function open() {
	if (kind === "redis") {
		const { createClient } = await import("redis");
		// What is asked while the server is away is refused, not kept for later.
		const client = createClient({ url: address, disableOfflineQueue: true, socket: { reconnectStrategy: 100 } });
		client.on("error", () => {});
		await client.connect();
		return { store: redisStore(client), close: () => client.destroy() };
	}
	const { Pool } = (await import("pg")).default;
	const pool = new Pool({ connectionString: address });
	pool.on("error", () => {});
	const store = postgresStore(pool);
	await store.createTable();
	return { store, close: () => pool.end() };
}

const { store, close } = await open();
const log = openSync(logPath, "w");
const toText = (_, value) => (typeof value === "bigint" ? String(value) : value);
/** What is held is a small number, and the time is none. */
const lineOf = ({ steps, ...exchange }) => ({
	...exchange,
	steps: steps.map((step) => ({ ...step, held: Number(step.held) })),
});
const budget = new SharedBudget(store, name, budgetString, {
	lease: Number(lease),
	timeout: 1000,
	onExchange: (exchange) => {
		if (exchange.stored !== "no") {
			writeSync(log, `${JSON.stringify(lineOf(exchange), toText)}\n`);
		}
	},
});

const counts = { requests: 0, granted: 0, local: 0 };
function count({ reason, budgetIsLocal }) {
	if (budgetIsLocal) {
		counts.local++;
	} else if (reason === undefined || reason === "budget") {
		counts.requests++;
		counts.granted += reason === undefined ? 1 : 0;
	}
	return budgetIsLocal;
}

async function work() {
	while (counts.requests < Number(requests)) {
		let wasLocal = false;
		const note = (event) => {
			wasLocal = count(event) || wasLocal;
		};
		await retry(() => Promise.reject(new Error("busy")), {
			policy: "constant:base=1ns,max_retries=20",
			shouldRetry: () => true,
			budget,
			onRetry: note,
			onStop: note,
		}).catch(() => {});
		if (wasLocal) {
			await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
		}
	}
}

await Promise.all(Array.from({ length: LOOPS }, work));
// A store that is still away decides later.
while (!(await budget.flush())) {
	await new Promise((resolve) => setTimeout(resolve, FLUSH_MS));
}
closeSync(log);
await close();
console.log(JSON.stringify(counts));
