// Generated from stores/redis.lua and stores/postgres.sql by `cargo xtask generate`. Do not edit.

/** The text under the key, and the time of the server that has the key. */
export const REDIS_LOAD = `return {redis.call('GET', KEYS[1]), redis.call('TIME')}`;

/** Stores argument 1 if the key holds argument 2, or nothing if there is none. Errors keep their code. */
export const REDIS_COMPARE_AND_SWAP = `if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
local set = redis.pcall('SET', KEYS[1], ARGV[1])
if set.err then return redis.error_reply(set.err:match('%-(%u.*)') or set.err) end
return 1`;

/** Creates the table, which has a row for each account. */
export const POSTGRES_CREATE_TABLE = `CREATE TABLE IF NOT EXISTS backoff_budgets (key text PRIMARY KEY, state text NOT NULL)`;

/** The text of the key $1, and the time of the server in microseconds. */
export const POSTGRES_LOAD = `SELECT (SELECT state FROM backoff_budgets WHERE key = $1) AS text,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now`;

/** Stores the text $2 if there is none. */
export const POSTGRES_INSERT = `INSERT INTO backoff_budgets (key, state) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`;

/** Stores the text $2 if $3 is there. */
export const POSTGRES_UPDATE = `UPDATE backoff_budgets SET state = $2 WHERE key = $1 AND state = $3`;
