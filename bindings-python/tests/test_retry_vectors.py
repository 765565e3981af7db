"""The vectors of loops (SPEC 18), played in every form on a fake clock."""

import asyncio
import contextlib
import functools
import itertools
from collections import Counter
from types import SimpleNamespace

import loops
import pytest
import trio
import vectors
from backoff_rs import (
    Budget,
    RetryError,
    RetryStats,
    Verdict,
    _time,
    current_attempt,
    permanent,
    retry_after,
    testing,
)
from jobs import stops


class Transient(Exception):
    """What `on=Transient` repeats."""


class CallerFailed(Exception):
    pass


#: The result of a call that met its limit, until somebody shows its failure.
CUT = object()


class Caller:
    """The code of the caller in one loop: its function, predicates, hooks and sleep."""

    def __init__(self, loop, way, clock):
        self.loop, self.way, self.clock = loop, way, clock
        self.calls, self.result = 0, None
        self.waits, self.events, self.limits, self.lefts = [], [], [], []
        self.cancel = None

    def reach(self, where):
        """A point of the loop, where the caller may cancel or fail."""
        here = {"where": where, "call": max(self.calls - 1, 0)}
        cancel = self.loop["cancel"]
        if cancel is not None and here.items() <= cancel.items():
            self.clock.ns += int(cancel.get("after", 0))
            self.cancel()
        if self.loop["fail"] == here:
            raise CallerFailed

    def __call__(self, *_args):
        call, limit = self.loop["calls"][self.calls], self.loop["limits"][self.calls]
        self.calls += 1
        # To ask takes another way of the loop.
        if self.way != "silent":
            with contextlib.suppress(RuntimeError):
                left = current_attempt().time_left
                self.lefts.append(None if left is None else str(round(left * 10**9)))
        if limit is not None and int(call["takes"]) > int(limit):
            self.clock.ns += int(limit)
            return self.hang()
        self.clock.ns += int(call["takes"])
        is_value = call["ends"] == "value"
        self.result = object() if is_value else self.failure(call)
        try:
            if is_value:
                return self.result
            raise self.result
        finally:
            self.reach("call")

    async def hang(self):
        """A call that meets its limit."""
        self.result = CUT
        self.limit.end_now()
        try:
            await (trio if trio.lowlevel.in_trio_task() else asyncio).sleep(3600)
        finally:
            self.reach("call")

    def limit_of_attempt(self, limit_ns, library, attempt):
        """In place of a limit that real time would end."""
        self.limits.append(str(limit_ns))
        self.limit = testing._Limit(2**62, library, attempt)
        return self.limit

    def own_delay(self, index, failure):
        self.saw(failure)
        given = self.loop["delays"]["function"]
        return vectors.optional(vectors.seconds, given[index] if index < len(given) else None)

    def saw(self, failure):
        """Whether this is how the last call ended."""
        if self.result is CUT:
            assert "met its limit" in str(failure)
            self.result = failure
        return failure is self.result

    def failure(self, call):
        if call["mark"] == "permanent":
            return permanent(Transient())
        if self.way != "predicates" and call["outcome"] == "throttled":
            return retry_after(KeyError(), self.verdict(call).retry_after)
        return Transient() if call["outcome"] == "transient" else KeyError()

    def verdict(self, call):
        return Verdict(call["outcome"], vectors.optional(vectors.seconds, call["retry_after"]))

    def classify(self, result):
        assert result is self.result
        self.reach("classification")
        return self.verdict(self.loop["calls"][self.calls - 1])

    def hear(self, hook, event):
        of = event.value if event.error is None else event.error
        if isinstance(of, KeyboardInterrupt):
            of = of.__context__
        self.events.append(
            {
                "hook": hook,
                "attempts": event.attempts,
                "outcome": event.outcome,
                "reason": event.reason,
                "delay": str(event.delay_ns),
                "elapsed": str(event.elapsed_ns),
                "is_of_last_call": self.saw(of),
                "budget_is_local": event.budget_is_local,
            }
        )
        self.reach(f"{hook}_hook")

    def sleep(self, delay):
        self.reach("wait")
        self.end_wait(delay)

    async def sleep_async(self, delay):
        self.reach("wait")
        await loops.asyncio_or_trio()  # It raises a cancellation.
        self.end_wait(delay)

    def end_wait(self, delay):
        delay_ns = round(delay * 10**9)
        self.waits.append(str(delay_ns))
        self.clock.ns += delay_ns

    def options(self, kind, name):
        options = {"on": Transient, "sleep": self.sleep if kind is blocking else self.sleep_async}
        if self.loop["delays"] is not None:
            listed = self.loop["delays"].get("list")
            options["delays"] = self.own_delay if listed is None else map(vectors.seconds, listed)
        if not self.loop["classified"]:
            options["on"] = ()
        elif self.way == "predicates":
            options["on"] = self.classify
            if "generator" not in name:
                options["on_result"] = self.classify
        if self.way != "silent":
            options["on_retry"] = functools.partial(self.hear, "retry")
            options["on_stop"] = functools.partial(self.hear, "stop")
        return options


def blocking(form, caller, options):
    """What the loop raises, and what it returns. An interruption cancels it."""

    def interrupt():
        raise KeyboardInterrupt

    caller.cancel = interrupt
    try:
        return None, form(caller, **options)
    except (Exception, KeyboardInterrupt) as raised:
        return raised, None


async def in_task(form, caller, options):
    caller.reach("before")
    try:
        return None, await form(caller, **options)
    except (Exception, asyncio.CancelledError, trio.Cancelled) as raised:
        return raised, None


def in_asyncio(form, caller, options):
    async def run():
        caller.cancel = asyncio.current_task().cancel
        end = await in_task(form, caller, options)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)  # Nothing has raised the cancellation of the last call.
        return end

    return asyncio.run(run())


def in_trio(form, caller, options):
    async def run():
        with trio.CancelScope() as scope:
            caller.cancel = scope.cancel
            return await in_task(form, caller, options)

    return trio.run(run)


FORMS = {
    blocking: loops.SYNC | {"generator": loops.first_item},
    in_asyncio: loops.ASYNCIO | {"asyncio-generator": loops.first_item_async},
    in_trio: loops.TRIO | {"trio-generator": loops.first_item_async},
}
CANCELLATIONS = {
    blocking: KeyboardInterrupt,
    in_asyncio: asyncio.CancelledError,
    in_trio: trio.Cancelled,
}
#: The forms in which no function is retried.
NO_CURRENT_ATTEMPT = ("block", "block-with")
#: With predicates and hooks; with types, marks and hooks; with types and marks alone, which takes the
#: short ways of a loop.
WAYS = ["predicates", "types", "silent"]


def why_skipped(way, kind, name, loop):
    """Why this form does not play the loop, if so."""
    if kind is blocking and any(loop["limits"]):
        return "a blocking loop refuses an attempt_timeout"
    calls, cancel, fail = loop["calls"], loop["cancel"] or {}, loop["fail"] or {}
    points = {cancel.get("where"), fail.get("where")}
    classifies_value = any(
        call["ends"] == "value"
        and (call["outcome"] not in {"success", None} or fail.get("where") == "classification")
        for call in calls
    )
    if "generator" in name and classifies_value:
        return "a generator has no on_result"
    if way != "predicates" and (
        classifies_value
        or "classification" in points
        or any(
            call["ends"] == "failure" and call["outcome"] in {"success", "timeout"}
            for call in calls
        )
    ):
        return "types and marks cannot say it"
    if way == "silent" and points & {"retry_hook", "stop_hook"}:
        return "no hook"
    if not cancel:
        return None
    in_call_with_value = cancel["where"] == "call" and calls[cancel["call"]]["ends"] == "value"
    if kind is blocking and (cancel["where"] == "before" or fail or in_call_with_value):
        return "an interruption is raised where it comes, and nothing else is"
    if fail.get("where") == "classification":
        return "after a cancellation nothing is classified, because the loop stops at once"
    if in_call_with_value and classifies_value and name == "trio-block":
        return "`with attempt` cannot raise a cancellation of trio"
    if in_call_with_value and classifies_value and name.startswith("asyncio-block"):
        return "before Python 3.13 it looks like a TaskGroup that failed within the attempt"
    return None


def plays():
    """Every case in every way and form, and why it is skipped there, if so."""
    cases = vectors.layer("loops")["cases"]
    for way, (kind, forms), case in itertools.product(WAYS, FORMS.items(), cases):
        for name in forms:
            reasons = (why_skipped(way, kind, name, loop) for loop in case["loops"])
            yield way, kind, name, case, next(filter(None, reasons), None)


def test_what_is_played():
    assert vectors.layer("loops")["count"] == 134
    assert Counter(why for *_, why in plays()) == {
        None: 4347,
        "a blocking loop refuses an attempt_timeout": 255,
        "a generator has no on_result": 141,
        "types and marks cannot say it": 565,
        "no hook": 186,
        "an interruption is raised where it comes, and nothing else is": 115,
        "after a cancellation nothing is classified, because the loop stops at once": 7,
        "`with attempt` cannot raise a cancellation of trio": 4,
        "before Python 3.13 it looks like a TaskGroup that failed within the attempt": 8,
    }


@pytest.mark.parametrize(
    ("way", "kind", "name", "case"),
    [
        pytest.param(way, kind, name, case, id=f"{way}-{name}-{case['id']}")
        for way, kind, name, case, why in plays()
        if why is None
    ],
)
def test_a_case(way, kind, name, case, monkeypatch):
    clock, stats = SimpleNamespace(ns=0), RetryStats()
    shared = {
        "policy": case["policy"],
        "budget": vectors.optional(Budget.parse, case["budget"]),
        "stream": vectors.stream(case["seed"], case["key"]),
        "stats": stats,
        "clock_ns": lambda: clock.ns,
        "log": False,
    }
    for loop in case["loops"]:
        caller = Caller(loop, way, clock)
        monkeypatch.setattr(_time.platform, "limit", caller.limit_of_attempt)
        options = shared | {"deadline_ns": vectors.optional(int, loop["deadline"])}
        raised, value = kind(FORMS[kind][name], caller, options | caller.options(kind, name))
        assert caller.calls == len(loop["calls"])
        assert caller.waits == loop["waits"]
        assert caller.limits == [limit for limit in loop["limits"] if limit is not None]
        is_asked = way != "silent" and not name.endswith(NO_CURRENT_ATTEMPT)
        assert caller.lefts == (loop["time_left"] if is_asked else [])
        more = {"is_of_last_call": True, "budget_is_local": False}
        assert caller.events == [event | more for event in loop["events"] if way != "silent"]
        check_end(kind, loop, caller, raised, value)
    assert case["stats"] == {
        "operations": stats.operations,
        "attempts": stats.attempts,
        "stops": stops(stats),
    }


def check_end(kind, loop, caller, raised, value):
    reason, ends, last = loop["reason"], loop["ends"], caller.result
    if ends == "caller":
        assert isinstance(raised, CallerFailed)
    elif reason == "success":
        assert (raised, value) == (None, last)
    elif reason == "cancelled":
        # A task raises the failure of a call in which it was cancelled.
        is_of_call = loop["cancel"]["where"] in {"call", "classification"} and ends == "failure"
        if kind is not blocking and is_of_call:
            assert raised is last
            assert not hasattr(last, "__notes__")
        else:
            assert isinstance(raised, CANCELLATIONS[kind])
    elif ends == "value":
        assert isinstance(raised, RetryError)
        assert (raised.reason, raised.attempts) == (reason, caller.calls)
        assert (raised.result, raised.error) == (last, None)
    elif ends == "timeout":
        assert isinstance(raised, TimeoutError)
        assert caller.saw(raised)
    else:
        assert raised is last
    if isinstance(last, Exception):
        assert last in loops.contexts(raised)
