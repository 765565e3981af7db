"""Loops in scopes of trio that are cancelled (SPEC 18.5)."""

import pytest
import trio
from forms import ASYNC, calls_of, items_of
from jobs import Job


@pytest.mark.parametrize("form", ASYNC)
@pytest.mark.parametrize("when", ["call", "wait"])
def test_a_cancelled_trio_scope(form, when):
    job = Job()

    async def run():
        with trio.CancelScope() as scope:

            async def call():
                if when == "call":
                    scope.cancel()
                    await trio.sleep_forever()
                raise ConnectionError

            await form(call, job.options | {"on_retry": lambda _: scope.cancel()})
        assert scope.cancelled_caught

    trio.run(run)
    assert job.is_cancelled(1)


@pytest.mark.parametrize("form", ASYNC)
def test_a_timeout_of_trio_within_the_call_is_retried(form):
    calls = []

    async def call():
        calls.append(1)
        if len(calls) < 3:
            with trio.fail_after(0):
                await trio.sleep_forever()

    trio.run(form, call, {"policy": "constant:base=1ms", "on": trio.TooSlowError, "log": False})
    assert len(calls) == 3


@pytest.mark.parametrize("form", ASYNC)
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
                await form(call, Job("constant:base=1ms").options)

    trio.run(run)
    assert len(calls) == 3


@pytest.mark.parametrize("form", [calls_of, items_of])
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
            await form(call, Job().options | options)

    trio.run(run)
    assert reasons == [reason]
