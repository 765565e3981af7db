-- load: The text under the key, and the time of the server that has the key
return {redis.call('GET', KEYS[1]), redis.call('TIME')}
-- compare_and_swap: Stores argument 1 if the key holds argument 2, or nothing if there is none. Errors keep their code
if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
local set = redis.pcall('SET', KEYS[1], ARGV[1])
if set.err then return redis.error_reply(set.err:match('%-(%u.*)') or set.err) end
return 1
