-- The evaluator for `backoff verify -- luajit verify.lua`: answers lines of JSON about what the binding does.
local backoff = require("backoff")
local ffi = require("ffi")
local json = require("json")

local FORMS = { "retry_after", "response", "state", "exchange", "steps", "fit", "preview", "delays" }
local OUTCOMES = { success = true, transient = true, throttled = true, timeout = true, permanent = true }
local MAX_NS = 0x7FFFFFFFFFFFFFFFULL
local MAX = 0xFFFFFFFFFFFFFFFFULL
local not_a_request = {}

local function need(found) return found or error(not_a_request) end
local function object(value) return need(type(value) == "table" and getmetatable(value) ~= json.list) and value end
local function string(value) return need(type(value) == "string") and value end

local function given(value, read, ...)
  if value ~= nil and value ~= json.null then return read(value, ...) end
end

local function whole(value, limit)
  return need(type(value) == "number" and value >= 0 and value <= limit and value % 1 == 0) and value
end

local function digits(value, limit)
  local found = 0ULL
  need(string(value):find("^%d+$"))
  for digit in value:gmatch("%d") do
    digit = tonumber(digit)
    need(found <= (limit - digit) / 10)
    found = found * 10 + digit
  end
  return found
end

local function shown(number) return number and ('"%s"'):format(tostring(number):match("%d+")) or "null" end

-- A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too.
local refused

local function parsed(parse, text, otherwise, of)
  local ok, found = pcall(parse, string(text))
  if ok then return found end
  refused = refused or ('{"error":"%s","at":%d%s}'):format(found.code, found.at, of)
  return parse(otherwise)
end

local function policy_of(request) return parsed(backoff.policy, request.policy, "none", "") end

local function stream_of(request)
  local seed = request.seed == nil and 0ULL or digits(request.seed, MAX)
  return backoff.stream(seed, given(request.key, string))
end

local function delay(request)
  local policy, index = policy_of(request), request.index == nil and 0 or whole(request.index, 0xFFFFFFFF)
  return ('{"canonical":"%s","delay_ns":%s}'):format(policy, shown(policy:delay_ns(stream_of(request), index)))
end

local function step(running, request, policy, stream, budget)
  local number, now_ns = whole(request.operation, 0xFFFFFFFF), digits(request.now, MAX)
  local operation = running[number]
  need((operation == nil) == (request["do"] == "begin"))
  local delay_ns, reason = 0ULL, nil
  if not operation then
    local deadline_ns = given(request.deadline, digits, MAX)
    running[number] = backoff.operation(policy, stream, now_ns, deadline_ns, budget)
    return
  elseif request["do"] == "outcome" then
    need(OUTCOMES[string(request.outcome)])
    delay_ns, reason = operation:decide(request.outcome, now_ns, given(request.retry_after, digits, MAX_NS))
  else
    need(request["do"] == "cancel")
    reason = operation:cancel()
  end
  local found = reason and ('"stop":"%s","delay"'):format(reason) or '"wait"'
  return ('{%s:%s,"retries":%.0f}'):format(found, shown(delay_ns), operation:retries())
end

local function steps(request)
  local policy, stream = policy_of(request), stream_of(request)
  local budget = given(request.budget, function(text) return parsed(backoff.budget, text, "rate", ',"of":"budget"') end)
  local running, answers = {}, {}
  need(getmetatable(request.steps) == json.list)
  for _, one in ipairs(request.steps) do
    answers[#answers + 1] = step(running, object(one), policy, stream, budget)
  end
  local shown_budget = budget and ('"%s"'):format(budget) or "null"
  return ('{"canonical":"%s","budget":%s,"answers":[%s]}'):format(policy, shown_budget, table.concat(answers, ","))
end

local function retry_after(asked)
  local found = backoff.parse_retry_after(string(asked.value), digits(asked.now, MAX_NS))
  return ('{"retry_after":%s}'):format(shown(found))
end

local function response(asked)
  local C, wait = backoff.C, ffi.new("uint64_t[1]")
  local status, fields, now_ns = whole(asked.status, 0xFFFF), string(asked.fields), digits(asked.now, MAX_NS)
  local found = C.backoff_http_retry_after(status, fields, #fields, now_ns, wait) == C.BACKOFF_OK and wait[0]
  local outcome = ffi.string(C.backoff_outcome_name(C.backoff_http_outcome(status)))
  return ('{"outcome":"%s","retry_after":%s}'):format(outcome, shown(found))
end

local function answer(line)
  local request = object(json.read(line))
  refused = nil
  for _, form in ipairs(FORMS) do
    if request[form] ~= nil then
      if form == "retry_after" then return retry_after(object(request[form])) end
      if form == "response" then return response(object(request[form])) end
      return form == "steps" and steps(request) or '{"unsupported":true}'
    end
  end
  return delay(request)
end

-- A last line may have no line feed. io.lines ends a line at a zero byte.
for line in io.read("*a"):gsub("([^\n])$", "%1\n"):gmatch("([^\n]*)\n") do
  local ok, found = pcall(answer, line)
  print(ok and (refused or found) or '{"error":"not_a_request","at":0}')
end
