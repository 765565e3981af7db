// Types of backoff-wasm/redis.

import type { BudgetStore } from "../index.js";

/** A client of ioredis (`evalsha`) or of node-redis (`evalSha`), also of a cluster or of Sentinel, or a pool of clients. */
export type RedisClientLike =
	// biome-ignore lint/suspicious/noExplicitAny: the two libraries have other arguments.
	| { eval(...given: any[]): Promise<any>; evalsha(...given: any[]): Promise<any> }
	// biome-ignore lint/suspicious/noExplicitAny: the two libraries have other arguments.
	| { eval(...given: any[]): Promise<any>; evalSha(...given: any[]): Promise<any> };

/**
 * Redis as the store of a `SharedBudget`. It runs two small scripts: one reads a key and the time of the server, and
 * one compares and swaps. The state is a text under the key of the budget, which never expires.
 *
 * @throws {TypeError} a client of another library.
 */
export function redisStore(client: RedisClientLike): BudgetStore;
