# The evaluator for `backoff verify -- ruby verify.rb`: answers lines of JSON about what the binding does.
require_relative "backoff"
require "json"

NotARequest = Class.new(StandardError)
FORMS = %w[retry_after response state exchange steps fit preview delays]
MAX_NS = 2**63 - 1

def need(holds) = holds || raise(NotARequest)
def object(value) = need(value.is_a?(Hash)) && value
def string(value) = need(value.is_a?(String)) && value
def whole(value, limit) = need(value.is_a?(Numeric) && value.between?(0, limit) && value.to_i == value) && value.to_i

def digits(value, limit = 2**64 - 1)
  need(string(value).match?(/\A[0-9]+\z/) && value.to_i <= limit)
  value.to_i
end

def given(value) = value.nil? ? nil : yield(value)

# Ruby's reader also takes comments, unknown escapes and halves of surrogate pairs, which are no JSON.
def read(line)
  need(line.force_encoding("UTF-8").valid_encoding?)
  need(!line.gsub(/"([^"\\]|\\["\\\/bfnrtu])*"/, "").match?(%r{[/"]}))
  request = JSON.parse(line)
  need(JSON.generate(request).valid_encoding?)
  object(request)
rescue JSON::ParserError, JSON::GeneratorError
  raise NotARequest
end

# A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too.
def parsed(kind, text, otherwise, refusals, **of)
  kind.parse(string(text))
rescue Backoff::Error => error
  refusals << { error: error.code, at: error.at, **of }
  kind.parse(otherwise)
end

def policy(request, refusals) = parsed(Backoff::Policy, request["policy"], "none", refusals)
def stream(request) = Backoff.stream(digits(request.fetch("seed", "0")), given(request["key"]) { |key| string(key) })

def delay(request, refusals)
  policy = policy(request, refusals)
  delay_ns = policy.delay_ns(stream(request), whole(request.fetch("index", 0), 2**32 - 1))
  { canonical: policy.to_s, delay_ns: delay_ns.to_s }
end

def steps(request, refusals)
  policy, stream = policy(request, refusals), stream(request)
  budget = given(request["budget"]) { |text| parsed(Backoff::Budget, text, "rate", refusals, of: "budget") }
  running = {}
  need(request["steps"].is_a?(Array))
  answers = request["steps"].filter_map { |step| step(object(step), running, policy, stream, budget) }
  { canonical: policy.to_s, budget: budget&.to_s, answers: }
end

def step(step, running, policy, stream, budget)
  number, now_ns = whole(step["operation"], 2**32 - 1), digits(step["now"])
  operation = running[number]
  need(operation.nil? == (step["do"] == "begin"))
  case step["do"]
  when "begin"
    deadline_ns = given(step["deadline"]) { |time| digits(time) }
    running[number] = Backoff::Operation.new(policy, stream, now_ns:, deadline_ns:, budget:)
    return
  when "outcome"
    need(%w[success transient throttled timeout permanent].include?(step["outcome"]))
    retry_after_ns = given(step["retry_after"]) { |time| digits(time, MAX_NS) }
    delay_ns, reason = operation.decide(step["outcome"], now_ns:, retry_after_ns:)
  when "cancel" then delay_ns, reason = 0, operation.cancel
  else raise NotARequest
  end
  delay = delay_ns.to_s
  { **(reason ? { stop: reason, delay: } : { wait: delay }), retries: operation.retries }
end

def retry_after(asked)
  { retry_after: Backoff.parse_retry_after(string(asked["value"]), digits(asked["now"], MAX_NS))&.to_s }
end

def response(asked)
  status, fields, now_ns = whole(asked["status"], 2**16 - 1), string(asked["fields"]), digits(asked["now"], MAX_NS)
  outcome = Backoff::C.backoff_outcome_name(Backoff::C.backoff_http_outcome(status)).to_s
  { outcome:, retry_after: Backoff::C.number(:http_retry_after, status, fields, fields.bytesize, now_ns).to_s }
rescue Backoff::Error
  { outcome:, retry_after: nil }
end

def answer(line)
  request, refusals = read(line), []
  answer = case form = FORMS.find { |name| request.key?(name) }
    when nil then delay(request, refusals)
    when "steps" then steps(request, refusals)
    when "retry_after", "response" then send(form, object(request[form]))
    else { unsupported: true }
    end
  refusals.first || answer
rescue NotARequest
  { error: "not_a_request", at: 0 }
end

$stdin.binmode.each_line { |line| puts JSON.generate(answer(line)) }
