"""The defaults of all loops of the program (SPEC 18.8)."""

import asyncio
import contextlib
import logging
import threading

import loops
import pytest
import vectors
from backoff_rs import Budget, RetryStats, retry, retrying, set_defaults
from backoff_rs.testing import fake_time
from jobs import BUDGET, RESET, Events, is_idle, stops

pytestmark = pytest.mark.usefixtures("time")


@pytest.fixture(params=loops.FORMS)
def form(request):
    return loops.FORMS[request.param]


def test_hooks_of_both_run(form):
    order, events = [], Events()
    hooks = {"on_retry": lambda event: order.append("own"), "on_stop": events.on_stop}
    with set_defaults(on_retry=lambda event: order.append(event.name), on_stop=events.on_stop):
        form(loops.Script(RESET, 1), on=OSError, name="job", log=False, **hooks)
    assert order == ["job", "own"]
    assert [event.reason for event in events.all] == ["success"] * 2
    assert events.all[0] is events.all[1]
    form(loops.Script(RESET, 1), on=OSError, log=False)
    assert order == ["job", "own"]


def test_an_own_hook_that_is_awaited():
    order = []

    async def own(event):
        await asyncio.sleep(0)
        order.append("own")

    with set_defaults(on_retry=lambda event: order.append("program")):
        loops.ASYNC["asyncio"](loops.Script(RESET, 1), on=OSError, log=False, on_retry=own)
    assert order == ["program", "own"]


def test_a_hook_that_fails_ends_the_loop(form):
    def fail(event):
        raise LookupError

    own = []
    with set_defaults(on_retry=fail), pytest.raises(LookupError):
        form(loops.Script(RESET), on=OSError, log=False, on_retry=own.append)
    assert own == []


@pytest.mark.parametrize("result", [RESET, 1])
def test_retries_are_off(form, result, time):
    stats, events, budget = RetryStats(), Events(), Budget.parse(BUDGET)
    script = loops.Script(result)
    options = {"on_result": lambda value: True, "reraise": False} if result == 1 else {}
    with set_defaults(enabled=False), pytest.raises(Exception) as raised:  # noqa: PT011
        form(
            script,
            policy="constant:base=1s",
            on=OSError,
            stats=stats,
            budget=budget,
            delays=[1, 2],
            on_stop=events.on_stop,
            **options,
        )
    assert (script.calls, time.slept, stops(stats)) == (1, [], {"max_retries": 1})
    assert [event.reason for event in events.all] == ["max_retries"]
    assert "max_retries" in (str(raised.value) if result == 1 else raised.value.__notes__[0])
    assert is_idle(budget)


def test_off_leaves_other_ends(form):
    stats = RetryStats()
    with set_defaults(enabled=False):
        assert form(loops.Script(1), on=OSError, stats=stats) == 1
        with pytest.raises(KeyError):
            form(loops.Script(KeyError), on=OSError, stats=stats)
    assert stops(stats) == {"success": 1, "permanent": 1}


def test_a_function_that_is_decorated_before(time):
    script = loops.Script(*[RESET] * 20)

    @retry(on=OSError, log=False)
    def plain():
        return script()

    @retry("constant:base=1s,max_retries=1", on=OSError, log=False)
    def own():
        return script()

    @retry(on=OSError, max_retries=1, log=False, base=2, jitter="none")
    def fields():
        return script()

    def waits(function):
        before = len(time.slept)
        with pytest.raises(ConnectionResetError):
            function()
        return time.slept[before:]

    with set_defaults(policy="constant:base=5s", max_retries=2):
        assert [waits(function) for function in (plain, own, fields)] == [[5.0, 5.0], [1.0], [2.0]]
        with set_defaults(max_retries=1):
            assert waits(plain) == [5.0]
        with fake_time(policy="constant:base=9s,max_retries=1") as other:
            with pytest.raises(ConnectionResetError):
                plain()
            assert other.slept == [9.0]
            with set_defaults(enabled=False), pytest.raises(ConnectionResetError):
                plain()
            assert other.slept == [9.0]
    assert len(waits(plain)) == 3


def test_options_that_a_loop_has_win(caplog):
    stats, own = RetryStats(), RetryStats()
    with set_defaults(stats=stats, reraise=False, log_levels=("error", "critical")):
        for options in ({"stats": own, "reraise": True, "log_levels": ("info", "info")}, {}):
            with pytest.raises(Exception) as raised:  # noqa: PT011
                loops.called(loops.Script(RESET, RESET), on=OSError, max_retries=1, **options)
            assert isinstance(raised.value, ConnectionResetError) is bool(options)
    assert (stops(stats), stops(own)) == ({"max_retries": 1}, {"max_retries": 1})
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.CRITICAL]


def test_they_are_restored():
    events = Events()
    first = set_defaults(on_stop=events.on_stop)
    try:
        with set_defaults(enabled=False, log=False) as second:
            assert repr(second) == "<Defaults enabled, log>"
        assert loops.called(loops.Script(RESET, 1), on=OSError, log=False) == 1
    finally:
        first.restore()
    loops.called(loops.Script(1), on=OSError)
    assert len(events.all) == 1


def test_they_add_up_and_each_takes_back_its_own():
    seen = []

    def hook(name):
        return lambda event: seen.append(name)

    def fail():
        seen.clear()
        script = loops.Script(*[RESET] * 5)
        with pytest.raises(ConnectionResetError):
            loops.called(script, on=OSError, log=False)
        return script.calls, [*seen]

    with contextlib.ExitStack() as defaults:
        library = set_defaults(on_stop=hook("library"), max_retries=4, base=0)
        defaults.callback(library.restore)
        program = defaults.enter_context(set_defaults(on_stop=hook("program"), max_attempts=2))
        assert fail() == (2, ["library", "program"])
        off = defaults.enter_context(set_defaults(enabled=False))
        program.restore()
        assert fail() == (1, ["library"])
        off.restore()
        assert fail() == (5, ["library"])


@pytest.mark.parametrize("case", vectors.cases("defaults"))
def test_they_are_those_of_the_vectors(case, time):
    called, defaults = [], {}

    def options_of(step):
        options = dict(step["options"])
        if (name := options.pop("hook", None)) is not None:
            options["on_retry"] = lambda event: called.append(f"retry {name}")
            options["on_stop"] = lambda event: called.append(f"stop {name}")
        return options

    with contextlib.ExitStack() as stack:
        for step in case["steps"]:
            match step["do"]:
                case "set":
                    defaults[step["call"]] = stack.enter_context(set_defaults(**options_of(step)))
                case "restore":
                    defaults[step["call"]].restore()
                case "loop":
                    called.clear()
                    before = len(time.slept)
                    loop = retrying(on=OSError, log=False, **options_of(step))
                    with pytest.raises(ConnectionResetError):
                        loop.call(loops.Script(*[RESET] * 9))
                    waits = [round(wait * 1e9) for wait in time.slept[before:]]
                    assert waits == [*map(int, step["waits"])]
                    assert called == step["hooks"]


def test_they_are_those_of_all_threads():
    reasons = []

    def work():
        with pytest.raises(ConnectionResetError):
            loops.called(loops.Script(RESET), on=OSError)

    with set_defaults(enabled=False, on_stop=lambda event: reasons.append(event.reason)):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert reasons == ["max_retries"] * 4


async def coroutine(*_args):
    pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"enabled": 0}, "enabled must be a bool, not int"),
        ({"on_retry": coroutine}, "on_retry is a coroutine function"),
        ({"on_stop": 5}, "on_stop must be callable, not int"),
        ({"on": OSError}, r"on is no option of set_defaults"),
        ({"tries": 3}, "tries is no option of set_defaults; did you mean max_attempts=N"),
    ],
)
def test_invalid_defaults(options, message):
    with pytest.raises(TypeError, match=message):
        set_defaults(**options)
    assert retrying(on=()).call(lambda: 1) == 1


@pytest.mark.parametrize(
    ("defaults", "retries"),
    [
        ([{"policy": "constant:base=9s,max_retries=5"}], 4),
        ([{"policy": "default"}], 3),
        ([{"max_attempts": 3}], 2),
        ([{"base": 9}, {"max_elapsed": 3600}], 4),
        ([{"enabled": False}], 0),
    ],
)
def test_a_list_of_delays_beside_defaults(time, defaults, retries):
    with contextlib.ExitStack() as stack:
        for options in defaults:
            stack.enter_context(set_defaults(**options))
        with pytest.raises(ConnectionResetError):
            retrying(on=OSError, delays=[1, 2, 3, 4], log=False).call(loops.Script(*[RESET] * 9))
    assert time.slept == [1.0, 2.0, 3.0, 4.0][:retries]


def test_a_list_of_delays_beside_a_policy_of_fake_time():
    loop = retrying(on=OSError, delays=[1, 2, 3, 4], log=False)
    with fake_time(policy="off") as fake, pytest.raises(ConnectionResetError):
        loop.call(loops.Script(RESET))
    assert fake.slept == []
