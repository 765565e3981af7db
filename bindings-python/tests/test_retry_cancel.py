"""Async loops that are cancelled: before, during and after a call, and during a wait (SPEC 18.5)."""

import asyncio
import contextlib
import gc
import random
import sys
import time

import anyio
import pytest
from backoff_rs import Budget, Operation, Policy, RandomStream, RetryStats, retry
from forms import ASYNC, calls_of, items_of, values_of
from jobs import HOUR, Job, is_idle


async def forever():
    await asyncio.Event().wait()


async def fail():
    raise ConnectionError


@pytest.mark.parametrize("form", ASYNC)
@pytest.mark.parametrize(
    ("call", "attempts", "retries"), [(forever, 1, 0), (fail, 1, 1)], ids=["call", "wait"]
)
def test_a_cancelled_task(form, call, attempts, retries):
    job = Job()

    async def run():
        task = asyncio.create_task(form(call, job.options))
        await asyncio.sleep(0.01)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 60
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())
    assert job.is_cancelled(attempts)
    assert len(job.retries) == retries


def test_a_task_that_never_ran_has_no_loop():
    job = Job()

    async def run():
        task = asyncio.create_task(calls_of(fail, job.options))
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert (job.stops, job.stats.operations, is_idle(job.budget)) == ([], 0, True)


@pytest.mark.parametrize("form", ASYNC)
def test_a_loop_cancelled_before_it_begins_begins_no_operation(form):
    """Each operation that begins earns half a retry (SPEC 15.3), and the budget is empty."""
    budget = Budget.parse("ratio:ratio=0.5,max_tokens=1")

    def grants():
        operation = Operation(Policy.parse(HOUR), RandomStream(1), now_ns=0, budget=budget)
        return bool(operation.decide("transient", now_ns=0))

    async def run():
        asyncio.current_task().cancel()
        await form(fail, Job().options | {"budget": budget})

    assert grants()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())
    assert not grants()


@pytest.mark.parametrize("form", ASYNC)
def test_a_call_that_turns_its_cancellation_into_a_failure(form):
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


# Before Python 3.13 an attempt cannot tell this from a TaskGroup that failed within it.
SUPPRESSED = [calls_of] if sys.version_info < (3, 13) else [calls_of, values_of]


@pytest.mark.parametrize("verdict", [True, "permanent"])
@pytest.mark.parametrize("form", SUPPRESSED)
def test_a_value_after_a_cancellation_that_stops_the_loop(form, verdict):
    """It is a failure, so the reason is cancelled, and nothing is taken from the budget."""
    job = Job("constant:base=1ms,max_retries=0")
    budget = Budget.parse("quota:max_tokens=1,cost=1")

    async def poll():
        with contextlib.suppress(asyncio.CancelledError):
            await forever()
        return "pending"

    async def run(options):
        task = asyncio.create_task(form(poll, options))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    options = job.options | {"on_result": lambda _: verdict, "budget": budget}
    asyncio.run(run(options))
    assert job.is_cancelled(1)
    asyncio.run(run(options | {"policy": HOUR}))
    operation = Operation(Policy.parse(HOUR), RandomStream(1), now_ns=0, budget=budget)
    assert operation.decide("transient", now_ns=0)


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
def test_a_timeout_within_the_call_is_retried(form, timeout):
    calls = []

    async def call():
        calls.append(1)
        if len(calls) < 3:
            await timeout()

    options = {"policy": "constant:base=1ms", "on": TimeoutError, "log": False}
    asyncio.run(form(call, options))
    assert len(calls) == 3


def test_a_task_that_was_cancelled_may_retry_its_cleanup():
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


def test_a_cancelled_predicate():
    """The hook is called where it can be awaited."""
    reasons = []

    async def on(_error):
        await forever()

    async def on_stop(event):
        await asyncio.sleep(0)
        reasons.append(event.reason)

    async def run():
        task = asyncio.create_task(calls_of(fail, Job().options | {"on": on, "on_stop": on_stop}))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert reasons == ["cancelled"]


@pytest.mark.parametrize("form", [calls_of, items_of])
@pytest.mark.parametrize("when", ["before", "call", "wait"])
def test_on_stop_as_a_coroutine_function_is_awaited(form, when):
    job, reasons, call = Job(), [], forever if when == "call" else fail

    async def on_stop(event):
        await asyncio.sleep(0)
        reasons.append(event.reason)

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
    assert reasons == ["cancelled"]


def test_a_timeout_around_the_loop():
    job = Job()

    async def run():
        async with asyncio.timeout(0.01):
            await calls_of(fail, job.options)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert job.is_cancelled(1)


def test_cancelled_at_random_moments():
    """1000 loops with short waits: each ends at once, calls on_stop once, and leaves nothing."""
    randomness, before = random.Random(5), loops_alive()
    budget, stats = Budget.parse("concurrent:ratio=0,min_concurrent=1000"), RetryStats()
    stops = []

    async def call():
        await asyncio.sleep(randomness.random() / 1000)
        raise ConnectionError

    async def one(number):
        own_stops = []
        stops.append(own_stops)
        task = asyncio.create_task(
            ASYNC[number % 3](
                call,
                Job("constant:base=1ms,jitter=full").options
                | {"budget": budget, "stats": stats, "on_stop": own_stops.append},
            )
        )
        await asyncio.sleep(randomness.random() / 50)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 60

    async def run():
        for start in range(0, 1000, 100):
            await asyncio.gather(*map(one, range(start, start + 100)))
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert [timer for timer in loop._scheduled if not timer.cancelled()] == []

    asyncio.run(run())
    assert [len(own_stops) for own_stops in stops] == [1] * 1000
    assert {event.reason for (event,) in stops} == {"cancelled"}
    assert stats.stops["cancelled"] == stats.operations == 1000
    assert is_idle(with_one_retry_left(budget))
    # An event refers to its error, which refers to the frames it passed.
    stops.clear()
    assert loops_alive() == before


def loops_alive():
    gc.collect()
    return sum(type(thing).__name__ == "Loop" for thing in gc.get_objects())


def with_one_retry_left(budget):
    """The budget after all but one of its retries were granted."""
    for _ in range(999):
        operation = Operation(Policy.parse(HOUR), RandomStream(1), now_ns=0, budget=budget)
        assert operation.decide("transient", now_ns=0)
    return budget
