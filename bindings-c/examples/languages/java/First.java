// A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff.
final Backoff.Policy policy = Backoff.Policy.parse("full:base=100ms,cap=20s,max_retries=5");
final Backoff.Budget budget = Backoff.Budget.parse("aws-sdk-2026"); // one for each server
final long start = System.nanoTime(); // it may be negative

long now() { return System.nanoTime() - start; }

<T> T withRetries(long stream, Callable<T> call) throws Exception {
    // Its close cancels the operation if an exception left the loop; otherwise it has stopped.
    try (var operation = new Backoff.Operation(policy, stream, now(), OptionalLong.empty(), budget)) {
        for (int attempt = 1;; attempt++) {
            T result = null;
            Exception failure = null;
            var outcome = Backoff.Outcome.SUCCESS;
            try {
                result = call.call();
            } catch (Exception thrown) {
                failure = thrown;
                outcome = thrown instanceof TimeoutException ? Backoff.Outcome.TIMEOUT : Backoff.Outcome.PERMANENT;
            }
            var decision = operation.decide(outcome, now(), OptionalLong.empty());
            if (decision.reason() == Backoff.Reason.SUCCESS) return result;
            if (decision.reason() != Backoff.Reason.NONE) throw failure;
            IO.println("attempt " + attempt + ": " + outcome.name().toLowerCase() + ", wait " + decision.delayNs() + " ns");
            TimeUnit.NANOSECONDS.sleep(decision.delayNs());
        }
    }
}

int calls;

String flaky() throws TimeoutException {
    if (++calls < 3) throw new TimeoutException();
    return "ready";
}

void main() throws Exception {
    IO.println(withRetries(Backoff.stream(42, "job-1"), this::flaky));
    try {
        Backoff.Policy.parse("full:base=1");
    } catch (Backoff.BackoffException failure) {
        IO.println(failure.getMessage());
    }
}
