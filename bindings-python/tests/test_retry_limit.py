"""The limit of an attempt (SPEC 18.2), beyond the vectors, on real and on fake time."""

import asyncio
import functools
import threading

import anyio
import pytest
import trio
from backoff_rs import Policy, RetryStats, current_attempt, retry, retrying, set_defaults
from backoff_rs.testing import fake_time
from jobs import stops
from loops import ASYNC, GENERATORS, SYNC, Script, first_item_async, on_trio

SOON = "constant:base=0s,max_retries=1,attempt_timeout=1ms"
LATE = "constant:base=0s,max_retries=1,attempt_timeout=1h"
FORMS = {
    **ASYNC,
    "generator": GENERATORS["async-generator"],
    "trio-generator": on_trio(first_item_async),
}


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


async def forever():
    await (trio.sleep_forever() if trio.lowlevel.in_trio_task() else asyncio.Event().wait())


@pytest.mark.parametrize("on", [(), lambda error: pytest.fail("a timeout is not classified")])
def test_a_call_that_never_ends(form, on):
    stats, script = RetryStats(), Script(*[forever] * 2)

    def call():
        return script()()

    with pytest.raises(TimeoutError, match=r"^attempt 2 met its limit of 0.001 s") as raised:
        form(call, policy=SOON, on=on, stats=stats, log=False)
    assert (script.calls, stops(stats)) == (2, {"max_retries": 1})
    assert raised.value.__notes__
    assert isinstance(raised.value.__cause__, asyncio.CancelledError | trio.Cancelled)


def test_a_value_that_is_late_counts(form):
    async def call():
        try:
            await forever()
        except asyncio.CancelledError:
            return "late"
        except trio.Cancelled:
            return "late"

    assert form(call, policy=SOON, on=()) == "late"


def test_a_failure_that_is_late_is_a_timeout(form):
    async def call():
        try:
            await forever()
        except (asyncio.CancelledError, trio.Cancelled):
            raise KeyError("late") from None

    with pytest.raises(TimeoutError) as raised:
        form(call, policy=SOON, on=(), log=False)
    assert isinstance(raised.value.__cause__, KeyError)


def test_an_interruption_that_is_late_is_no_timeout(form):
    class Interruption(BaseException):
        pass

    async def call():
        try:
            await forever()
        except (asyncio.CancelledError, trio.Cancelled):
            raise Interruption from None

    with pytest.raises(Interruption):
        form(call, policy=SOON, on=())


def test_a_timeout_within_the_call_is_one_of_the_call(form):
    async def call():
        raise TimeoutError("of the call")

    with pytest.raises(TimeoutError, match="of the call"):
        form(call, policy=LATE, on=())


def test_a_cancellation_from_outside_is_one():
    async def cancelled(form):
        stats = RetryStats()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await form(forever, policy=LATE, on=(), stats=stats)
        assert stops(stats) == {"cancelled": 1}

    async def cancelled_in_trio(form):
        stats = RetryStats()
        with trio.move_on_after(0.001):
            await form(forever, policy=LATE, on=(), stats=stats)
        assert stops(stats) == {"cancelled": 1}

    from loops import ASYNCIO, TRIO

    for form in ASYNCIO.values():
        asyncio.run(cancelled(form))
    for form in TRIO.values():
        trio.run(cancelled_in_trio, form)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_anyio(backend):
    async def call():
        with pytest.raises(TimeoutError):
            await retrying(SOON, on=(), log=False).call(anyio.sleep_forever)

    anyio.run(call, backend=backend)


@pytest.mark.parametrize("form", [*SYNC.values(), GENERATORS["generator"]])
def test_a_blocking_loop_refuses_it(form):
    script = Script(1)
    with pytest.raises(
        TypeError, match=r"^attempt_timeout cannot end a .*: retry an async function"
    ):
        form(script, policy=SOON, on=())
    with pytest.raises(
        TypeError, match=r"^attempt_timeout cannot end a .*: retry an async function"
    ):
        form(script, on=(), attempt_timeout=5)
    assert script.calls == 0


@pytest.mark.parametrize("form", [SYNC["decorated"], SYNC["block"]])
def test_a_blocking_loop_that_gets_it_later_refuses_it(form):
    script = Script(*[1] * 3)
    with pytest.raises(TypeError, match=r"^attempt_timeout cannot end"):
        form(script, policy=lambda: SOON, on=())
    with fake_time(policy=SOON), pytest.raises(TypeError, match=r"^attempt_timeout cannot end"):
        form(script, on=())
    assert script.calls == 0


def test_it_is_no_default_of_all_loops():
    with pytest.raises(TypeError, match=r"^attempt_timeout cannot be a default of all loops"):
        set_defaults(policy=SOON)
    assert retrying(on=()).call(lambda: 1) == 1


def test_the_limit_ends_with_max_elapsed_and_the_deadline(form):
    lefts = []

    async def call():
        time.advance_ns(10**9)
        lefts.append(None)
        await forever()

    for options, elapsed in [
        ({"attempt_timeout": 0.5}, "0.5 s"),
        ({"attempt_timeout": 9, "max_elapsed": 0.25}, "0.25 s"),
    ]:
        with fake_time() as time, pytest.raises(TimeoutError, match=f"limit of {elapsed}"):
            form(call, policy="constant:base=0s,max_retries=0", on=(), log=False, **options)
    with fake_time() as time:
        options = {"attempt_timeout": 9, "deadline_ns": time.now_ns() + 750_000_000}
        with pytest.raises(TimeoutError, match=r"limit of 0.75 s"):
            form(call, policy="constant:base=0s,max_retries=0", on=(), log=False, **options)
    assert len(lefts) == 3


def test_fake_time_ends_an_attempt(time):
    """Nothing but the fake clock does, in an hour."""

    @retry(LATE, on=(), log=False)
    async def call():
        assert current_attempt().time_left == 3600
        time.advance_ns(3600 * 10**9)
        await asyncio.sleep(0)
        time.advance_ns(1)
        assert current_attempt().time_left == 0
        await asyncio.sleep(0)
        pytest.fail("it goes on")

    with pytest.raises(TimeoutError, match="attempt 2 met its limit of 3600 s"):
        asyncio.run(call())


@pytest.mark.parametrize("name", ["asyncio-call", "trio"])
def test_fake_time_of_another_thread_ends_an_attempt(name, time):
    threads = []

    async def call():
        threads.append(threading.Thread(target=time.advance_ns, args=[3601 * 10**9]))
        threads[-1].start()
        await forever()

    with pytest.raises(TimeoutError, match="attempt 2 met its limit of 3600 s"):
        FORMS[name](call, policy=LATE, on=(), log=False)
    for thread in threads:
        thread.join()
    assert time.elapsed_ns == 2 * 3601 * 10**9


def test_fake_time_leaves_an_attempt_that_is_over(form, time):
    with pytest.raises(OSError, match="over") as raised:
        form(Script(OSError("over")), policy=LATE, on=(), log=False)
    time.advance_ns(3601 * 10**9)
    assert raised.value.__traceback__ is not None


def test_a_task_of_neither_library():
    call = retrying(SOON, on=()).call(functools.partial(asyncio.sleep, 0))
    with pytest.raises(RuntimeError, match="neither asyncio nor trio runs this task"):
        call.send(None)


def test_reset_after(time):
    """An attempt that ran long begins the count anew."""
    calls = []

    @retry("constant:base=1s,max_retries=1,reset_after=1m", on=OSError, log=False)
    def connect():
        calls.append(None)
        if len(calls) < 5:
            time.advance_ns(60 * 10**9)
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        connect()
    assert len(calls) == 5
    assert Policy.parse("default").replace(reset_after=60).reset_after == 60.0
