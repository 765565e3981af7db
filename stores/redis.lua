-- load: The text under the key, and the time of the server that has the key
return {redis.call('GET', KEYS[1]), redis.call('TIME')}
-- compare_and_swap: Stores the first argument if the second is there, or, without a second, if nothing is
if redis.call('GET', KEYS[1]) ~= (ARGV[2] or false) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1
