-- Retries with exponential backoff and jitter: libbackoff through the FFI of LuaJIT. Times are nanoseconds.
local ffi = require("ffi")
local prefix = os.getenv("BACKOFF_PREFIX") or "/usr/local"
ffi.cdef(assert(io.open(prefix .. "/share/backoff/backoff.ffi.h")):read("*a"))
local C = ffi.load(prefix .. "/lib/libbackoff.so")
local backoff = { C = C }
local out = ffi.new("uint64_t[1]") -- where functions write a number

-- An error of the library: its message, its code, such as "missing_unit", and the place in the text.
local Error = { __tostring = function(self) return self.message end }

local function text(print, struct)
  local buffer = ffi.new("char[?]", C.BACKOFF_TEXT_SIZE)
  assert(print(struct, buffer, C.BACKOFF_TEXT_SIZE, out) == C.BACKOFF_OK)
  return ffi.string(buffer, out[0])
end

-- A function without an argument `error` says nothing but the code.
local function check(code, details)
  if code == C.BACKOFF_OK then return end
  details = details or ffi.new("backoff_error", { code = code })
  local message, name = text(C.backoff_error_message, details), ffi.string(C.backoff_code_name(code))
  error(setmetatable({ message = message, code = name, at = tonumber(details.at) }, Error))
end

check(C.backoff_constant("BACKOFF_NO_TIME", 15, out))
local NO_TIME = out[0]

-- The stream of a seed and a key. Without a key it is the seed.
function backoff.stream(seed, key)
  if not key then return seed end
  check(C.backoff_stream_from_key(seed, key, #key, out))
  return out[0]
end

function backoff.stream_from_entropy()
  check(C.backoff_stream_from_entropy(out))
  return out[0]
end

-- The time that a Retry-After asks for, or nil. `now_ns` is the time since 1970.
function backoff.parse_retry_after(value, now_ns)
  return C.backoff_parse_retry_after(value, #value, now_ns, out) == C.BACKOFF_OK and out[0] or nil
end

local function parsed(parse, type, string)
  local struct, details = ffi.new(type), ffi.new("backoff_error")
  check(parse(struct, string, #string, details), details)
  return struct
end

-- How retries are spaced.
function backoff.policy(string) return parsed(C.backoff_policy_parse, "backoff_policy", string) end
local Policy = {}
function Policy:delay_ns(stream, index)
  assert(index >= 0 and index < 2 ^ 32, "an index is from 0 to 2^32 - 1") -- the FFI would cut it
  check(C.backoff_policy_delay_ns(self, stream, index, out))
  return out[0]
end
ffi.metatype("backoff_policy", {
  __index = Policy,
  __tostring = function(self) return text(C.backoff_policy_print, self) end,
})

-- What limits the retries of all operations with one server.
function backoff.budget(string) return parsed(C.backoff_budget_parse, "backoff_budget", string) end
ffi.metatype("backoff_budget", { __tostring = function(self) return text(C.backoff_budget_print, self) end })

-- A call with its retries.
local Operation = {}
Operation.__index = Operation

function backoff.operation(policy, stream, now_ns, deadline_ns, budget)
  local self = setmetatable({ struct = ffi.new("backoff_operation"), budget = budget }, Operation)
  check(C.backoff_operation_begin(self.struct, policy, stream, now_ns, deadline_ns or NO_TIME, budget))
  return self
end

-- The outcome is "success", "transient", "throttled", "timeout" or "permanent". Returns a delay, and a reason if the
-- operation stops.
function Operation:decide(outcome, now_ns, retry_after_ns)
  local decision, number = ffi.new("backoff_decision"), C.backoff_outcome_from_name(outcome, #outcome)
  check(C.backoff_operation_decide(self.struct, number, retry_after_ns or NO_TIME, now_ns, self.budget, decision))
  local is_stop = decision.reason ~= C.BACKOFF_REASON_NONE
  return decision.delay_ns, is_stop and ffi.string(C.backoff_reason_name(decision.reason)) or nil
end

-- Ends the operation, unless it has stopped. Returns the reason.
function Operation:cancel()
  local reason = ffi.new("backoff_reason[1]")
  check(C.backoff_operation_cancel(self.struct, self.budget, reason))
  return ffi.string(C.backoff_reason_name(reason[0]))
end

function Operation:retries()
  check(C.backoff_operation_state(self.struct, out, nil, nil))
  return tonumber(out[0])
end

return backoff
