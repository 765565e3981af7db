// Code generated from stores/redis.lua by cargo xtask generate. DO NOT EDIT.

package backoffredis

// loadText: The text under the key, and the time of the server that has the key.
const loadText = `return {redis.call('GET', KEYS[1]), redis.call('TIME')}`

// compareAndSwapText: Stores argument 1 if the key holds argument 2, or nothing if there is none. Errors keep their code.
const compareAndSwapText = `if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
local set = redis.pcall('SET', KEYS[1], ARGV[1])
if set.err then return redis.error_reply(set.err:match('%-(%u.*)') or set.err) end
return 1`
