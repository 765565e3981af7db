// PostgreSQL as the store of a shared budget, by node-postgres.

import { POSTGRES_CREATE_TABLE, POSTGRES_INSERT, POSTGRES_LOAD, POSTGRES_UPDATE } from "./statements.js";

const NS_PER_MICROSECOND = 1000n;
/** For how many ms a query keeps its connection of the pool, unless the pool has a limit of its own. */
const QUERY_TIMEOUT = 1000;
/** What PostgreSQL answers to the slower one of two, if its transactions are serializable. */
const SERIALIZATION_FAILURE = "40001";

/** What it answers to the slower one of two that create the table, at different moments. */
const IS_THERE = ["23505", "42710", "42P07"];

/** The store of a `SharedBudget`. */
export function postgresStore(pool) {
	if (typeof pool?.query !== "function") {
		throw new TypeError(`pool must be a Pool or a Client of pg, got ${pool === null ? "null" : typeof pool}`);
	}
	const limit = (pool.options ?? pool.connectionParameters)?.query_timeout || QUERY_TIMEOUT;
	const query = (text, values) => pool.query({ text, values, query_timeout: limit });
	return {
		async load(key) {
			const { rows } = await query(POSTGRES_LOAD, [key]);
			const [{ text, now }] = rows;
			return { text, now: BigInt(now) * NS_PER_MICROSECOND };
		},
		async compareAndSwap(key, expected, next) {
			try {
				const { rowCount } =
					expected === null
						? await query(POSTGRES_INSERT, [key, next])
						: await query(POSTGRES_UPDATE, [key, next, expected]);
				return rowCount === 1;
			} catch (error) {
				if (error.code === SERIALIZATION_FAILURE) {
					return false;
				}
				throw error;
			}
		},
		async createTable() {
			try {
				await pool.query({ text: POSTGRES_CREATE_TABLE, values: [] });
			} catch (error) {
				if (!IS_THERE.includes(error.code)) {
					throw error;
				}
			}
		},
	};
}
