// Types of backoff-wasm/postgres.

import type { BudgetStore } from "../index.js";

/** What the store calls of a `Pool` or a `Client` of pg. */
export interface PostgresPoolLike {
	query(config: { text: string; values: unknown[] }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** The store of a `SharedBudget` in PostgreSQL. */
export interface PostgresStore extends BudgetStore {
	/**
	 * Creates the table of the states, if there is none:
	 * `create table if not exists backoff_budgets (key text primary key, state text not null)`.
	 */
	createTable(): Promise<void>;
}

/**
 * PostgreSQL as the store of a `SharedBudget`, in the table `backoff_budgets`. Each load and each swap is one statement
 * on a connection of the pool.
 *
 * @throws {TypeError} what has no method `query`.
 */
export function postgresStore(pool: PostgresPoolLike): PostgresStore;
