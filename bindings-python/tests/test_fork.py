"""A forked child has random streams and counts of its own."""

import json
import os

import loops
import pytest
from backoff_rs import Backoff, Budget, Operation, Policy, RandomStream, RetryStats

POLICIES = [
    Policy("exponential", base=1, cap=600, jitter="full"),
    Policy("exponential", base=1, cap=600, jitter="decorrelated"),
]


def in_child(function):
    """The result of a function in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, json.dumps(function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.jitter)
def test_a_child_draws_a_new_stream(policy):
    backoff = Backoff(policy)
    for _ in range(3):
        next(backoff)
    parent = backoff.stream

    def go_on():
        delay = backoff.next_ns()
        return backoff.stream.state, backoff.index, delay

    children = [in_child(go_on) for _ in range(3)]
    states = {state for state, _, _ in children}
    assert len(states | {parent.state}) == 4
    for state, index, delay in children:
        assert index == 4
        assert delay == policy.delay_ns(RandomStream(state), 3)
    assert (backoff.stream, backoff.index) == (parent, 3)
    assert backoff.next_ns() == policy.delay_ns(parent, 3)


@pytest.mark.parametrize(
    "first",
    [next, Backoff.next_ns, Backoff.reset, lambda b: b.index, lambda b: b.stream, repr],
    ids=["next", "next_ns", "reset", "index", "stream", "repr"],
)
def test_a_child_draws_whatever_it_does_first(first):
    backoff = Backoff(POLICIES[0])
    parent = backoff.stream.state

    def states():
        first(backoff)
        return [backoff.stream.state, backoff.stream.state]

    once, again = in_child(states)
    assert once == again
    assert once != parent


def test_a_grandchild_draws_a_new_stream():
    backoff = Backoff(POLICIES[0])

    def child():
        mine = backoff.stream.state
        born_here = Backoff(POLICIES[0])
        return [
            mine,
            in_child(lambda: backoff.stream.state),
            born_here.stream.state,
            in_child(lambda: born_here.stream.state),
        ]

    assert len({backoff.stream.state, *in_child(child)}) == 5


def test_a_stream_of_the_caller_is_kept():
    for stream in (RandomStream(42, "job-1"), RandomStream.from_entropy()):
        backoff = Backoff(POLICIES[0], stream)
        assert in_child(lambda b=backoff: [b.next_ns(), b.stream.state]) == [
            POLICIES[0].delay_ns(stream, 0),
            stream.state,
        ]


def test_loops_of_a_child_have_streams_of_their_own():
    def waits():
        slept, script = [], loops.Script(*[ConnectionError()] * 3, "done")
        loops.called(script, on=ConnectionError, log=False, sleep=slept.append)
        return slept

    before = waits()
    children = [in_child(waits) for _ in range(3)]
    assert len(set(map(tuple, [before, *children, waits()]))) == 5


def test_a_child_continues_with_its_own_copy_of_a_budget():
    budget = Budget.parse("quota:max_tokens=3,cost=1")

    def granted(retries):
        operation = Operation(POLICIES[0], RandomStream(42), now_ns=0, budget=budget)
        return [bool(operation.decide("transient", now_ns=0)) for _ in range(retries)]

    assert granted(1) == [True]
    assert [in_child(lambda: granted(3)) for _ in range(2)] == [[True, True, False]] * 2
    assert granted(3) == [True, True, False]
    assert in_child(lambda: granted(1)) == [False]


def test_an_operation_continues_in_both_processes():
    operation = Operation(Policy("constant", base=1, max_retries=2), RandomStream(42), now_ns=0)
    assert operation.decide("transient", now_ns=0)

    def go_on():
        decisions = [operation.decide("transient", now_ns=0) for _ in range(2)]
        return [decision.reason for decision in decisions] + [operation.attempts]

    assert in_child(go_on) == [None, "max_retries", 3]
    assert go_on() == [None, "max_retries", 3]


def test_a_child_continues_with_its_own_copy_of_stats():
    stats = RetryStats()
    stats.record(3, "success")

    def record():
        stats.record(2, "budget")
        return stats.operations, stats.attempts, stats.retries, stats.stops["budget"]

    assert [in_child(record) for _ in range(2)] == [[2, 5, 3, 1]] * 2
    assert (stats.operations, stats.attempts, stats.stops["budget"]) == (1, 3, 0)
    assert record() == (2, 5, 3, 1)
