-- A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff.
local backoff = require("backoff")
local ffi = require("ffi")
ffi.cdef([[
  struct timespec { long seconds, nanoseconds; };
  int clock_gettime(int clock, struct timespec *time);
  int nanosleep(const struct timespec *time, struct timespec *left);
]])

local policy = backoff.policy("full:base=100ms,cap=20s,max_retries=5")
local budget = backoff.budget("aws-sdk-2026") -- one for each server

local function now_ns()
  local time = ffi.new("struct timespec")
  ffi.C.clock_gettime(1, time) -- CLOCK_MONOTONIC
  return time.seconds * 1000000000ULL + time.nanoseconds
end

local function sleep(ns) ffi.C.nanosleep(ffi.new("struct timespec", ns / 1000000000, ns % 1000000000), nil) end

-- A failure that says "timeout" is retried.
local function with_retries(stream, call)
  local operation = backoff.operation(policy, stream, now_ns(), nil, budget)
  for attempt = 1, math.huge do
    local ok, result = pcall(call)
    local outcome = ok and "success" or result == "timeout" and "timeout" or "permanent"
    local delay_ns, reason = operation:decide(outcome, now_ns())
    if reason == "success" then return result end
    if reason then error(result, 0) end
    print(("attempt %d: %s, wait %d ns"):format(attempt, outcome, tonumber(delay_ns)))
    sleep(delay_ns)
  end
end

local calls = 0
print(with_retries(backoff.stream(42, "job-1"), function()
  calls = calls + 1
  if calls < 3 then error("timeout", 0) end
  return "ready"
end))

print(select(2, pcall(backoff.policy, "full:base=1")))
