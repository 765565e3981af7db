# A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff.
require_relative "backoff"
require "timeout"

POLICY = Backoff::Policy.parse("full:base=100ms,cap=20s,max_retries=5")
BUDGET = Backoff::Budget.parse("aws-sdk-2026") # one for each server

def now_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

def with_retries(stream)
  operation = Backoff::Operation.new(POLICY, stream, now_ns:, budget: BUDGET)
  (1..).each do |attempt|
    begin
      result, outcome = yield, :success
    rescue => failure
      outcome = failure.is_a?(Timeout::Error) ? :timeout : :permanent
    end
    delay_ns, reason = operation.decide(outcome, now_ns:)
    return result if reason == :success
    raise failure if reason
    puts "attempt #{attempt}: #{outcome}, wait #{delay_ns} ns"
    sleep(delay_ns / 1e9)
  end
ensure
  operation&.cancel # if an interrupt or a throw left the loop; otherwise it has stopped
end

calls = 0
puts with_retries(Backoff.stream(42, "job-1")) { (calls += 1) < 3 ? raise(Timeout::Error) : "ready" }

begin
  Backoff::Policy.parse("full:base=1")
rescue Backoff::Error => error
  puts error.message
end
