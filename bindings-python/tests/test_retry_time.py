"""The waits of loops: real ones, and their replacements in tests."""

import asyncio
import contextlib
import functools
import itertools
import subprocess
import sys
import threading
import time
import types

import loops
import pytest
import trio
from backoff_rs import Policy, PolicyError, RandomStream, RetryStats, _log, retry, retrying
from backoff_rs.testing import fake_time

RESET = ConnectionResetError("reset")


@pytest.mark.parametrize("form", loops.FORMS)
def test_a_wait_is_never_shorter_than_its_delay(form):
    ended = []

    class Timed(loops.Script):
        def __call__(self, *_args):
            ended.append(time.monotonic_ns())
            return super().__call__()

    events, script = [], Timed(*[RESET] * 30, "done")
    policy = "full:base=2ms,cap=2ms,max_retries=30"
    begun = time.monotonic()
    loops.FORMS[form](script, policy=policy, on=OSError, on_retry=events.append, log=False)
    took = [after - before for before, after in itertools.pairwise(ended)]
    assert all(gap >= event.delay_ns for gap, event in zip(took, events, strict=True))
    assert time.monotonic() - begun < 60


def test_a_blocking_loop_in_a_coroutine_says_so_once(caplog, monkeypatch):
    monkeypatch.setattr(_log, "_told", set())
    policy = "constant:base=1ns,max_retries=1"

    async def main(log):
        for _ in range(2):
            retrying(policy, on=OSError, name="job", log=log).call(loops.Script(RESET, 1))

    loops.called(loops.Script(RESET, 1), policy=policy, on=OSError)
    asyncio.run(main(log=False))
    with fake_time():
        asyncio.run(main(log=True))
    assert "blocks" not in caplog.text
    asyncio.run(main(log=True))
    assert [record.message for record in caplog.records if "blocks" in record.message] == [
        "backoff: the loop job blocks the event loop as it waits; "
        "retry an async function, or call it by asyncio.to_thread"
    ]


def of_module(name, function):
    """The function as if that module defined it."""
    scope = {**function.__globals__, "__name__": name}
    return types.FunctionType(function.__code__, scope, closure=function.__closure__)


@pytest.mark.parametrize("form", ["called", "asyncio-call"])
def test_a_timer_that_fires_early_is_set_again(form, monkeypatch):
    requested, real = [], (time.sleep, asyncio.sleep)

    def sleep(seconds):
        requested.append(seconds)
        real[0](seconds if len(requested) > 1 else 0)

    async def sleep_async(seconds):
        requested.append(seconds)
        await real[1](seconds if len(requested) > 1 else 0)

    monkeypatch.setattr(time, "sleep", of_module("time", sleep))
    monkeypatch.setattr(asyncio, "sleep", of_module("asyncio.tasks", sleep_async))
    begun = time.monotonic_ns()
    loops.FORMS[form](loops.Script(RESET, 1), policy="constant:base=300ms", on=OSError, log=False)
    assert time.monotonic_ns() - begun >= 300_000_000
    assert 0.3 >= requested[0] >= requested[1] > 0


def test_a_long_wait_does_not_overflow(monkeypatch):
    requested = []
    monkeypatch.setattr(time, "sleep", requested.append)
    loops.called(loops.Script(RESET, 1), policy="constant:base=106751d", on=OSError, log=False)
    assert requested == [86400.0]


def test_a_fake_that_wraps_sleep_is_called_once(monkeypatch):
    """Its __module__ is that of the genuine one."""
    requested, genuine = [], asyncio.sleep

    @functools.wraps(time.sleep)
    def sleep(seconds):
        requested.append(seconds)

    @functools.wraps(asyncio.sleep)
    async def sleep_async(seconds):
        requested.append(seconds)
        await genuine(0)

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(asyncio, "sleep", sleep_async)
    for form in ("called", "asyncio-call"):
        loops.FORMS[form](loops.Script(RESET, 1), policy="constant:base=1h", on=OSError, log=False)
    assert requested == pytest.approx([3600, 3600], abs=60)


def test_a_wait_of_0_can_be_cancelled():
    @retry("constant:base=1ns", on=OSError, log=False)
    async def call():
        raise RESET

    async def run():
        async with asyncio.timeout(0.05):
            await call()

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_without_asyncio_and_trio():
    """Under another event loop, a loop needs a sleep of its own."""

    class Pause:
        def __await__(self):
            yield "paused"

    async def sleep(_delay):
        await Pause()

    def call(**options):
        coroutine = retrying(on=OSError, log=False, **options).call(fails_once())
        return coroutine, coroutine.send(None)

    coroutine, paused = call(sleep=sleep)
    assert paused == "paused"
    with pytest.raises(StopIteration) as end:
        coroutine.send(None)
    assert end.value.value == "done"
    with pytest.raises(RuntimeError, match="pass sleep="):
        call()


def fails_once():
    script = loops.Script(RESET, "done")

    async def call():
        return script()

    return call


@pytest.mark.parametrize("form", loops.ASYNC)
@pytest.mark.parametrize("hook", ["on", "on_result", "on_retry", "on_stop"])
def test_async_hooks_and_predicates_are_awaited(form, hook):
    got = []

    async def hook_function(argument):
        await loops.asyncio_or_trio()
        got.append(argument)
        return hook == "on" or argument == "pending"

    options = {"on": OSError, hook: hook_function}
    script = loops.Script(RESET, "done") if hook != "on_result" else loops.Script("pending", "done")
    with fake_time():
        if form.endswith("-block") and hook != "on_retry":
            # `with attempt` cannot await, and raises.
            with pytest.raises(TypeError, match="nothing awaits here"):
                loops.ASYNC[form](script, log=False, **options)
            assert got == []
            return
        assert loops.ASYNC[form](script, log=False, **options) == "done"
    assert len(got) == (2 if hook == "on_result" else 1)


async def hook_function(_argument):
    pass


class Hook:
    async def __call__(self, _argument):
        pass


@pytest.mark.parametrize("hook", ["on", "on_result", "on_retry", "on_stop", "sleep"])
@pytest.mark.parametrize("function", [hook_function, functools.partial(hook_function), Hook()])
def test_a_blocking_loop_rejects_coroutine_functions(hook, function):
    """It raises before a call whose result would be lost."""
    retries = retrying(log=False, **{"on": OSError, hook: function})

    def generator():
        yield

    for rejected in [lambda: retries(print), lambda: iter(retries)]:
        with pytest.raises(TypeError, match=f"{hook} is a coroutine function, which nothing awai"):
            rejected()
    if hook != "on_result":
        with pytest.raises(TypeError, match=f"{hook} is a coroutine function, which nothing awai"):
            retries(generator)
    retries(fails_once())


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("hook", ["on", "on_result", "on_stop"])
def test_with_attempt_rejects_coroutine_functions_before_the_call(hook, nested):
    """Within `async with attempt`, too: the loop ends once."""
    called, stats = [], RetryStats()

    async def run():
        options = {"on": OSError, hook: hook_function, "stats": stats}
        async for attempt in retrying(log=False, **options):
            async with attempt if nested else contextlib.nullcontext():
                with attempt:
                    called.append(1)

    with pytest.raises(TypeError, match=f"{hook} is a coroutine function, which nothing awaits"):
        asyncio.run(run())
    assert (called, stats.operations, stats.stops["cancelled"]) == ([], 1, 1)


def test_with_attempt_rejects_coroutines():
    """Also of a function that does not show that it returns them."""

    async def run():
        async for attempt in retrying(on=lambda error: hook_function(error), log=False):
            with attempt:
                raise RESET

    with pytest.raises(TypeError, match="which nothing awaits here"):
        asyncio.run(run())


@pytest.mark.parametrize("hook", ["on", "on_result", "on_retry", "on_stop", "sleep"])
def test_a_blocking_loop_rejects_coroutines(hook):
    script = loops.Script(RESET, "done") if hook != "on_result" else loops.Script("done")
    options = {"on": OSError, hook: lambda argument: hook_function(argument)}
    if hook == "sleep":
        # Without a clock, fake time would replace it.
        options["clock_ns"] = lambda: 0
    with fake_time(), pytest.raises(TypeError, match="nothing awaits here"):
        loops.called(script, log=False, **options)


def test_fake_time_numbers_loops_as_they_begin():
    def delays(order):
        events = {}
        with fake_time(seed=3):
            begun = [
                iter(
                    retrying(
                        on=OSError, log=False, on_retry=functools.partial(events.__setitem__, n)
                    )
                )
                for n in range(2)
            ]
            attempts = [next(loop) for loop in begun]
            for n in order:
                with attempts[n]:
                    raise RESET
                next(begun[n])
        return [events[n].delay_ns for n in range(2)]

    assert delays([0, 1]) == delays([1, 0])


def test_fake_time():
    with fake_time(seed=3) as outer:
        loops.called(loops.Script(RESET, 1), on=OSError, log=False)
        with fake_time(policy="constant:base=1s,max_retries=1") as inner:
            script = loops.Script(RESET, RESET, RESET)
            with pytest.raises(ConnectionResetError):
                loops.called(script, on=OSError, log=False)
            assert (inner.slept, inner.elapsed_ns, script.calls) == ([1.0], 10**9, 2)
        thread = threading.Thread(
            target=loops.called, args=[loops.Script(RESET, 1)], kwargs={"on": OSError, "log": False}
        )
        thread.start()
        thread.join()
        outer.advance_ns(5)
    streams = [RandomStream(3, "loop-1"), RandomStream(3, "loop-2")]
    first = [Policy.parse("default").delay_ns(stream, 0) for stream in streams]
    assert outer.slept_ns == first
    assert outer.elapsed_ns == sum(first) + 5
    with pytest.raises(PolicyError), fake_time(policy="ful"):
        pass
    with fake_time() as again:
        assert again.slept == []


@pytest.mark.parametrize(
    ("arguments", "raised", "message"),
    [
        ({"policy": "ful"}, PolicyError, "ful"),
        ({"policy": 3}, TypeError, "policy must be a Policy or a policy string, not int"),
        ({"seed": -1}, PolicyError, "seed"),
        ({"seed": None}, TypeError, "seed must be an int, not NoneType"),
    ],
)
def test_arguments_of_fake_time_are_rejected_at_once(arguments, raised, message):
    with pytest.raises(raised, match=message):
        fake_time(**arguments)


@pytest.mark.parametrize("form", loops.FORMS)
def test_fake_time_replaces_a_sleep(form):
    """A loop without a clock of its own would otherwise wait, and not advance the clock."""
    waits = []
    with fake_time() as fake:
        script = loops.Script(RESET, "done")
        policy = "constant:base=2s"
        loops.FORMS[form](script, policy=policy, on=OSError, sleep=waits.append, log=False)
    assert (waits, fake.slept, fake.elapsed_ns) == ([], [2.0], 2 * 10**9)


def test_fake_time_leaves_a_loop_with_its_own_clock_alone():
    waits = []
    with fake_time() as fake:
        own = {"sleep": waits.append, "clock_ns": lambda: 0}
        loops.called(
            loops.Script(RESET, 1), policy="constant:base=2s", on=OSError, log=False, **own
        )
    assert (waits, fake.slept) == ([2.0], [])


def test_fake_time_replaces_the_sleep_of_another_library():
    with fake_time() as fake:
        coroutine = retrying("constant:base=2s", on=OSError, sleep=print, log=False).call(
            fails_once()
        )
        with pytest.raises(StopIteration, match="done"):
            coroutine.send(None)
    assert fake.slept == [2.0]


@pytest.mark.parametrize("library", [asyncio, trio])
def test_concurrent_waits_overlap_in_fake_time(library):
    policy = "constant:base=1s,max_retries=5,max_elapsed=3s"

    def job():
        return loops.call_async(loops.Script(RESET, RESET, 1), policy=policy, on=OSError, log=False)

    async def in_asyncio():
        await asyncio.gather(*[job() for _ in range(5)])

    async def in_trio():
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(job)

    with fake_time() as fake:
        library.run(in_asyncio() if library is asyncio else in_trio)
    assert fake.slept == [1.0] * 10
    assert fake.elapsed_ns == 2 * 10**9


@pytest.mark.parametrize("form", loops.FORMS)
def test_without_a_limit_the_longest_wait_is_waited(form):
    """Also after time has passed, and at the end of the fake clock."""
    script = loops.Script(*[RESET] * 4, "done")
    with fake_time() as fake:
        policy = f"constant:base={2**63 - 1}ns"
        assert loops.FORMS[form](script, policy=policy, on=OSError, log=False) == "done"
    assert fake.slept_ns == [2**63 - 1] * 4
    assert fake.now_ns() == 2**64 - 1


@pytest.mark.parametrize(
    ("time_ns", "raised"),
    [(-1, PolicyError), (0.5, TypeError), (True, TypeError), ("1", TypeError)],
)
def test_a_fake_clock_advances_by_whole_nanoseconds(time_ns, raised):
    with fake_time() as fake, pytest.raises(raised, match=r"^time_ns "):
        fake.advance_ns(time_ns)
    assert fake.elapsed_ns == 0


def test_fake_time_is_no_decorator():
    """For a coroutine function it would end before the first step."""
    with pytest.raises(TypeError, match="not callable"):
        fake_time()(print)


def test_deadline_functions_keep_their_meaning_in_fake_time():
    """In each call, although the clock has advanced."""
    stats, real = RetryStats(), time.monotonic_ns
    call = retrying(
        "constant:base=1s",
        on=OSError,
        stats=stats,
        deadline_ns=lambda script: time.monotonic_ns() + 5 * 10**9,
        log=False,
    ).call
    for attempts in (6, 12, 18):
        with fake_time(), fake_time() as fake:
            for _ in range(attempts // 6):
                with pytest.raises(ConnectionResetError):
                    call(lambda script: script(), loops.Script(*[RESET] * 9))
        assert fake.slept == [1.0] * (attempts * 5 // 6)
    assert stats.attempts == 6 + 12 + 18
    assert time.monotonic_ns is real


def test_asyncio_with_trio_as_its_guest():
    """Tasks of trio sleep with trio, those of asyncio with asyncio."""
    done = []

    async def in_trio():
        script, options = loops.Script(RESET, "trio"), {"on": OSError, "log": False}
        done.append(await loops.call_async(script, policy="constant:base=1ms", **options))

    async def run():
        ended = asyncio.get_running_loop().create_future()
        trio.lowlevel.start_guest_run(
            in_trio,
            run_sync_soon_threadsafe=asyncio.get_running_loop().call_soon_threadsafe,
            done_callback=lambda outcome: ended.set_result(outcome.unwrap()),
        )
        script, options = loops.Script(RESET, "asyncio"), {"on": OSError, "log": False}
        done.append(await loops.call_async(script, policy="constant:base=1ms", **options))
        await ended

    asyncio.run(run())
    assert sorted(done) == ["asyncio", "trio"]


def test_neither_library_is_imported():
    code = "import sys, backoff_rs, backoff_rs.testing; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"asyncio", "trio", "anyio", "structlog"} & set(run.stdout.split())
