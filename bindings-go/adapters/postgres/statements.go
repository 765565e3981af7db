// Code generated from stores/postgres.sql by cargo xtask generate. DO NOT EDIT.

package backoffpostgres

// createTableText: Creates the table, which has a row for each account.
const createTableText = `CREATE TABLE IF NOT EXISTS backoff_budgets (key text PRIMARY KEY, state text NOT NULL)`

// loadText: The text of the key $1, and the time of the server in microseconds.
const loadText = `SELECT (SELECT state FROM backoff_budgets WHERE key = $1) AS text,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now`

// insertText: Stores the text $2 if there is none.
const insertText = `INSERT INTO backoff_budgets (key, state) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`

// updateText: Stores the text $2 if $3 is there.
const updateText = `UPDATE backoff_budgets SET state = $2 WHERE key = $1 AND state = $3`
