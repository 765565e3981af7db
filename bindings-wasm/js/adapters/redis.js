// Redis as the store of a shared budget, by the client that the program has: ioredis or node-redis.

import { REDIS_COMPARE_AND_SWAP, REDIS_LOAD } from "./statements.js";

const NS_PER_SECOND = 1_000_000_000n;
const NS_PER_MICROSECOND = 1000n;

/** The store of a `SharedBudget`. */
export function redisStore(client) {
	const evaluate = evaluatorOf(client);
	return {
		async load(key) {
			const [text, [seconds, microseconds]] = await evaluate(REDIS_LOAD, key, []);
			const now = BigInt(seconds) * NS_PER_SECOND + BigInt(microseconds) * NS_PER_MICROSECOND;
			return { text: text === null ? null : String(text), now };
		},
		async compareAndSwap(key, expected, next) {
			return Number(await evaluate(REDIS_COMPARE_AND_SWAP, key, expected === null ? [next] : [next, expected])) === 1;
		},
	};
}

/** How a client runs a script with one key. */
function evaluatorOf(client) {
	const canRun = typeof client?.eval === "function";
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
