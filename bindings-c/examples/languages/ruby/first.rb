# A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff.
require_relative "backoff"
require "timeout"

POLICY = Backoff::Policy.parse("full:base=100ms,cap=20s,max_retries=5")
BUDGET = Backoff::Budget.parse("aws-sdk-2026") # one for each server

def now_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

def with_retries(stream)
  operation = Backoff::Operation.new(POLICY, stream, now_ns: now_ns, budget: BUDGET)
  (1..).each do |attempt|
    begin
      result, outcome = yield, :success
    rescue Timeout::Error => failure
      outcome = :timeout
    end
    decision = operation.decide(outcome, now_ns: now_ns)
    return result if decision.reason == :success
    raise failure if decision.reason
    puts "attempt #{attempt}: #{outcome}, wait #{decision.delay_ns} ns"
    sleep(decision.delay_ns / 1e9)
  end
ensure
  operation&.cancel # for every other way out of this loop: a failure that is not retried, an interrupt
end

calls = 0
puts with_retries(Backoff.stream(42, "job-1")) { (calls += 1) < 3 ? raise(Timeout::Error) : "ready" }

begin
  Backoff::Policy.parse("full:base=1")
rescue Backoff::Error => error
  puts error.message
end
