// Redis as the store of a shared budget, by the client that the program has: ioredis or node-redis.

/** The text and the time of the server, in one round trip. */
const LOAD = "local time = redis.call('TIME') return {redis.call('GET', KEYS[1]), time[1], time[2]}";

/** An absent key is false in Lua, and so is the text before if there is none. */
const SWAP = `if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
redis.call('SET', KEYS[1], ARGV[1]) return 1`;

const NS_PER_SECOND = 1_000_000_000n;
const NS_PER_MICROSECOND = 1000n;

/** The store of a `SharedBudget`. */
export function redisStore(client) {
	const evaluate = evaluatorOf(client);
	return {
		async load(key) {
			const [text, seconds, microseconds] = await evaluate(LOAD, key, []);
			const now = BigInt(seconds) * NS_PER_SECOND + BigInt(microseconds) * NS_PER_MICROSECOND;
			return { text: text === null ? null : String(text), now };
		},
		async compareAndSwap(key, expected, next) {
			return Number(await evaluate(SWAP, key, expected === null ? [next] : [next, expected])) === 1;
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
