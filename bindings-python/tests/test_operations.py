"""Operations at the ends of what a duration can be (SPEC 13.4), and dropped ones."""

import gc
import subprocess
import sys
import threading
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import Budget, Decision, Operation, Policy, RandomStream, StopReason
from jobs import BUDGET, is_idle


@pytest.mark.parametrize("negative", [
    -1, -0.5, Decimal("-0.1"), Fraction(-1, 3), timedelta(seconds=-1), -(10**400),
], ids=repr)  # fmt: skip
def test_a_negative_retry_after_is_0(negative):
    """Like a date in the past."""
    policy = Policy("constant", base=1, retry_after="exact")
    operation = Operation(policy, RandomStream(42), now_ns=0)
    assert operation.decide("timeout", now_ns=0, retry_after=negative).delay_ns == 0


LONGEST = Fraction(2**63 - 1, 10**9)


def test_without_a_limit_the_longest_wait_is_waited():
    """Also after time has passed."""
    for policy in [
        Policy("constant", base=LONGEST),
        Policy("constant", base=LONGEST, max_elapsed=LONGEST),
    ]:
        operation = Operation(policy, RandomStream(42), now_ns=1)
        for now_ns in [2, 2**63 + 1, 2**64 - 1]:
            assert operation.decide("timeout", now_ns=now_ns) == Decision(2**63 - 1)
    limit = LONGEST - Fraction(1, 10**9)
    limited = Operation(
        Policy("constant", base=limit, max_elapsed=limit), RandomStream(42), now_ns=1
    )
    assert limited.decide("timeout", now_ns=1)
    assert limited.decide("timeout", now_ns=2).reason is StopReason.MAX_ELAPSED


def in_a_retry(budget):
    """An operation that holds the one retry of the budget."""
    operation = Operation(Policy("constant", base=1), RandomStream(1), now_ns=0, budget=budget)
    assert operation.decide("transient", now_ns=0)
    return operation


def test_a_dropped_operation_gives_back_its_share():
    budget = Budget.parse(BUDGET)
    operation = in_a_retry(budget)
    assert not is_idle(budget)
    del operation
    gc.collect()
    assert is_idle(budget)


def test_an_operation_in_a_cycle_gives_back_its_share():
    class Job:
        pass

    budget, job = Budget.parse(BUDGET), Job()
    job.itself, job.operation = job, in_a_retry(budget)
    gc.collect()
    assert not is_idle(budget)
    del job
    gc.collect()
    assert is_idle(budget)


@pytest.mark.parametrize("end", ["success", "cancel"])
def test_a_dropped_operation_that_has_stopped_gives_back_nothing_more(end):
    budget = Budget.parse(BUDGET)
    stopped = in_a_retry(budget)
    if end == "cancel":
        stopped.cancel()
    else:
        stopped.decide("success", now_ns=0)
    other = in_a_retry(budget)
    del stopped
    gc.collect()
    assert not is_idle(budget)
    assert other.reason is None


def test_operations_are_dropped_in_any_thread():
    """Also the last reference to their budget."""
    budget = Budget.parse(BUDGET)

    def work():
        for _ in range(500):
            Operation(Policy("constant", base=1), RandomStream(1), now_ns=0, budget=budget).decide(
                "transient", now_ns=0
            )
            in_a_retry(Budget.parse(BUDGET))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert is_idle(budget)


def test_an_operation_that_the_interpreter_frees_at_its_end():
    program = """
import threading, time
from backoff_rs import Budget, Operation, Policy, RandomStream

budget = Budget.parse("concurrent:ratio=0,min_concurrent=1")
policy = Policy("constant", base=1)
class Job: pass
job = Job()
job.itself = job
job.operation = Operation(policy, RandomStream(1), now_ns=0, budget=budget)
job.operation.decide("transient", now_ns=0)

def work():
    while True:
        Operation(policy, RandomStream(1), now_ns=0, budget=budget).decide("timeout", now_ns=0)

threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
"""
    command = [sys.executable, "-X", "dev", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
