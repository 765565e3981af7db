// PostgreSQL as the store of a shared budget, by node-postgres.

import { POSTGRES_CREATE_TABLE, POSTGRES_INSERT, POSTGRES_LOAD, POSTGRES_UPDATE } from "./statements.js";

const NS_PER_MICROSECOND = 1000n;
/** What PostgreSQL answers to the slower one of two, if its transactions are serializable. */
const SERIALIZATION_FAILURE = "40001";

/** What it answers to the slower one of two that create the table, at different moments. */
const IS_THERE = ["23505", "42710", "42P07"];

/** The store of a `SharedBudget`. */
export function postgresStore(pool) {
	if (typeof pool?.query !== "function") {
		throw new TypeError(`pool must be a Pool or a Client of pg, got ${pool === null ? "null" : typeof pool}`);
	}
	return {
		async load(key) {
			const { rows } = await pool.query({ text: POSTGRES_LOAD, values: [key] });
			const [{ text, now }] = rows;
			return { text, now: BigInt(now) * NS_PER_MICROSECOND };
		},
		async compareAndSwap(key, expected, next) {
			const query =
				expected === null
					? { text: POSTGRES_INSERT, values: [key, next] }
					: { text: POSTGRES_UPDATE, values: [key, next, expected] };
			try {
				const { rowCount } = await pool.query(query);
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
