"""What varies a loop: fields beside the policy, other options for one call, own delays, fallbacks, the
arguments of the call, and the attempt within it."""

import asyncio
import copy
import functools
import pickle
from datetime import timedelta
from fractions import Fraction

import loops
import pytest
from backoff_rs import (
    Attempt,
    Policy,
    PolicyError,
    RandomStream,
    RetryError,
    RetryStats,
    current_attempt,
    permanent,
    retry,
    retry_after,
    retrying,
    with_options,
)
from jobs import DELAYS, RESET, SECOND, Events, run, stops

pytestmark = pytest.mark.usefixtures("time")


@pytest.fixture(params=loops.FORMS)
def form(request):
    return loops.FORMS[request.param]


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ({"max_retries": 5}, "default:max_retries=5"),
        ({"max_retries": None}, "default:max_retries=none"),
        ({"policy": "sidekiq", "max_attempts": 2, "jitter": "full"}, "sidekiq:max_attempts=2,jitter=full"),
        ({"policy": Policy.parse("full:base=1s,cap=5s"), "cap": None}, "full:base=1s"),
        ({"base": timedelta(milliseconds=5), "jitter": "none"}, "default:base=5ms,jitter=none"),
        ({"growth": "steps", "waits": [5, 300]}, "steps:waits=5s/5m"),
        ({"retry_after_max": None}, "default:retry_after_max=none"),
        ({"delays": [1, 2]}, "default:max_retries=2"),
        ({"delays": [1] * 5}, "default:max_retries=5"),
        ({"delays": [1] * 5, "max_elapsed": 9}, "default:max_retries=5,max_elapsed=9s"),
        ({"delays": [1] * 5, "policy": "default"}, "default"),
        ({"delays": [1] * 5, "max_attempts": 3}, "default:max_retries=2"),
        ({"delays": [1, 2], "max_retries": 1}, "default:max_retries=1"),
        ({"delays": [1, 2], "max_retries": None}, "default:max_retries=2"),
    ],
)  # fmt: skip
def test_fields_beside_the_policy(options, policy):
    assert repr(retrying(on=(), **options)) == f"<Retrying {Policy.parse(policy)}>"


def test_fields_that_do_not_fit_the_policy():
    with pytest.raises(PolicyError, match=r"^cap 10ms is below base 100ms$"):
        retry(on=(), cap=0.01)
    with pytest.raises(TypeError, match="growth makes a whole policy"):
        retry(lambda: "default", on=(), growth="linear")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "aws-sdk-2026"),
        ({"max_retries": 9}, "aws-sdk-2026:max_retries=9"),
        ({"max_attempts": 9}, "aws-sdk-2026:max_attempts=9"),
        ({"throttled_base": None, "base": 2}, "aws-sdk-2026:throttled_base=none,base=2s"),
        ({"jitter": None}, "aws-sdk-2026:jitter=none"),
        ({"growth": "linear"}, "linear:base=50ms,cap=20s,jitter=full,max_retries=2,"
         "throttled_base=1s,retry_after_max_extra=5s"),
    ],
)  # fmt: skip
def test_a_policy_with_other_fields(changes, text):
    policy = Policy.parse("aws-sdk-2026")
    assert policy.replace(**changes) == policy.__replace__(**changes) == Policy.parse(text)
    assert policy == Policy.parse("aws-sdk-2026")
    if hasattr(copy, "replace"):
        assert copy.replace(policy, **changes) == Policy.parse(text)


def test_a_policy_of_the_arguments(time):
    given = {"one": "constant:base=1s", "two": Policy.parse("constant:base=2s,max_retries=9")}

    @retry(lambda which: given[which], on=OSError, max_retries=1, log=False)
    def call(which):
        raise RESET

    for which in given:
        with pytest.raises(ConnectionResetError):
            call(which)
    assert time.slept == [1.0, 2.0]
    given["one"] = "constant:base=1s,jitter=half"
    with pytest.raises(PolicyError, match="half"):
        call("one")
    given["one"] = 5
    with pytest.raises(TypeError, match="policy must be a Policy or a policy string, not int"):
        call("one")


@retry("constant:base=1s", on=OSError, max_retries=3, seed=1, log=False)
def fetch(url, *, script):
    return script()


class Client:
    @retry("constant:base=1s,max_retries=3", on=OSError, log=False)
    def get(self, script):
        return self, script()

    @retry("constant:base=1s,max_retries=3", on=OSError, log=False)
    async def get_async(self, script):
        return self, script()


def test_other_options_of_a_function(time):
    script = loops.Script(*[RESET] * 2, *[RESET] * 4)
    with pytest.raises(ConnectionResetError):
        with_options(fetch, max_retries=1, base=5)("url", script=script)
    assert (script.calls, time.slept) == (2, [5.0])
    with pytest.raises(ConnectionResetError):
        fetch("url", script=script)
    assert (script.calls, time.slept) == (6, [5.0, 1.0, 1.0, 1.0])
    twice = with_options(with_options(fetch, max_retries=1), base=2, stream=RandomStream(3))
    with pytest.raises(ConnectionResetError):
        twice("url", script=loops.Script(RESET, RESET))
    assert time.slept[4:] == [2.0]
    # A policy also replaces the fields beside the old one.
    with pytest.raises(ConnectionResetError):
        with_options(fetch, policy="constant:base=3s,max_retries=2")(
            "url", script=loops.Script(*[RESET] * 3)
        )
    assert time.slept[5:] == [3.0, 3.0]


def test_other_options_read_an_iterator_again():
    for delays in (iter([1, 2]), [1, 2]):
        waits = retrying(on=OSError, delays=delays, log=False)
        if isinstance(delays, list):
            delays.clear()
        script = loops.Script(*[RESET] * 3)
        with pytest.raises(ConnectionResetError):
            waits.with_options(name="again").call(script)
        assert script.calls == 3


@pytest.mark.parametrize(
    ("changes", "policy"),
    [
        ({"cap": 9}, "default:base=1s,cap=9s,max_retries=5"),
        ({"delays": [1]}, "default:base=1s,max_retries=1"),
        ({"delays": None}, "default:base=1s"),
        ({"max_retries": 4}, "default:base=1s,max_retries=4"),
        ({"policy": "default"}, "default"),
    ],
)
def test_other_options_beside_a_list_of_delays(changes, policy):
    own = retrying(on=(), delays=[1] * 5, base=1)
    for loop in (own.with_options(**changes), own.with_options(floor=0).with_options(**changes)):
        assert repr(loop) == f"<Retrying {Policy.parse(policy)}>"


def test_other_fields_take_the_place_of_those_that_they_exclude(time):
    steps = retrying(on=OSError, growth="steps", waits=iter([9, 9]), max_retries=3, log=False)
    for changes, slept in [
        ({"max_attempts": 2}, [9.0]),
        ({"growth": "linear", "base": 1, "max_retries": 2}, [1.0, 2.0]),
    ]:
        before = len(time.slept)
        with pytest.raises(ConnectionResetError):
            steps.with_options(**changes).call(loops.Script(*[RESET] * 9))
        assert time.slept[before:] == slept


def test_other_options_of_a_method(time):
    client = Client()
    assert with_options(client.get, on=KeyError)(loops.Script(KeyError, 1)) == (client, 1)
    call = with_options(client.get_async, on=KeyError)
    assert asyncio.run(call(loops.Script(KeyError, 1))) == (client, 1)
    assert with_options(Client.get, on=KeyError)(client, loops.Script(KeyError, 1)) == (client, 1)
    assert call.__name__ == "get_async"


@functools.wraps(fetch)
def above(*args, **kwargs):
    return fetch(*args, **kwargs)


@pytest.mark.parametrize(
    "function",
    [len, above, retrying(on=()), fetch.__wrapped__],
    ids=["builtin", "decorated", "loop", "plain"],
)
def test_other_options_of_something_else(function):
    with pytest.raises(TypeError, match="with_options takes a function that @retry returned, not"):
        with_options(function, max_retries=1)


def test_other_options_are_checked():
    for changed in (
        retrying(on=OSError).with_options,
        lambda **options: with_options(fetch, **options),
    ):
        with pytest.raises(TypeError, match="tries is no option of with_options; did you mean"):
            changed(tries=3)
        with pytest.raises(PolicyError, match="max_retries -1"):
            changed(max_retries=-1)
    with pytest.raises(TypeError, match="pass a stream or a seed"):
        with_options(fetch, stream=RandomStream(1), seed=1)
    assert repr(retrying("sidekiq", on=(), cap=90).with_options(cap=None)) == repr(
        retrying("sidekiq", on=())
    )
    loop = retrying(on=OSError, max_retries=5)
    assert repr(pickle.loads(pickle.dumps(loop)).with_options(max_retries=6)) == repr(
        retrying(on=(), max_retries=6)
    )


def test_delays_of_a_function(form, time):
    seen = []

    def delay(index, failure):
        seen.append((index, failure))
        return [Fraction(1, 3), timedelta(seconds=2), None][index]

    run(form, loops.Script(RESET, RESET, RESET, 1), delays=delay)
    assert time.slept_ns == [333_333_333, 2 * SECOND, DELAYS[2]]
    assert seen == [(index, RESET) for index in range(3)]


def test_delays_after_a_value(time):
    seen = []
    poll = retrying(
        on=(), on_result=lambda value: value < 3, delays=lambda *of: seen.append(of), log=False
    )
    assert poll.call(loops.Script(1, 2, 3)) == 3
    assert seen == [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("delay", "error", "message"),
    [
        (-1, PolicyError, "^delays -1s is below 0$"),
        ("soon", TypeError, "^delays must be seconds"),
        (asyncio.sleep, TypeError, "^delays must be seconds"),
    ],
)
def test_a_delay_that_is_none(form, delay, error, message):
    stats, events = RetryStats(), Events()
    with pytest.raises(error, match=message) as raised:
        run(form, loops.Script(RESET), events, stats, delays=lambda *_: delay)
    assert RESET in loops.contexts(raised.value)
    assert (stops(stats), events.all) == ({"cancelled": 1}, [])


def test_a_delay_is_not_awaited():
    async def delay(index, failure):
        return 1

    with pytest.raises(TypeError, match="delays is a coroutine function, which no loop awaits"):
        retry(on=(), delays=delay)
    with pytest.raises(TypeError, match="is a coroutine function, which nothing awaits"):
        loops.called(loops.Script(RESET), on=OSError, log=False, delays=lambda *of: delay(*of))


FALLBACK_FORMS = {name: form for name, form in loops.FORMS.items() if "block" not in name}


@pytest.mark.parametrize("form", FALLBACK_FORMS.values(), ids=FALLBACK_FORMS)
@pytest.mark.parametrize(
    ("script", "options", "reason", "raised"),
    [
        ([RESET] * 2, {"max_retries": 1}, "max_retries", ConnectionResetError),
        ([RESET] * 2, {"max_retries": 1, "reraise": False}, "max_retries", RetryError),
        ([KeyError()], {}, "permanent", KeyError),
        ([permanent(OSError())], {}, "permanent", OSError),
        ([1], {"on_result": lambda value: "permanent"}, "permanent", RetryError),
        ([RESET], {"max_elapsed": 0}, "max_elapsed", ConnectionResetError),
    ],
)
def test_a_fallback(form, script, options, reason, raised):
    for value in (None, [], "text"):
        stats, events = RetryStats(), Events()
        assert run(form, loops.Script(*script), events, stats, fallback=value, **options) is value
        assert stops(stats) == {reason: 1}
        assert events.all[-1].reason == reason
    seen = []
    assert (
        run(form, loops.Script(*script), fallback=lambda error: seen.append(error) or 7, **options)
        == 7
    )
    (error,) = seen
    assert type(error) is raised


def test_a_fallback_that_is_awaited():
    async def fallback(error):
        await asyncio.sleep(0)
        return repr(error)

    assert (
        loops.ASYNC["asyncio"](loops.Script(KeyError()), on=(), fallback=fallback) == "KeyError()"
    )
    with pytest.raises(TypeError, match="fallback is a coroutine function"):
        loops.called(loops.Script(KeyError()), on=(), fallback=fallback)
    with pytest.raises(TypeError, match=r"lambda.* is a coroutine function"):
        loops.called(loops.Script(KeyError()), on=(), fallback=lambda error: fallback(error))


def test_a_mark_without_a_delay_leaves_the_delay_to_the_policy(time):
    script = loops.Script(retry_after(Mine()), 1)
    loops.called(script, policy="constant:base=10ms", on=OSError, log=False)
    assert time.slept == [0.01]


def test_a_fallback_that_is_a_value_is_not_awaited():
    class Later:
        def __await__(self):
            pytest.fail("it is a value")

    later = Later()
    assert loops.ASYNC["asyncio"](loops.Script(KeyError()), on=(), fallback=later) is later


@pytest.mark.parametrize("form", FALLBACK_FORMS.values(), ids=FALLBACK_FORMS)
def test_a_fallback_that_is_not_used(form):
    def fail(event):
        raise LookupError("the hook")

    assert run(form, loops.Script(RESET, 1), fallback=9) == 1
    with pytest.raises(LookupError, match="the hook"):
        run(form, loops.Script(KeyError()), on_stop=fail, fallback=9)
    with pytest.raises(LookupError, match="the hook"):
        run(form, loops.Script(RESET), on_retry=fail, fallback=9)
    with pytest.raises(LookupError) as raised:
        run(form, loops.Script(KeyError()), fallback=fail)
    assert any(isinstance(error, KeyError) for error in loops.contexts(raised.value))


def test_a_cancelled_loop_has_no_fallback():
    with pytest.raises(KeyboardInterrupt):
        loops.called(loops.Script(KeyboardInterrupt), on=OSError, fallback=9)

    async def cancelled():
        async def call():
            asyncio.current_task().cancel()
            await asyncio.sleep(0)

        await loops.call_async(call, on=OSError, fallback=9)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


WITHOUT = {
    **{name: form for name, form in loops.FORMS.items() if "block" in name},
    **loops.GENERATORS,
}


@pytest.mark.parametrize("form", WITHOUT.values(), ids=WITHOUT)
def test_forms_without_a_fallback(form):
    script = loops.Script(RESET)
    with pytest.raises(TypeError, match="fallback"):
        form(script, on=OSError, fallback=1)
    assert script.calls == 0


def test_the_arguments_of_a_call_in_events():
    events = Events()

    class Secret:
        def __reduce__(self):
            raise AssertionError("pickled")

    secret = Secret()

    @retry(on=OSError, on_retry=events.on_retry, on_stop=events.on_stop, log=False, base=0)
    def call(one, *, two):
        return script()

    script = loops.Script(RESET, 1)
    call(1, two=secret)
    for event in events.all:
        assert (event.args, event.kwargs) == ((1,), {"two": secret})
        assert "Secret" not in repr(event)
        for same in (copy.copy(event), pickle.loads(pickle.dumps(event))):
            assert (same.args, same.kwargs) == ((), {})
    events = Events()
    run(loops.block, loops.Script(RESET, 1), events)
    assert [(event.args, event.kwargs) for event in events.all] == [((), {})] * 2


def helper():
    return current_attempt()


CALLS = {**FALLBACK_FORMS, **loops.GENERATORS}


@pytest.mark.parametrize("form", CALLS.values(), ids=CALLS)
def test_the_current_attempt(form, time):
    seen = []

    def call(*_self):
        attempt = helper()
        assert isinstance(attempt, Attempt)
        with pytest.raises(RuntimeError, match="an attempt is entered once"):
            attempt.__enter__()
        seen.append((attempt.number, attempt.last_error, attempt.time_left))
        return script()

    script = loops.Script(RESET, KeyError(), 1)
    form(call, policy="constant:base=1s,max_elapsed=5s", on=(OSError, KeyError), log=False)
    assert [number for number, *_ in seen] == [1, 2, 3]
    assert [type(error) for _, error, _ in seen] == [type(None), ConnectionResetError, KeyError]
    assert [left for *_, left in seen] == [5.0, 4.0, 3.0]


def test_the_time_left(time):
    deadline_ns = time.now_ns() + 2 * SECOND
    lefts = []

    def call():
        time.advance_ns(SECOND // 2)
        lefts.append(current_attempt().time_left)
        return script()

    script = loops.Script(RESET, 1)
    policy = "constant:base=1s,max_elapsed=1s,elapsed_from=failure"
    retrying(policy, on=OSError, deadline_ns=deadline_ns, log=False).call(call)
    # Then the deadline ends before max_elapsed would, at 0.5 + 1 s, and the second attempt looks at that time.
    assert lefts == [1.5, 0]
    retrying(on=OSError).call(lambda: lefts.append(current_attempt().time_left))
    assert lefts[2:] == [None]


def test_no_current_attempt():
    with pytest.raises(RuntimeError, match="no retrying function runs here"):
        current_attempt()
    for attempt in retrying(on=OSError, log=False, base=0):
        with attempt:
            assert attempt.last_error is (None if attempt.number == 1 else RESET)
            assert attempt.time_left is None
            with pytest.raises(RuntimeError, match="no retrying function runs here"):
                current_attempt()
            if attempt.number < 3:
                raise RESET
    assert attempt.last_error is None


def test_the_innermost_attempt():
    @retry(on=OSError)
    def inner():
        return current_attempt().number

    @retry(on=OSError, log=False, base=0)
    def outer():
        if current_attempt().number == 1:
            raise RESET
        return inner(), current_attempt().number

    assert outer() == (1, 2)


class Mine(Exception):
    pass


@pytest.mark.parametrize(
    ("group", "calls"),
    [
        (ExceptionGroup("", [RESET, OSError()]), 2),
        (ExceptionGroup("", [RESET, ExceptionGroup("", [OSError()])]), 2),
        (ExceptionGroup("", [RESET, Mine()]), 1),
        (ExceptionGroup("", [RESET, ExceptionGroup("", [Mine()])]), 1),
        (ExceptionGroup("", [RESET, permanent(OSError())]), 1),
        (ExceptionGroup("", [Mine(), retry_after(Mine(), 3)]), 1),
        (ExceptionGroup("", [RESET, retry_after(Mine(), 3)]), 2),
    ],
)
def test_a_group_is_repeated_if_every_exception_may_be(form, group, calls, time):
    script = loops.Script(group, 1)
    if calls == 2:
        run(form, script)
    else:
        with pytest.raises(ExceptionGroup):
            run(form, script)
    assert script.calls == calls
    if len(group.exceptions) == 2 and type(group.exceptions[1]) is Mine and calls == 2:
        assert time.slept == [3.0]


def test_a_group_waits_as_long_as_any_of_its_exceptions(time):
    group = ExceptionGroup("", [retry_after(Mine(), 3), retry_after(Mine(), timedelta(seconds=4))])
    run(loops.called, loops.Script(group, 1))
    assert time.slept == [4.0]


@pytest.mark.parametrize("others", [[], [RESET]])
@pytest.mark.parametrize("first", [True, False])
def test_a_group_with_a_throttled_exception_is_throttled(others, first):
    events, marked = Events(), [retry_after(Mine(), 3)]
    group = ExceptionGroup("", marked + others if first else others + marked)
    with pytest.raises(ExceptionGroup):
        run(loops.called, loops.Script(group), events, max_retries=0)
    assert [event.outcome for event in events.all] == ["throttled"]


def test_nested_tuples_of_types():
    for raised in (OSError, KeyError, ValueError, Mine):
        assert (
            loops.called(
                loops.Script(raised, 1), on=(OSError, (KeyError, (ValueError | Mine,))), log=False
            )
            == 1
        )
    with pytest.raises(TypeError, match="int is never retried"):
        retry(on=(OSError, (int,)))
