// PostgreSQL as the store of a shared budget, by node-postgres.

const CREATE = "create table if not exists backoff_budgets (key text primary key, state text not null)";
const LOAD = `select (select state from backoff_budgets where key = $1) as text,
round(extract(epoch from clock_timestamp()) * 1000000)::bigint::text as now`;
const INSERT = "insert into backoff_budgets (key, state) values ($1, $2) on conflict do nothing";
const UPDATE = "update backoff_budgets set state = $2 where key = $1 and state = $3";

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
			const { rows } = await pool.query({ text: LOAD, values: [key] });
			const [{ text, now }] = rows;
			return { text, now: BigInt(now) * NS_PER_MICROSECOND };
		},
		async compareAndSwap(key, expected, next) {
			const query =
				expected === null ? { text: INSERT, values: [key, next] } : { text: UPDATE, values: [key, next, expected] };
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
				await pool.query({ text: CREATE, values: [] });
			} catch (error) {
				if (!IS_THERE.includes(error.code)) {
					throw error;
				}
			}
		},
	};
}
