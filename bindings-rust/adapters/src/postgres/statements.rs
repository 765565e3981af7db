//! Generated from stores/postgres.sql by `cargo xtask generate`. Do not edit.

/// Creates the table, which has a row for each account.
pub(super) const CREATE_TABLE: &str = "\
CREATE TABLE IF NOT EXISTS backoff_budgets (key text PRIMARY KEY, state text NOT NULL)";

/// The text of the key $1, and the time of the server in microseconds.
pub(super) const LOAD: &str = "\
SELECT (SELECT state FROM backoff_budgets WHERE key = $1) AS text,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now";

/// Stores the text $2 if there is none.
pub(super) const INSERT: &str = "\
INSERT INTO backoff_budgets (key, state) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING";

/// Stores the text $2 if $3 is there.
pub(super) const UPDATE: &str = "\
UPDATE backoff_budgets SET state = $2 WHERE key = $1 AND state = $3";
