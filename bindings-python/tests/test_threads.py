"""Threads may share everything."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Barrier

import pytest
from backoff_rs import Backoff, Policy, Stream

THREADS, EACH = 8, 5_000
POLICY = Policy("exponential", base=1, cap=600, jitter="decorrelated")
STREAM = Stream(42, "job-1")


@pytest.fixture(autouse=True)
def _switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work):
    """The results of as many threads that start together."""
    barrier = Barrier(THREADS)

    def run():
        barrier.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(run) for _ in range(THREADS)]]


def test_each_delay_is_given_out_once():
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


def test_a_policy_is_shared():
    expected = POLICY.delays(STREAM, 50)
    taken = at_once(lambda: [POLICY.delay(STREAM, index) for index in range(50)])
    assert taken == [expected] * THREADS
