"""Loops whose caller gives up: before, during and after a call, and while they wait (SPEC 18.5)."""

import asyncio
import contextlib
import gc
import random
import signal
import sys
import time

import anyio
import loops
import pytest
import trio
from backoff_rs import Budget, History, Operation, Policy, Stream, retry, retrying
from backoff_rs.testing import fake_time

HOUR = "constant:base=1h"
#: It grants one retry at a time to one operation: one that leaks is refused for ever.
LINE = "concurrent:ratio=0,min_concurrent=1"


def is_idle(budget):
    """Whether nothing holds a retry of it."""
    operation = Operation(Policy.parse(HOUR), Stream(1), now_ns=0, budget=budget)
    granted = bool(operation.decide("transient", now_ns=0))
    operation.cancel()
    return granted


class Job:
    """Options of a loop that fails and waits an hour, and what it told."""

    def __init__(self, policy=HOUR):
        self.budget, self.history, self.stops, self.retries = Budget.parse(LINE), History(), [], []
        self.options = {
            "policy": policy,
            "on": ConnectionError,
            "budget": self.budget,
            "history": self.history,
            "on_retry": self.retries.append,
            "on_stop": self.stops.append,
            "log": False,
        }

    def is_cancelled(self, attempts):
        (stop,) = self.stops
        assert (stop.attempts, stop.reason, stop.outcome) == (attempts, "cancelled", None)
        assert (self.history.operations, self.history.stops["cancelled"]) == (1, 1)
        assert self.history.attempts == max(1, attempts)
        assert is_idle(self.budget)
        return True


async def forever():
    await asyncio.Event().wait()


async def fail():
    raise ConnectionError


async def attempts_of(call, options):
    async for attempt in retrying(**options):
        with attempt:
            await call()


async def calls_of(call, options):
    await retrying(**options).call(call)


async def items_of(call, options):
    @retry(**options)
    async def items():
        await call()
        yield

    async for _ in items():
        pass


ASYNC = [attempts_of, calls_of, items_of]


@pytest.mark.parametrize("form", ASYNC)
@pytest.mark.parametrize(
    ("call", "attempts", "retries"), [(forever, 1, 0), (fail, 1, 1)], ids=["call", "wait"]
)
def test_a_task_that_is_cancelled(form, call, attempts, retries):
    job = Job()

    async def run():
        task = asyncio.create_task(form(call, job.options))
        await asyncio.sleep(0.01)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 5
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
    assert job.is_cancelled(attempts)
    assert len(job.retries) == retries


@pytest.mark.parametrize("form", ASYNC)
def test_cancelled_before_it_begins(form):
    """The task has not got its cancellation when the loop begins."""
    job, called = Job(), []

    async def call():
        called.append(1)

    async def run():
        asyncio.current_task().cancel()
        await form(call, job.options)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert called == []
    assert job.is_cancelled(0)


def test_a_task_that_never_ran_has_no_loop():
    job = Job()

    async def run():
        task = asyncio.create_task(calls_of(fail, job.options))
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert (job.stops, job.history.operations, is_idle(job.budget)) == ([], 0, True)


@pytest.mark.parametrize("form", ASYNC)
def test_a_loop_that_is_cancelled_before_it_begins_begins_no_operation(form):
    """SPEC 15.3: each that begins earns half a retry, and the budget has none."""
    budget = Budget.parse("ratio:ratio=0.5,max_tokens=1")

    def grants():
        operation = Operation(Policy.parse(HOUR), Stream(1), now_ns=0, budget=budget)
        return bool(operation.decide("transient", now_ns=0))

    async def run():
        asyncio.current_task().cancel()
        await form(fail, Job().options | {"budget": budget})

    assert grants()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert not grants()


@pytest.mark.parametrize("form", ASYNC)
def test_a_cancellation_that_the_call_makes_a_failure_of(form):
    job, calls = Job("constant:base=1ms,max_retries=3"), []

    async def call():
        calls.append(1)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0 if calls[1:] else 3600)
        raise ConnectionError("closed")

    async def run():
        task = asyncio.create_task(form(call, job.options))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(ConnectionError, match="closed") as raised:
            await task
        return raised.value

    error = asyncio.run(run())
    assert (calls, job.retries) == ([1], [])
    assert job.is_cancelled(1)
    assert job.stops[0].error is error
    assert not hasattr(error, "__notes__")


def test_a_cancellation_that_the_call_makes_a_value_of():
    job, calls = Job("constant:base=1ms,max_retries=3"), []

    async def poll():
        calls.append(1)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0 if calls[1:] else 3600)
        return "pending"

    async def run():
        async with asyncio.timeout(0.01):
            await calls_of(poll, job.options | {"on_result": lambda value: value == "pending"})

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert (calls, job.retries) == ([1], [])
    assert job.is_cancelled(1)
    assert job.stops[0].value == "pending"


async def times_out():
    async with asyncio.timeout(0.001):
        await forever()


async def waits_for():
    await asyncio.wait_for(forever(), 0.001)


async def fails_after():
    with anyio.fail_after(0.001):
        await forever()


@pytest.mark.parametrize("timeout", [times_out, waits_for, fails_after])
@pytest.mark.parametrize("form", ASYNC)
def test_a_timeout_within_the_call_is_repeated(form, timeout):
    calls = []

    async def call():
        calls.append(1)
        if len(calls) < 3:
            await timeout()

    options = {"policy": "constant:base=1ms", "on": TimeoutError, "log": False}
    asyncio.run(form(call, options))
    assert len(calls) == 3


def test_cleaning_up_after_a_cancellation_may_retry():
    done = []

    @retry("constant:base=1ms", on=ConnectionError, log=False)
    async def clean_up():
        done.append(1)
        if not done[1:]:
            raise ConnectionError

    async def run():
        try:
            await forever()
        finally:
            await clean_up()

    async def cancelled():
        task = asyncio.create_task(run())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cancelled())
    assert done == [1, 1]


@pytest.mark.parametrize("form", ASYNC)
@pytest.mark.parametrize(("when", "attempts"), [("before", 0), ("call", 1), ("wait", 1)])
def test_a_trio_scope_that_is_cancelled(form, when, attempts):
    job = Job()

    async def run():
        with trio.CancelScope() as scope:

            async def call():
                if when == "call":
                    scope.cancel()
                    await trio.sleep_forever()
                raise ConnectionError

            if when == "before":
                scope.cancel()
            await form(call, job.options | {"on_retry": lambda _: scope.cancel()})
        assert scope.cancelled_caught

    trio.run(run)
    assert job.is_cancelled(attempts)


@pytest.mark.parametrize("form", [calls_of, items_of])
@pytest.mark.parametrize(
    ("when", "reason"),
    [("before", "cancelled"), ("call", "cancelled"), ("wait", "cancelled"), ("done", "success")],
)
def test_trio_awaits_a_hook_although_it_is_cancelled(form, when, reason):
    told = []

    async def on_stop(event):
        await trio.sleep(0)
        told.append(event.reason)

    async def run():
        with trio.CancelScope() as scope:

            async def call():
                if when != "wait":
                    scope.cancel()
                if when == "done":
                    return
                await trio.sleep(0)
                raise ConnectionError

            if when == "before":
                scope.cancel()
            options = {"on_stop": on_stop, "on_retry": lambda _: scope.cancel()}
            await form(call, Job().options | options)

    trio.run(run)
    assert told == [reason]


def test_a_predicate_that_is_cancelled():
    """The hook hears of it where it can be awaited."""
    told = []

    async def on(_error):
        await forever()

    async def on_stop(event):
        await asyncio.sleep(0)
        told.append(event.reason)

    async def run():
        task = asyncio.create_task(calls_of(fail, Job().options | {"on": on, "on_stop": on_stop}))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert told == ["cancelled"]


@pytest.mark.parametrize("form", [calls_of, items_of])
@pytest.mark.parametrize("when", ["before", "call", "wait"])
def test_a_coroutine_function_hears_of_a_cancellation(form, when):
    job, told, call = Job(), [], forever if when == "call" else fail

    async def on_stop(event):
        await asyncio.sleep(0)
        told.append(event.reason)

    async def begin():
        if when == "before":
            asyncio.current_task().cancel()
        await form(call, job.options | {"on_stop": on_stop})

    async def run():
        task = asyncio.create_task(begin())
        if when != "before":
            await asyncio.sleep(0.01)
            task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert told == ["cancelled"]


def test_a_timeout_around_the_loop():
    job = Job()

    async def run():
        async with asyncio.timeout(0.01):
            await calls_of(fail, job.options)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert job.is_cancelled(1)


def test_cancelled_at_random_moments():
    """1000 loops with short waits: each ends at once, tells one stop, and leaves nothing."""
    randomness, before = random.Random(5), loops_alive()
    budget, history = Budget.parse("concurrent:ratio=0,min_concurrent=1000"), History()
    stops = []

    async def call():
        await asyncio.sleep(randomness.random() / 1000)
        raise ConnectionError

    async def one(number):
        told = []
        stops.append(told)
        task = asyncio.create_task(
            ASYNC[number % 3](
                call,
                Job("constant:base=1ms,jitter=full").options
                | {"budget": budget, "history": history, "on_stop": told.append},
            )
        )
        await asyncio.sleep(randomness.random() / 50)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 5

    async def run():
        for start in range(0, 1000, 100):
            await asyncio.gather(*map(one, range(start, start + 100)))
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert [timer for timer in loop._scheduled if not timer.cancelled()] == []

    asyncio.run(run())
    assert [len(told) for told in stops] == [1] * 1000
    assert {told[0].reason for told in stops} == {"cancelled"}
    assert history.stops["cancelled"] == history.operations == 1000
    assert is_idle(budget_of_one_less(budget))
    # An event holds the error, and so the frames that it went through.
    stops.clear()
    assert loops_alive() == before


def loops_alive():
    gc.collect()
    return sum(type(thing).__name__ == "Loop" for thing in gc.get_objects())


def budget_of_one_less(budget):
    """The budget with all but one of its retries taken."""
    for _ in range(999):
        operation = Operation(Policy.parse(HOUR), Stream(1), now_ns=0, budget=budget)
        assert operation.decide("transient", now_ns=0)
    return budget


@pytest.fixture
def interrupt_after():
    """Interrupts this thread so many seconds from when it is called, as Ctrl-C does."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda delay: signal.setitimer(signal.ITIMER_REAL, delay)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("form", loops.SYNC)
def test_ctrl_c_ends_a_wait(form, interrupt_after):
    job = Job()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        loops.SYNC[form](
            loops.Script(ConnectionError()),
            **job.options | {"on_retry": lambda _: interrupt_after(0.02)},
        )
    assert time.monotonic() - begun < 5
    assert job.is_cancelled(1)


# The interrupt may come between a step of the loop and its first line.
@pytest.mark.filterwarnings("ignore:coroutine 'Loop:RuntimeWarning")
def test_ctrl_c_at_random_moments(interrupt_after):
    randomness = random.Random(6)
    for _ in range(200):
        job = Job("constant:base=1us,jitter=full")
        first = [True]

        def call(first=first):
            if first:
                first.clear()
                interrupt_after(randomness.random() / 200)
            raise ConnectionError

        with pytest.raises(KeyboardInterrupt):
            retrying(**job.options).call(call)
        assert len(job.stops) == 1
        assert is_idle(job.budget)


@pytest.mark.parametrize("how", ["break", "raise", "return"])
def test_a_loop_that_is_left(how):
    """In a sync loop at once; what is left while it waits was a failure."""
    job = Job()

    def leave():
        with fake_time():
            for attempt in retrying(**job.options):
                with attempt:
                    raise ConnectionError
                if how == "break":
                    break
                if how == "raise":
                    raise KeyError
                return

    if how == "raise":
        with pytest.raises(KeyError):
            leave()
    else:
        leave()
    assert job.is_cancelled(1)


def test_a_loop_that_is_left_in_a_later_attempt():
    """Nothing is told of a call that goes on (SPEC 18.4)."""
    job = Job()
    with fake_time():
        for attempt in retrying(**job.options):
            if attempt.number == 2:
                break
            with attempt:
                raise ConnectionError
    del attempt
    assert job.is_cancelled(2)
    assert (job.stops[0].error, job.stops[0].value) == (None, None)


def test_an_attempt_of_a_loop_that_was_left():
    attempts = iter(retrying(**Job().options))
    attempt = next(attempts)
    del attempts
    with pytest.raises(RuntimeError, match="entered once"), attempt:
        pass


@pytest.mark.parametrize("end", ["break", "with"])
def test_a_hook_that_raises_where_nobody_called(monkeypatch, end):
    """What a loop that was left raises goes where Python reports such."""
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_type))

    def on_stop(_event):
        raise KeyError

    for attempt in retrying(on=(), on_stop=on_stop):
        if end == "break":
            break
        with pytest.raises(KeyError), attempt:
            pass
    assert reported == ([KeyError] if end == "break" else [])


def test_an_async_loop_that_is_left():
    job = Job()

    async def leave():
        async for attempt in retrying(**job.options):
            with attempt:
                raise ConnectionError
            break

    asyncio.run(leave())
    assert job.is_cancelled(1)


def test_a_return_in_an_attempt_is_a_success():
    job = Job()

    def leave():
        for attempt in retrying(**job.options):
            with attempt:
                return "value"

    assert leave() == "value"
    assert [stop.reason for stop in job.stops] == ["success"]


@pytest.mark.parametrize("make", ["coroutine", "generator"])
def test_what_is_closed_in_the_call(make):
    job = Job()

    @retry(**job.options)
    async def call():
        await forever()

    @retry(**job.options)
    async def items():
        await forever()
        yield

    async def run():
        suspended = call() if make == "coroutine" else items().asend(None)
        suspended.send(None)
        suspended.close()

    asyncio.run(run())
    assert job.is_cancelled(1)


@pytest.mark.parametrize("known", [True, False])
def test_no_hook_is_awaited_where_nothing_can_be(known):
    job, called = Job(), []

    async def on_stop(_event):
        called.append(1)

    @retry(**job.options | {"on_stop": on_stop if known else lambda event: on_stop(event)})
    async def call():
        await forever()

    async def run():
        suspended = call()
        suspended.send(None)
        suspended.close()

    asyncio.run(run())
    assert (called, job.history.stops["cancelled"], is_idle(job.budget)) == ([], 1, True)


def test_a_sleep_that_raises_cancels():
    job = Job()

    def sleep(_delay):
        raise TimeoutError("enough")

    with pytest.raises(TimeoutError, match="enough"):
        retrying(**job.options, sleep=sleep).call(loops.Script(ConnectionError()))
    assert job.is_cancelled(1)
    assert isinstance(job.stops[0].error, ConnectionError)


@pytest.mark.parametrize("what", ["on_retry", "sleep"])
def test_what_is_raised_keeps_the_last_failure(what):
    last, raised = ConnectionError("last"), KeyError("raised")

    def broken(_given):
        raise raised

    with pytest.raises(KeyError):
        retrying(**Job().options | {what: broken}).call(loops.Script(last))
    assert raised.__context__ is last


@pytest.mark.parametrize("of", ["itself", "its context"])
def test_a_hook_that_raises_what_it_was_told_makes_no_circle(of):
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


@pytest.mark.parametrize("form", loops.SYNC)
def test_a_hook_for_stops_that_raises_keeps_the_last_failure(form):
    def broken(_event):
        raise KeyError

    last = ConnectionError("last")
    options = {"policy": "constant:base=1s,max_retries=0", "on": OSError, "on_stop": broken}
    with pytest.raises(KeyError) as raised:
        loops.SYNC[form](loops.Script(last), **options, log=False)
    assert raised.value.__context__ is last
