"""A retry loop by hand: each job has a stream of its own, and all jobs share a budget."""

import time
from collections.abc import Callable

from backoff_rs import Budget, Operation, Outcome, Policy, RandomStream, RetryStats

POLICY = Policy.parse("full:base=100ms,cap=20s,max_retries=5,max_elapsed=1m")
BUDGET = Budget.parse("aws-sdk-2026")
STATS = RetryStats()


def outcome_of(error: OSError) -> Outcome:
    """How a failed attempt ended."""
    if isinstance(error, TimeoutError):
        return Outcome.TIMEOUT
    return Outcome.TRANSIENT if isinstance(error, ConnectionError) else Outcome.PERMANENT


def retry(
    call: Callable[[], str],
    job: str,
    sleep: Callable[[float], None] = time.sleep,
    now_ns: Callable[[], int] = time.monotonic_ns,
) -> str:
    """Makes the call with retries, and returns its result."""
    operation = Operation(POLICY, RandomStream(42, job), now_ns=now_ns(), budget=BUDGET)
    try:
        while True:
            try:
                result = call()
            except OSError as error:
                decision = operation.decide(outcome_of(error), now_ns=now_ns())
                if not decision:
                    print(f"{job}: {error}, stopping: {decision.reason}")
                    raise
                print(f"{job}: {error}, waiting {decision.delay:.9f} s")
                sleep(decision.delay)
            else:
                operation.decide(Outcome.SUCCESS, now_ns=now_ns())
                return result
    finally:
        # If something else ended it, such as Ctrl-C, the budget gets back what it holds.
        STATS.record(operation.attempts, operation.cancel())


if __name__ == "__main__":
    failures = iter(["refused", "reset", "broken"])

    def call() -> str:
        for failure in failures:
            raise ConnectionError(failure)
        return "done"

    print(retry(call, "job-1"))
    print(STATS)
