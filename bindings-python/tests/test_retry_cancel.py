"""Async loops that are cancelled (SPEC 18.5), beyond the vectors: timeouts and hooks."""

import asyncio

import anyio
import pytest
import trio
from backoff_rs import retry, retrying
from jobs import Job, is_idle
from loops import block_async, call_async, first_item_async

FORMS = [block_async, call_async, first_item_async]


async def forever():
    await asyncio.Event().wait()


async def fail():
    raise ConnectionError


def run_in_trio(coroutine):
    async def run():
        await coroutine

    trio.run(run)


def test_a_task_that_never_ran_has_no_loop():
    job = Job()

    async def run():
        task = asyncio.create_task(call_async(fail, **job.options))
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert (job.stops, job.stats.operations, is_idle(job.budget)) == ([], 0, True)


async def times_out():
    async with asyncio.timeout(0.001):
        await forever()


async def waits_for():
    await asyncio.wait_for(forever(), 0.001)


async def fails_after():
    with anyio.fail_after(0.001):
        await anyio.sleep_forever()


async def fails_after_in_trio():
    with trio.fail_after(0):
        await trio.sleep_forever()


@pytest.mark.parametrize(
    ("run", "timeout"),
    [
        (asyncio.run, times_out),
        (asyncio.run, waits_for),
        (asyncio.run, fails_after),
        (run_in_trio, fails_after),
        (run_in_trio, fails_after_in_trio),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_a_timeout_within_the_call_is_retried(form, run, timeout):
    calls = []

    async def call():
        calls.append(1)
        if len(calls) < 3:
            await timeout()

    late = (TimeoutError, trio.TooSlowError)
    run(form(call, **{"policy": "constant:base=1ms", "on": late, "log": False}))
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
        task = asyncio.create_task(
            call_async(fail, **Job().options | {"on": on, "on_stop": on_stop})
        )
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert reasons == ["cancelled"]


@pytest.mark.parametrize("form", [call_async, first_item_async])
@pytest.mark.parametrize("when", ["before", "call", "wait"])
def test_on_stop_as_a_coroutine_function_is_awaited(form, when):
    job, reasons, call = Job(), [], forever if when == "call" else fail

    async def on_stop(event):
        await asyncio.sleep(0)
        reasons.append(event.reason)

    async def begin():
        if when == "before":
            asyncio.current_task().cancel()
        await form(call, **job.options | {"on_stop": on_stop})

    async def run():
        task = asyncio.create_task(begin())
        if when != "before":
            await asyncio.sleep(0.01)
            task.cancel()
        await asyncio.wait([task])

    asyncio.run(run())
    assert reasons == ["cancelled"]


@pytest.mark.parametrize("form", FORMS)
def test_a_shielded_cleanup_of_trio_is_retried(form):
    calls = []

    async def call():
        calls.append(1)
        if len(calls) < 3:
            raise ConnectionError

    async def run():
        with trio.CancelScope() as outer:
            outer.cancel()
            with trio.CancelScope(shield=True):
                await form(call, **Job("constant:base=1ms").options)

    trio.run(run)
    assert len(calls) == 3


@pytest.mark.parametrize("form", [call_async, first_item_async])
@pytest.mark.parametrize(
    ("when", "reason"),
    [("before", "cancelled"), ("call", "cancelled"), ("wait", "cancelled"), ("done", "success")],
)
def test_trio_awaits_a_hook_in_a_cancelled_scope(form, when, reason):
    reasons = []

    async def on_stop(event):
        await trio.sleep(0)
        reasons.append(event.reason)

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
            await form(call, **Job().options | options)

    trio.run(run)
    assert reasons == [reason]


def test_a_cancellation_of_the_task_that_enters_an_attempt():
    """It need not be the task of the `async for`."""
    numbers = []

    async def call(attempt):
        numbers.append(attempt.number)
        async with attempt:
            asyncio.current_task().cancel()
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                raise OSError("turned") from None

    async def run():
        policy = "constant:base=0s,max_retries=1"
        async for attempt in retrying(policy, on=OSError, log=False):
            await asyncio.create_task(call(attempt))

    with pytest.raises(OSError, match="turned"):
        asyncio.run(run())
    assert numbers == [1]
