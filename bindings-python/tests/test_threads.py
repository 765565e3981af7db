"""Threads may share every object."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Barrier

import pytest
from backoff_rs import Backoff, Operation, Policy, RandomStream, StopReason

THREADS, EACH = 8, 5_000
POLICY = Policy("exponential", base=1, cap=600, jitter="decorrelated")
STREAM = RandomStream(42, "job-1")


@pytest.fixture(autouse=True)
def _switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work):
    """The results of the function in threads that start together."""
    barrier = Barrier(THREADS)

    def run():
        barrier.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(run) for _ in range(THREADS)]]


def test_each_delay_is_returned_once():
    backoff = Backoff(POLICY, STREAM)
    taken = at_once(lambda: [next(backoff) for _ in range(EACH)])
    assert sorted(chain.from_iterable(taken)) == sorted(POLICY.delays(STREAM, THREADS * EACH))
    assert backoff.index == THREADS * EACH


def test_a_reset_loses_no_draw():
    backoff = Backoff(POLICY, STREAM)

    def work():
        for _ in range(EACH):
            next(backoff)
            backoff.reset()

    at_once(work)
    backoff.reset()
    taken = Backoff(POLICY, STREAM)
    for _ in range(THREADS * EACH):
        next(taken)
    taken.reset()
    assert backoff.stream == taken.stream


def operation(budget, policy=POLICY):
    return Operation(policy, STREAM, now_ns=0, budget=budget)


def test_an_operation_grants_each_wait_once():
    shared = operation(None, Policy("constant", base=1, max_retries=1000))
    taken = at_once(lambda: [shared.decide("timeout", now_ns=0).delay_ns for _ in range(EACH)])
    assert sum(chain.from_iterable(taken)) == 1000 * 10**9
    assert (shared.retries, shared.reason) == (1000, StopReason.MAX_RETRIES)


def test_a_preview_yields_each_row_once():
    rows = POLICY.preview(4000)
    taken = at_once(lambda: list(rows))
    assert sum(map(len, taken)) == 4000
    assert {row for thread in taken for row in thread} == set(POLICY.preview(4000))
