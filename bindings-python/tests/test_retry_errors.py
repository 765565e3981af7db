"""Exceptions of hooks, predicates and sleeps end a loop, and no failure is lost (SPEC 18.6)."""

import asyncio
import gc
import math
import pickle
import weakref
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import loops
import pytest
from backoff_rs import (
    Outcome,
    PolicyError,
    RetryError,
    RetryEvent,
    RetryStats,
    Verdict,
    permanent,
    retry_after,
    retrying,
)
from jobs import REFUSED, RESET, Job, run, stops


@pytest.fixture(params=loops.FORMS)
def form(request, time):
    return loops.FORMS[request.param]


@pytest.mark.parametrize(
    ("result", "raised"),
    [
        (lambda: Verdict("slow"), PolicyError),
        (lambda: Verdict("timeout", retry_after="1"), TypeError),
    ],
    ids=["outcome", "text"],
)
def test_an_invalid_result_of_a_predicate(form, time, result, raised):
    """The real failure is the context of what is raised, which has no note of the extension."""
    stats, script = RetryStats(), loops.Script(RESET, "done")
    with pytest.raises(raised) as error:
        run(form, script, stats=stats, on=lambda _: result())
    assert (script.calls, stops(stats)) == (1, {"cancelled": 1})
    assert error.value.__context__ is RESET
    assert not hasattr(error.value, "__notes__")


@pytest.mark.parametrize(
    ("delay", "slept"),
    [
        # In the past.
        *((delay, 0.0) for delay in (-1, -0.5, Fraction(-1, 3), timedelta(seconds=-1), -math.inf)),
        *((delay, 0.0) for delay in (1e-12, Decimal("1e-12"))),
        # The longest that the policy allows, and no wait.
        *[(math.inf, 3600.0), (Decimal("inf"), 3600.0), (math.nan, 1.0), (Decimal("sNaN"), 1.0)],
    ],
)
def test_a_strange_retry_after_loses_no_failure(form, time, delay, slept):
    script = loops.Script(retry_after(ValueError(), delay), "done")
    assert run(form, script, policy="constant:base=1s,retry_after=exact") == "done"
    assert time.slept == [slept]


@pytest.mark.parametrize("mark", [permanent, retry_after])
@pytest.mark.parametrize(
    ("thing", "what"),
    [(ConnectionError, "the class ConnectionError"), ("x", "str"), (None, "NoneType")],
)
def test_only_exception_instances_are_marked(mark, thing, what):
    with pytest.raises(
        TypeError, match=rf"^(permanent|retry_after) takes an .*instance, not {what}$"
    ):
        mark(thing)


@pytest.mark.parametrize("what", ["on_retry", "sleep"])
@pytest.mark.parametrize("shared", [False, True], ids=["own", "shared"])
def test_the_last_failure_comes_after_the_contexts_of_what_is_raised(what, shared):
    root, last, middle, raised = KeyError("root"), ConnectionError("last"), KeyError(), KeyError()
    raised.__context__ = middle
    last.__context__ = root
    middle.__context__ = root if shared else None

    def broken(_argument):
        raise raised

    with pytest.raises(KeyError):
        retrying(**Job().options | {what: broken}).call(loops.Script(last))
    assert raised.__context__ is middle
    assert middle.__context__ is last
    assert last.__context__ is root


@dataclass(frozen=True)
class Frozen(Exception):
    """An exception that refuses attributes, such as its context."""

    part: int = 0


@pytest.mark.parametrize("hook", ["on", "on_retry", "on_stop", "sleep", "clock_ns"])
@pytest.mark.parametrize("raised", [Frozen, KeyError, StopIteration, StopAsyncIteration])
def test_no_failure_is_lost(form, hook, raised):
    """Whatever a function of the caller raises, and whatever its class."""
    last, readings = ConnectionError("last"), iter([0])

    def broken(*_args):
        if hook == "clock_ns" and (reading := next(readings, None)) is not None:
            return reading
        raise raised

    policy = f"constant:base=1s,max_retries={0 if hook == 'on_stop' else 5}"
    options = {"on": OSError, "clock_ns": lambda: 0, "sleep": print, hook: broken}
    with pytest.raises((raised, RuntimeError)) as error:
        form(loops.Script(last), policy=policy, log=False, **options)
    links = [*loops.contexts(error.value)]
    assert last in links
    assert any(isinstance(link, raised) for link in links)


@pytest.mark.parametrize("reading", [None, 0.5, True])
def test_a_clock_that_returns_no_int(form, reading):
    """The error names it, and the end of the loop does not hide it."""
    stats, script = RetryStats(), loops.Script(RESET)
    with pytest.raises(TypeError, match=r"^clock_ns must be an int, not ") as raised:
        run(form, script, stats=stats, clock_ns=lambda: reading)
    assert raised.value.__context__ is None
    assert (script.calls, stops(stats)) == (0, {"cancelled": 1})


def test_a_clock_that_fails_does_not_hide_an_interruption():
    readings, job = iter([5]), Job()
    with pytest.raises(KeyboardInterrupt):
        retrying(**job.options, clock_ns=lambda: next(readings)).call(
            loops.Script(KeyboardInterrupt)
        )
    assert job.is_cancelled(1)


@pytest.mark.parametrize("hook", ["on", "on_result", "on_retry", "on_stop", "sleep"])
@pytest.mark.parametrize("form", [loops.decorated, loops.method, loops.called])
def test_a_stop_iteration_arrives_as_itself(form, hook):
    """As from an exhausted iterator of a mock. The failure is its context."""
    last, end = ConnectionError("last"), StopIteration("exhausted")

    def broken(*_args):
        raise end

    policy = f"constant:base=1ns,max_retries={0 if hook == 'on_stop' else 5}"
    script = loops.Script("value" if hook == "on_result" else last)
    with pytest.raises(StopIteration) as raised:
        form(script, **{"policy": policy, "log": False, "on": OSError, hook: broken})
    assert raised.value is end
    assert end.__context__ is (None if hook == "on_result" else last)


class Unshowable:
    def __repr__(self):
        raise RecursionError


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (Unshowable(), "<test_retry_errors.Unshowable, whose repr failed>"),
        ("x" * 10**6, "'" + "x" * 199 + "..."),
    ],
)
def test_the_message_of_a_retry_error_is_safe_and_short(time, result, shown):
    with pytest.raises(RetryError) as raised:
        retrying("constant:base=1s,max_retries=0", on=(), on_result=lambda _: True).call(
            lambda: result
        )
    assert str(raised.value) == f"gave up after 1 attempt in 0.000 s: max_retries: result {shown}"


@pytest.mark.parametrize("of", ["itself", "its context"])
def test_a_hook_that_raises_the_last_failure_makes_no_cycle(of):
    def call():
        try:
            raise KeyError("root")
        except KeyError as root:
            raise ConnectionError("last") from root

    def broken(event):
        raise event.error if of == "itself" else event.error.__context__

    with pytest.raises((ConnectionError, KeyError)) as raised:
        retrying(**Job().options | {"on_retry": broken}).call(call)
    links, error = [], raised.value
    while error is not None:
        assert error not in links
        links.append(error)
        error = error.__context__


@pytest.mark.parametrize("reraise", [True, False])
@pytest.mark.parametrize("form", [loops.called, loops.block, loops.call_async, loops.block_async])
def test_no_reference_cycle_keeps_an_error(form, reraise, time):
    """The exception is freed with its last reference, without the garbage collector."""

    class Held(Exception):
        pass

    class Fails:
        calls = 0

        def __call__(self, *_args):
            self.calls += 1
            raise Held

    async def give_up():
        try:
            ended = form(Fails(), on=Held, log=False, reraise=reraise)
            await ended
        except RetryError as raised:
            return weakref.ref(raised.__cause__)
        except Held as raised:
            return weakref.ref(raised)

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(give_up())() is None
    finally:
        gc.enable()


def test_an_exception_that_is_raised_again_does_not_grow(time):
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            run(loops.decorated, loops.Script(*[REFUSED] * 9))
    assert len(REFUSED.__notes__) == 1


def test_events_are_values():
    event = RetryEvent("call", 1, Outcome.TRANSIENT, None, 5, 7, None, None)
    with pytest.raises(AttributeError):
        event.attempts = 2
    assert pickle.loads(pickle.dumps(event)) == event
    assert (event.delay, event.elapsed) == (5e-9, 7e-9)
