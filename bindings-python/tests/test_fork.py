"""A forked child has random streams and counts of its own."""

import json
import os
import signal
import threading

import loops
import pytest
from backoff_rs import Backoff, Policy, RandomStream, set_defaults
from backoff_rs.testing import fake_time

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


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_process_whose_other_thread_sets_defaults():
    inside, go_on = threading.Event(), threading.Event()

    class Slow:
        def __index__(self):
            inside.set()
            go_on.wait()
            return 1

    def change():
        signal.alarm(60)
        with set_defaults(enabled=False), fake_time():
            return "changed"

    def set_and_restore():
        set_defaults(max_retries=Slow()).restore()

    thread = threading.Thread(target=set_and_restore)
    thread.start()
    inside.wait()
    try:
        assert in_child(change) == "changed"
    finally:
        go_on.set()
        thread.join()
