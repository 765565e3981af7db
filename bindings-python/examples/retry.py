"""Retries a call, with a stream of its own for each job, and prints what it waits."""

import time
from collections.abc import Callable
from itertools import islice

from backoff_rs import Backoff, Policy, Stream

POLICY = Policy("exponential", base=0.1, cap=20, jitter="full")


def retry(
    call: Callable[[], str],
    job: str,
    retries: int = 5,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """What the call returns, after at most so many retries."""
    for delay in islice(Backoff(POLICY, Stream(42, job)), retries):
        try:
            return call()
        except OSError as error:
            print(f"{job}: {error}, waiting {delay:.9f} s")
            sleep(delay)
    return call()


if __name__ == "__main__":
    failures = iter(["refused", "reset", "timed out"])

    def call() -> str:
        for failure in failures:
            raise ConnectionError(failure)
        return "done"

    print(retry(call, "job-1"))
