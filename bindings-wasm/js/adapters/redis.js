// Redis as the store of a shared budget, by the client that the program has: ioredis or node-redis.

import { REDIS_COMPARE_AND_SWAP, REDIS_LOAD } from "./statements.js";

const NS_PER_SECOND = 1_000_000_000n;
const NS_PER_MICROSECOND = 1000n;

/** What says that a connection was lost, of ioredis, of its clusters and of the Sentinels of node-redis. */
const LOSSES = ["close", "-node", "topology-change"];
/** How many connections each client has lost. */
const lossesOf = new WeakMap();

/** The store of a `SharedBudget`. */
export function redisStore(client) {
	const evaluate = evaluatorOf(client);
	countLosses(client);
	return {
		async load(key) {
			const [text, [seconds, microseconds]] = await evaluate(REDIS_LOAD, key, []);
			const now = BigInt(seconds) * NS_PER_SECOND + BigInt(microseconds) * NS_PER_MICROSECOND;
			return { text: text === null ? null : String(text), now };
		},
		async compareAndSwap(key, expected, next) {
			const losses = lossesOf.get(client);
			const values = expected === null ? [next] : [next, expected];
			const isSwapped = Number(await evaluate(REDIS_COMPARE_AND_SWAP, key, values)) === 1;
			if (!isSwapped && lossesOf.get(client) !== losses) {
				throw new Error("a connection to Redis was lost: whether the swap was made is unknown");
			}
			return isSwapped;
		},
	};
}

/**
 * Counts the connections that a client loses. Some clients send again what was not answered. A swap that was made would
 * then look like one that another process was faster with, and the budget would count it twice.
 */
function countLosses(client) {
	if (typeof client.on !== "function" || lossesOf.has(client)) {
		return;
	}
	lossesOf.set(client, 0);
	for (const event of LOSSES) {
		client.on(event, () => lossesOf.set(client, lossesOf.get(client) + 1));
	}
}

/** How a client runs a script with one key. */
function evaluatorOf(client) {
	const canRun = typeof client?.eval === "function";
	if (canRun && typeof client.getSlotMaster === "function" && typeof client.withCommandOptions !== "function") {
		// A cluster of node-redis 4, whose `eval` goes to any server.
		return (script, key, values) => client.sendCommand(key, false, ["EVAL", script, "1", key, ...values]);
	}
	if (canRun && typeof client.evalSha === "function") {
		return (script, key, values) => client.eval(script, { keys: [key], arguments: values });
	}
	if (canRun && typeof client.evalsha === "function") {
		return (script, key, values) => client.eval(script, 1, key, ...values);
	}
	throw new TypeError(
		`client must be a client of ioredis or of node-redis, got ${client === null ? "null" : typeof client}`,
	);
}
