//! Generated from stores/redis.lua by `cargo xtask generate`. Do not edit.

/// The text under the key, and the time of the server that has the key.
pub(super) const LOAD: &str = "\
return {redis.call('GET', KEYS[1]), redis.call('TIME')}";

/// Stores the first argument if the second is there, or, without a second, if nothing is.
pub(super) const COMPARE_AND_SWAP: &str = "\
if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1";
