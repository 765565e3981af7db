"""Iterators end at max_retries, and have no end without it (SPEC 9.1, 16.4)."""

import operator
from array import array
from itertools import islice

import pytest
from backoff_rs import Backoff, Policy, RandomStream


def test_an_iterator_ends_at_max_retries():
    """In a `for` loop; max_elapsed does not concern it."""
    policy = Policy("constant", base=1, max_retries=3, max_elapsed=2)
    backoff = Backoff(policy)
    assert [*backoff] == [1.0] * 3
    assert [*backoff] == []
    for _ in range(2):
        with pytest.raises(StopIteration):
            backoff.next_ns()
    assert backoff.index == 3
    backoff.reset()
    assert (backoff.index, backoff.next_ns(), [*backoff]) == (0, 10**9, [1.0, 1.0])
    assert [*Backoff(Policy("constant", base=1, max_retries=0))] == []
    assert [*Backoff(Policy("constant", base=1, max_attempts=2))] == [1.0]


def test_no_limit_has_no_end():
    """Only islice cuts it: no hint makes a list allocate room for 2^32 delays."""
    backoff = Backoff(Policy("constant", base=1, max_elapsed=2))
    assert [*islice(backoff, 10)] == [1.0] * 10
    assert operator.length_hint(backoff) == 0
    rows = Policy("constant", base=1).preview()
    assert len([*islice(rows, 1000)]) == 1000
    assert operator.length_hint(rows) == 0


def test_batches_and_random_access_have_no_limit():
    policy, stream = Policy("constant", base=1, max_retries=1), RandomStream(1)
    assert policy.delays(stream, 3) == [1.0] * 3
    assert policy.fill_ns(stream, array("Q", [0] * 4)) == 4
    assert policy.delay(stream, 2**32 - 1) == 1.0
