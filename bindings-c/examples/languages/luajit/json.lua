-- Reads JSON (RFC 8259), and nothing else. `null` and the metatable `list` are for what Lua has no word for.
local json = { null = {}, list = {} }
local words = { ["true"] = true, ["false"] = false, null = json.null }
local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

-- The sequences of more than one byte in UTF-8.
local sequences = {
  "[\194-\223][\128-\191]", "\224[\160-\191][\128-\191]", "[\225-\236\238\239][\128-\191][\128-\191]",
  "\237[\128-\159][\128-\191]", "\240[\144-\191][\128-\191][\128-\191]",
  "[\241-\243][\128-\191][\128-\191][\128-\191]", "\244[\128-\143][\128-\191][\128-\191]",
}

local function is_utf8(text)
  for _, sequence in ipairs(sequences) do text = text:gsub(sequence, "?") end
  return not text:find("[\128-\255]")
end

local function utf8(point)
  if point < 0x80 then return string.char(point) end
  local bytes, count = "", point < 0x800 and 1 or point < 0x10000 and 2 or 3
  for _ = 1, count do
    bytes, point = string.char(0x80 + point % 64) .. bytes, math.floor(point / 64)
  end
  return string.char(({ 0xC0, 0xE0, 0xF0 })[count] + point) .. bytes
end

local text, at -- what is read, and where; between tokens no white space is there

local function need(found) return found or error("not JSON", 0) end

local function skip(to) at = text:find("[^ \t\r\n]", to) or #text + 1 end

local function take(pattern)
  local from, to = text:find("^" .. pattern, at)
  if from then skip(to + 1) end
  return from and text:sub(from, to)
end

local function escaped()
  local hex = text:match("^\\u(%x%x%x%x)", at)
  if not hex then
    at = at + 2
    return need(escapes[text:sub(at - 1, at - 1)])
  end
  local point = tonumber(hex, 16)
  at = at + 6
  if point < 0xD800 or point > 0xDFFF then return utf8(point) end
  local low = tonumber(need(text:match("^\\u([dD][c-fC-F]%x%x)", at)), 16)
  at = at + 6
  need(point < 0xDC00)
  return utf8(0x10000 + (point - 0xD800) * 0x400 + low - 0xDC00)
end

local function quoted()
  local parts = {}
  at = at + 1
  while text:sub(at, at) ~= '"' do
    local plain = text:match('^[^"\\%z\1-\31]+', at)
    need(plain or text:sub(at, at) == "\\")
    at = at + (plain and #plain or 0)
    parts[#parts + 1] = plain or escaped()
  end
  skip(at + 1)
  return table.concat(parts)
end

local value

local function items(close, each)
  if take(close) then return end
  repeat each() until not take(",")
  need(take(close))
end

local function object()
  local found = {}
  items("}", function()
    local name = need(text:sub(at, at) == '"') and quoted()
    need(take(":"))
    found[name] = value()
  end)
  return found
end

local function list()
  local found = setmetatable({}, json.list)
  items("]", function() found[#found + 1] = value() end)
  return found
end

local function number()
  local from, to = text:find("^-?%d+", at)
  need(from and not text:find("^-?0%d", at))
  to = select(2, text:find("^%.%d+", to + 1)) or to
  to = select(2, text:find("^[eE][+-]?%d+", to + 1)) or to
  skip(to + 1)
  return tonumber(text:sub(from, to))
end

function value()
  if text:sub(at, at) == '"' then return quoted() end
  if take("{") then return object() end
  if take("%[") then return list() end
  local word = take("%l+")
  if word then
    need(words[word] ~= nil)
    return words[word]
  end
  return number()
end

-- The value of a line. Fails if it is not JSON.
function json.read(line)
  text = line
  need(is_utf8(line))
  skip(1)
  local found = value()
  need(at > #line)
  return found
end

return json
