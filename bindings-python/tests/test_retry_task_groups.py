"""A TaskGroup that fails within a call is a failure, not a cancellation of the loop's task.

Before Python 3.13 such a group leaves its task with a count of one cancellation.
"""

import asyncio
import contextlib
import sys

import pytest
from jobs import Job
from loops import block_async, block_async_with, call_async, first_item_async

POLICY = "constant:base=1ms,max_retries=3"


class Lost(Exception):
    pass


async def fails():
    await asyncio.sleep(0)
    raise ConnectionError


async def group_fails():
    async with asyncio.TaskGroup() as group:
        group.create_task(fails())


async def nested_groups_fail():
    async with asyncio.TaskGroup():
        await group_fails()


async def concurrent_groups_fail():
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(group_fails())


async def group_fails_in_its_body():
    async with asyncio.TaskGroup() as group:
        group.create_task(fails())
        await asyncio.sleep(3600)


async def group_fails_twice():
    with contextlib.suppress(ExceptionGroup):
        await group_fails()
    await group_fails()


@contextlib.asynccontextmanager
async def managed_group():
    async with asyncio.TaskGroup() as group:
        group.create_task(fails())
        yield


async def group_of_a_context_manager_fails():
    async with managed_group():
        pass


async def group_is_handled():
    try:
        await group_fails()
    except* ConnectionError:
        raise Lost from None


async def group_is_handled_before():
    with contextlib.suppress(ExceptionGroup):
        await group_fails()
    raise Lost


ATTEMPTS, AWAITED = [block_async, block_async_with], [call_async, first_item_async]
IN_TRACEBACK = [
    group_fails,
    nested_groups_fail,
    concurrent_groups_fail,
    group_fails_in_its_body,
    group_of_a_context_manager_fails,
    group_is_handled,
]
#: What the call raises knows nothing of its groups.
HANDLED = [group_is_handled_before, group_fails_twice]


def options(job, **more):
    return job.options | {"policy": POLICY, "on": (ExceptionGroup, Lost)} | more


def once(fail):
    """A call that fails once, and then returns."""
    calls = []

    async def call():
        calls.append(1)
        if not calls[1:]:
            await fail()
        return "done"

    return call


CASES = [
    *[(form, fail) for form in [*ATTEMPTS, *AWAITED] for fail in IN_TRACEBACK],
    *[(form, fail) for form in AWAITED for fail in HANDLED],
]


@pytest.mark.parametrize(("form", "fail"), CASES)
def test_a_group_that_fails_is_retried(form, fail):
    job = Job()
    assert asyncio.run(form(once(fail), **options(job))) == "done"
    assert len(job.retries) == 1
    assert [stop.reason for stop in job.stops] == ["success"]


@pytest.mark.parametrize(("form", "fail"), CASES)
def test_each_attempt_may_fail_with_a_group(form, fail):
    job = Job()
    with pytest.raises((ExceptionGroup, Lost)):
        asyncio.run(form(fail, **options(job)))
    assert [stop.reason for stop in job.stops] == ["max_retries"]


@pytest.mark.parametrize("form", [*ATTEMPTS, call_async])
def test_a_value_after_a_group_that_failed_is_repeated(form):
    """No CancelledError is raised that nobody sent."""
    job, values = Job(), iter(["pending", "pending", "done"])

    async def poll():
        with contextlib.suppress(ExceptionGroup):
            await group_fails()
        return next(values)

    on_result = {"on_result": lambda value: value == "pending"}
    assert asyncio.run(form(poll, **options(job, **on_result))) == "done"
    assert len(job.retries) == 2


@pytest.mark.parametrize("form", [*ATTEMPTS, *AWAITED])
@pytest.mark.parametrize("when", ["group", "body"])
def test_a_cancelled_group_cancels_the_loop(form, when):
    job = Job()

    async def call():
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(3600))
            if when == "body":
                await asyncio.sleep(3600)

    async def run():
        task = asyncio.create_task(form(call, **options(job)))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert job.is_cancelled(1)


@pytest.mark.parametrize("form", [*ATTEMPTS, *AWAITED])
@pytest.mark.parametrize("first", ["failure", "cancellation"])
def test_a_cancellation_while_a_group_fails_is_the_last_attempt(form, first):
    """Both reach the task at once. The group hides the cancellation; the loop does not go on."""
    job, release = Job(), None

    async def child():
        await release
        raise ConnectionError

    async def call():
        async with asyncio.TaskGroup() as group:
            group.create_task(child())

    async def run():
        nonlocal release
        release = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(form(call, **options(job)))
        await asyncio.sleep(0.01)
        if first == "failure":
            release.set_result(None)
            # The child has failed, and its callback is scheduled.
            await asyncio.sleep(0)
        task.cancel()
        if first == "cancellation":
            release.set_result(None)
        with pytest.raises((asyncio.CancelledError, ExceptionGroup)):
            await task

    asyncio.run(run())
    assert job.is_cancelled(1)


@pytest.mark.parametrize("form", AWAITED)
def test_a_suppressed_cancellation_after_a_group_failed(form):
    job = Job()

    async def call():
        with contextlib.suppress(ExceptionGroup):
            await group_fails()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        raise Lost

    async def run():
        task = asyncio.create_task(form(call, **options(job)))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(Lost):
            await task

    asyncio.run(run())
    assert job.is_cancelled(1)


def test_before_3_13_the_group_leaves_a_count():
    """The reason for all this. If a later Python changes it, _cancellation.py must follow."""

    async def run():
        with contextlib.suppress(ExceptionGroup):
            await group_fails()
        return asyncio.current_task().cancelling()

    assert asyncio.run(run()) == (0 if sys.version_info >= (3, 13) else 1)
