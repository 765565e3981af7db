"""Loops that end early: Ctrl-C, break, return, and coroutines that are closed."""

import asyncio
import contextlib
import gc
import random
import signal
import sys
import time

import loops
import pytest
from backoff_rs import Attempt, retry, retrying
from backoff_rs.testing import fake_time
from jobs import Job, is_idle


async def forever():
    await asyncio.Event().wait()


@pytest.fixture
def interrupt_after():
    """Interrupts this thread after a number of seconds, as Ctrl-C does."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    # Python swallows an interrupt in a finalizer, such as one of an earlier test.
    gc.collect()
    gc.disable()
    yield lambda delay: signal.setitimer(signal.ITIMER_REAL, delay)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    gc.enable()


@pytest.mark.parametrize("form", loops.SYNC)
def test_ctrl_c_ends_a_wait(form, interrupt_after):
    job = Job()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        loops.SYNC[form](
            loops.Script(ConnectionError()),
            **job.options | {"on_retry": lambda _: interrupt_after(0.02)},
        )
    assert time.monotonic() - begun < 60
    assert job.is_cancelled(1)


# The interrupt may come after a step of the loop is created and before it runs.
@pytest.mark.filterwarnings("ignore:coroutine 'Steps:RuntimeWarning")
def test_ctrl_c_at_random_moments(interrupt_after):
    randomness = random.Random(6)
    for _ in range(200):
        job = Job("constant:base=1us,jitter=full,max_elapsed=10s")
        first = [True]

        def call(first=first):
            if first:
                first.clear()
                interrupt_after(randomness.random() / 200)
            raise ConnectionError

        with pytest.raises(KeyboardInterrupt):
            retrying(**job.options).call(call)
        assert is_idle(job.budget)


@pytest.mark.parametrize("how", ["break", "raise", "return"])
def test_leaving_a_loop_cancels_it(how):
    """A blocking loop is cancelled at once."""
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


def test_a_loop_left_in_a_later_attempt():
    """The event has no result of a call in progress (SPEC 18.4)."""
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


def test_an_attempt_of_a_loop_that_has_ended():
    attempts = iter(retrying(**Job().options))
    attempt = next(attempts)
    del attempts
    with pytest.raises(RuntimeError, match="entered once"), attempt:
        pass


def test_an_attempt_whose_loop_is_dropped_during_the_call():
    job = Job()
    attempts = iter(retrying(**job.options))
    attempt = next(attempts)
    with attempt:
        del attempts
    assert job.is_cancelled(1)


@pytest.mark.parametrize("end", ["break", "with"])
def test_a_hook_that_raises_after_a_break_is_reported(monkeypatch, end):
    """After a break there is no caller to raise to: it goes to sys.unraisablehook."""
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


@pytest.mark.parametrize("how", ["break", "raise"])
@pytest.mark.parametrize("known", [True, False])
def test_an_async_on_stop_that_nothing_awaits_warns(how, known):
    """Where the loop is left, outside of `async with attempt:`."""
    job, called = Job(), []

    async def on_stop(_event):
        called.append(1)

    options = job.options | {"on_stop": on_stop if known else lambda event: on_stop(event)}

    async def leave():
        async for _attempt in retrying(**options, name="poll"):
            if how == "raise":
                raise KeyError
            break

    why = "^on_stop of poll was not awaited: nothing can await it after a `break`"
    expected = pytest.raises(KeyError) if how == "raise" else contextlib.nullcontext()
    with expected, pytest.warns(RuntimeWarning, match=why) as warned:
        asyncio.run(leave())
    assert [warning.filename for warning in warned] == [__file__]
    assert (called, job.stats.stops["cancelled"], is_idle(job.budget)) == ([], 1, True)


def test_an_async_on_stop_is_awaited_after_a_break_in_the_attempt():
    called = []

    async def on_stop(event):
        called.append(event.reason)

    async def leave():
        async for attempt in retrying(on=(), on_stop=on_stop):
            async with attempt:
                break

    asyncio.run(leave())
    assert called == ["success"]


def left_by(how, options, value):
    """An attempt that ends in one of three ways, with a value or without."""
    for attempt in retrying(**options):
        with attempt:
            if value is not None:
                attempt.value = value
            if how == "return":
                return
            if how == "break":
                break


async def left_async_by(how, options, value):
    async for attempt in retrying(**options):
        async with attempt:
            if value is not None:
                attempt.value = value
            if how == "return":
                return
            if how == "break":
                break


@pytest.mark.parametrize(
    "leave", [left_by, lambda *args: asyncio.run(left_async_by(*args))], ids=["for", "async for"]
)
@pytest.mark.parametrize("how", ["end", "return", "break"])
def test_an_attempt_with_on_result_needs_a_value(leave, how):
    job, judged = Job(), []
    options = job.options | {"on_result": lambda value: bool(judged.append(value))}
    with pytest.raises(RuntimeError, match=r"with on_result, set attempt\.value"):
        leave(how, options, None)
    assert judged == []
    assert job.stats.stops["cancelled"] == job.stats.operations == 1
    assert is_idle(job.budget)
    leave(how, options, "value")
    assert judged == ["value"]
    leave(how, job.options, None)
    assert [stop.reason for stop in job.stops] == ["success", "success"]


def test_the_value_of_an_attempt_without_one_is_none():
    for attempt in retrying(on=(), on_result=bool):
        with attempt:
            assert attempt.value is None
            attempt.value = None
            assert attempt.value is None


@pytest.mark.parametrize("make", ["coroutine", "generator"])
def test_closing_a_coroutine_cancels_its_loop(make):
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
def test_no_hook_is_awaited_in_a_closed_coroutine(known):
    job, called = Job(), []

    async def on_stop(_event):
        called.append(1)

    @retry(**job.options | {"on_stop": on_stop if known else lambda event: on_stop(event)})
    async def call():
        await forever()

    async def run():
        suspended = call()
        suspended.send(None)
        with pytest.warns(RuntimeWarning, match=r"on_stop of .*call was not awaited"):
            suspended.close()

    asyncio.run(run())
    assert (called, job.stats.stops["cancelled"], is_idle(job.budget)) == ([], 1, True)


def test_one_loop_over_attempts_is_not_shared():
    """As when one thread takes the next attempt while another waits before it."""
    attempts = iter(retrying(on=OSError, on_retry=lambda event: next(attempts), log=False))
    with next(attempts):
        raise ConnectionError("refused")
    with pytest.raises(RuntimeError, match="cannot share one loop over attempts"):
        next(attempts)


def test_an_attempt_has_no_other_attributes():
    """A value with a wrong name would be lost."""
    for attempt in retrying(on=()):
        with attempt:
            with pytest.raises(AttributeError):
                attempt.vlaue = 1
            assert isinstance(attempt, Attempt)


def test_an_attempt_is_what_its_statement_enters():
    async def enter():
        async for attempt in retrying(on=OSError):
            async with attempt as entered:
                assert entered is attempt

    for attempt in retrying(on=OSError):
        with attempt as entered:
            assert entered is attempt
            assert repr(entered) == "<Attempt 1>"
    asyncio.run(enter())


def test_async_with_needs_async_for():
    async def enter():
        for attempt in retrying(on=OSError):
            async with attempt:
                pass

    with pytest.raises(TypeError, match=r"^`async with attempt` needs `async for attempt`$"):
        asyncio.run(enter())
