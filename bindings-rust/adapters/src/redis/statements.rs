//! Generated from stores/redis.lua by `cargo xtask generate`. Do not edit.

/// The text under the key, and the time of the server that has the key.
pub(super) const LOAD: &str = "\
return {redis.call('GET', KEYS[1]), redis.call('TIME')}";

/// Stores argument 1 if the key holds argument 2, or nothing if there is none. Errors keep their code.
pub(super) const COMPARE_AND_SWAP: &str = "\
if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
local set = redis.pcall('SET', KEYS[1], ARGV[1])
if set.err then return redis.error_reply(set.err:match('%-(%u.*)') or set.err) end
return 1";
