"""The options of loops: keys and streams, names, and arguments that are rejected."""

import asyncio
import contextlib
import copy
import pickle
import re
import time as real_time
from collections.abc import Coroutine
from typing import Union

import loops
import pytest
from backoff_rs import (
    Budget,
    Policy,
    PolicyError,
    RandomStream,
    Retrying,
    RetryStats,
    retry,
)
from jobs import DELAYS, POLICY, RESET, Events, run, stops


@pytest.fixture(params=loops.FORMS)
def form(request, time):
    return loops.FORMS[request.param]


def test_keys_from_the_arguments_of_a_call(time):
    of_job = {"key": lambda job, **_: job, "deadline_ns": lambda job, **_: None}

    @retry(POLICY, on=OSError, seed=42, log=False, **of_job)
    def call(job, *, script):
        return script()

    for job in ["job-1", "job-2", "job-1"]:
        call(job, script=loops.Script(RESET, 1))
    first, second, third = time.slept_ns
    assert first == third == DELAYS[0]
    assert second == Policy.parse(POLICY).delay_ns(RandomStream(42, "job-2"), 0)


@pytest.mark.parametrize(
    ("options", "index_0"),
    [
        ({"stream": RandomStream(42, "job-1")}, DELAYS[0]),
        ({"seed": 42, "key": b"job-1"}, DELAYS[0]),
        ({"seed": 42}, Policy.parse(POLICY).delay_ns(RandomStream(42), 0)),
    ],
)
def test_streams_of_the_caller(time, options, index_0):
    for _ in range(2):
        loops.called(loops.Script(RESET, 1), policy=POLICY, on=OSError, log=False, **options)
    assert time.slept_ns == [index_0] * 2


def test_each_loop_has_a_random_stream_of_its_own():
    waits = []
    for _ in range(10):
        loops.called(loops.Script(RESET, 1), on=OSError, log=False, sleep=waits.append)
    assert len(set(waits)) == 10


async def coroutine(*_args):
    pass


@pytest.mark.parametrize(
    ("options", "raised", "message"),
    [
        ({}, TypeError, r"on is missing, .*: write @retry\(on=E, max_retries=5\)$"),
        (
            {"on": OSError, "tries": 5},
            TypeError,
            "tries is no option of retry; did you mean max_att",
        ),
        (
            {"on": OSError, "polcy": ""},
            TypeError,
            r"polcy is .*did you mean policy\? .* budget, cl",
        ),
        ({"on": OSError, "zzz": 5}, TypeError, "zzz is no option of retry. The options are budget"),
        ({"on": OSError, "max_retries": -1}, PolicyError, "max_retries -1 is below 0"),
        ({"on": OSError, "max_retries": "5"}, TypeError, "max_retries must be an int, not str"),
        ({"on": (), "delays": 5}, TypeError, "delays must be an iterable of durations or a funct"),
        ({"on": (), "delays": {1, 2}}, TypeError, "delays must be an iterable .*, not set"),
        ({"on": (), "retry": 5}, TypeError, "retry is no .* did you mean on=E or max_retries=N"),
        ({"on": (), "total": 5}, TypeError, "total is no .* did you mean max_retries=N"),
        ({"on": (), "autoretry_for": OSError}, TypeError, "did you mean on=E"),
        ({"on": (), "delays": ["5s"]}, TypeError, "delays must be seconds .*, not str"),
        ({"on": (), "delays": [1, -1]}, PolicyError, "delays -1s is below 0"),
        ({"on": (), "log_levels": "info"}, TypeError, "log_levels must be two of 'debug', 'info'"),
        ({"on": (), "log_levels": ("info", "x")}, TypeError, "log_levels must be two of"),
        ({"on": "OSError"}, TypeError, "on must be an exception type, a tuple of them or a"),
        ({"on": (OSError, "E")}, TypeError, "on must be an exception type, a tuple of them or"),
        ({"on": KeyboardInterrupt}, TypeError, "KeyboardInterrupt is never retried"),
        ({"on": (OSError, int)}, TypeError, "int is never retried: it is not an Exception"),
        ({"on": (), "policy": "ful"}, PolicyError, "ful"),
        ({"on": [OSError, KeyError]}, TypeError, r"on must be .*: write a tuple, on=\(A, B\)"),
        ({"on": OSError | int}, TypeError, "int is never retried: it is not an Exception"),
        ({"on": OSError | None}, TypeError, "NoneType is never retried"),
        ({"on": (), "policy": 3}, TypeError, "policy must be a Policy or a policy string, not int"),
        ({"on": (), "policy": None}, TypeError, "policy must be a Policy or a policy .*NoneType"),
        ({"on": (), "key": "job"}, TypeError, "pass a seed too"),
        ({"on": (), "seed": -1}, PolicyError, "seed"),
        ({"on": (), "seed": 1, "key": 2.5}, TypeError, "key must be"),
        (
            {"on": (), "seed": 1, "stream": RandomStream(1)},
            TypeError,
            "a stream or a seed, not both",
        ),
        ({"on": (), "stream": 42}, TypeError, "stream must be a RandomStream, not int"),
        (
            {"on": (), "budget": "sre"},
            TypeError,
            r'^budget must be a Budget, not str: write Budget\.parse\("sre"\)$',
        ),
        ({"on": (), "stats": 1}, TypeError, "stats must be a RetryStats, not int"),
        ({"on": (), "log": 1}, TypeError, "log must be a bool"),
        ({"on": (), "log": None}, TypeError, "log must be a bool"),
        ({"on": (), "reraise": 1}, TypeError, "reraise must be a bool, not int"),
        ({"on": (), "reraise": None}, TypeError, "reraise must be a bool, not NoneType"),
        ({"on": (), "name": 1}, TypeError, "name must be a str, not int"),
        ({"on": (), "deadline_ns": 1.5}, TypeError, "deadline_ns must be an int, not float"),
        ({"on": (), "deadline_ns": -1}, PolicyError, "deadline_ns"),
        ({"on": (), "seed": -1, "key": str}, PolicyError, "seed"),
        ({"on": (), "seed": "1", "key": str}, TypeError, "seed must be an int, not str"),
        ({"on": (), "seed": 1, "key": coroutine}, TypeError, "key is a coroutine function"),
        ({"on": (), "deadline_ns": coroutine}, TypeError, "deadline_ns is a coroutine function"),
        ({"on": (), "clock_ns": coroutine}, TypeError, "clock_ns is a coroutine function"),
        ({"on": (), "on_stop": 1}, TypeError, "on_stop must be callable, not int"),
        ({"on": (), "sleep": 1}, TypeError, "sleep must be callable, not int"),
    ],
)
def test_invalid_options(options, raised, message):
    with pytest.raises(raised, match=message) as error:
        Retrying(**options)
    assert not hasattr(error.value, "__notes__")


def generator():
    yield


class Decorated:
    pass


@pytest.mark.parametrize(
    ("decorate", "message"),
    [
        (lambda: retry(on=())(staticmethod(print)), "beneath @staticmethod"),
        (lambda: retry(on=())(contextlib.contextmanager(generator)), "beneath @contextmanager"),
        (lambda: retry(on=()).call(contextlib.asynccontextmanager(generator)), "beneath"),
        (lambda: retry(on=())(3), "decorates a function, not int"),
        (lambda: retry(on=())(Decorated), "retry decorates functions, not the class Decorated"),
        (lambda: retry(on=(), on_result=bool)(generator), "on_result does not work with generator"),
    ],
)
def test_objects_that_cannot_be_decorated(decorate, message):
    with pytest.raises(TypeError, match=message):
        decorate()


def test_a_context_manager_is_retried(time):
    script = loops.Script(RESET, "entered")

    @contextlib.contextmanager
    @retry(on=OSError)
    def connection():
        yield script()

    with connection() as entered:
        assert (entered, script.calls) == ("entered", 2)


def test_a_class_can_be_called(time):
    assert isinstance(Retrying(on=()).call(Decorated), Decorated)


@pytest.mark.parametrize(
    "on",
    [OSError | KeyError, Union[OSError, KeyError], (TypeError, OSError | KeyError)],  # noqa: UP007
    ids=["|", "Union", "tuple"],
)
def test_a_union_of_types(form, time, on):
    assert run(form, loops.Script(RESET, KeyError, "done"), on=on) == "done"
    with pytest.raises(ValueError, match="other"):
        run(form, loops.Script(ValueError("other")), on=on)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda old: pickle.loads(pickle.dumps(old))]
)
def test_copies_of_options(time, copied):
    """Those of a Budget are impossible, because a Budget has no copies."""
    original = Retrying(POLICY, on=(OSError,), seed=42, key="job-1", stats=RetryStats())
    assert copied(original).call(loops.Script(RESET, "done")) == "done"
    assert time.slept_ns == [DELAYS[0]]
    with pytest.raises(ValueError, match="other"):
        copied(original).call(loops.Script(ValueError("other")))
    with pytest.raises(TypeError, match="Budget"):
        pickle.dumps(Retrying(on=(), budget=Budget.parse("sre")))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        retrying = pickle.loads(pickle.dumps(Retrying(on=(), name="job"), protocol))
        assert retrying.call(lambda: "done") == "done"


class Request(Coroutine):
    """A coroutine of another type, as that of aiohttp. It owns one of Python's, which warns if
    nobody closes it."""

    def __init__(self, coroutine):
        self.coroutine = coroutine

    def __await__(self):
        return self.coroutine.__await__()

    def send(self, value):
        return self.coroutine.send(value)

    def throw(self, *error):
        return self.coroutine.throw(*error)

    def close(self):
        self.coroutine.close()


class Session:
    async def _get(self):
        raise RESET

    def get(self):
        return Request(self._get())


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    ("function", "kind"),
    [(Session()._get, "coroutine"), (Session().get, r"test_retry_options\.Request")],
)
def test_a_function_that_returns_a_coroutine(asynchronous, function, kind):
    """Such as the get() of aiohttp's session. Nothing has run that could be retried."""
    stats = RetryStats()
    retrying = Retrying(on=(), on_result=lambda _: False, stats=stats)
    must = rf"must be awaited \({kind}\)"

    async def call():
        await retrying.call(lambda: function())

    with pytest.raises(TypeError, match=rf"returned something that {must}: retry an async functi"):
        asyncio.run(call()) if asynchronous else retrying.call(lambda: function())
    assert stops(stats) == {"cancelled": 1}


class Deferred:
    """An awaitable that runs by itself, as those of Twisted and ray."""

    def __await__(self):
        raise AssertionError
        yield


class Proxy:
    """A proxy that stands for nothing yet, as those of werkzeug: only its type can be asked."""

    def __await__(self):
        raise AssertionError
        yield

    def __getattribute__(self, name):
        raise RuntimeError(f"unbound: {name}")


class ProxyOfCoroutine:
    """A proxy that claims to be a coroutine."""

    __class__ = Coroutine

    def __await__(self):
        raise AssertionError
        yield


@pytest.mark.parametrize("kind", [Deferred, Proxy, ProxyOfCoroutine])
def test_a_function_that_returns_another_awaitable(time, kind):
    """The call took effect: it is not refused. A blocking loop ignores that of a hook."""
    stats, result = RetryStats(), kind()
    hooks = {"on_stop": lambda _: kind()} if kind is not ProxyOfCoroutine else {}
    assert Retrying(on=(), stats=stats, **hooks).call(lambda: result) is result
    assert stops(stats) == {"success": 1}


@pytest.mark.parametrize("make", ["task", "future"])
def test_a_function_that_returns_a_task_or_a_future(time, make):
    """It runs by itself: only the call that makes it is retried."""
    stats = RetryStats()

    async def work():
        return "done"

    async def call():
        loop = asyncio.get_running_loop()
        make_one = loop.create_future if make == "future" else lambda: loop.create_task(work())
        made = Retrying(on=(), stats=stats).call(make_one)
        if make == "future":
            made.set_result("done")
        return await made

    assert asyncio.run(call()) == "done"
    assert stops(stats) == {"success": 1}


def numpys(name):
    return type(name, (), {"__module__": "numpy"})()


@pytest.mark.parametrize(
    ("result", "means_yes"),
    [
        (re.search("reset", "connection reset"), True),
        (1, True),
        (0, False),
        (None, False),
        ("", False),
        (["why"], True),
        ([], False),
    ],
)
def test_a_predicate_that_returns_no_bool(time, result, means_yes):
    """Its truth value counts."""
    script = loops.Script(RESET, "done")
    call = Retrying("constant:base=1s", on=lambda _: result).call
    if means_yes:
        assert call(script) == "done"
    else:
        with pytest.raises(ConnectionResetError):
            call(script)
    values = loops.Script(1, 2)
    results = iter([result, False])
    poll = Retrying("constant:base=1s", on=(), on_result=lambda _: next(results))
    assert poll.call(values) == (2 if means_yes else 1)


class Future:
    def __await__(self):
        yield


async def asynchronous_generator():
    yield True


@pytest.mark.parametrize(
    ("result", "error", "message"),
    [
        ("permanant", PolicyError, "permanant"),
        (Future(), TypeError, "returned .*Future, which nothing awaits here"),
        # A slip, such as a function that is not called, or any() that is missing.
        *(
            (
                result,
                TypeError,
                re.escape(f"returned {shown}") + ".*, which says neither yes nor no",
            )
            for result, shown in [
                (ConnectionError, "<class 'ConnectionError'>"),
                (real_time.time, "<built-in function time>"),
                (asynchronous_generator, "<function asynchronous_generator at"),
                (re.compile("reset").search, "<built-in method search of re.Pattern"),
                ((word in "reset" for word in ["refused"]), "<generator object"),
                (asynchronous_generator(), "<async_generator object"),
                (NotImplemented, "NotImplemented"),
            ]
        ),
    ],
)
@pytest.mark.parametrize("form", [loops.called, loops.ASYNC["asyncio-call"]])
def test_a_predicate_that_returns_no_verdict(time, form, result, error, message):
    if form is not loops.called and isinstance(result, Future):
        return
    for options in ({"on": lambda _: result}, {"on": (), "on_result": lambda _: result}):
        script, stats = loops.Script(RESET if options["on"] else 1), RetryStats()
        with pytest.raises(error, match=message) as raised:
            form(script, policy="constant:base=1s,max_retries=1", stats=stats, **options)
        if error is PolicyError:
            assert raised.value.__notes__ == [f"returned by {[*options][-1]}"]
        assert (script.calls, stops(stats)) == (1, {"cancelled": 1})


def test_a_bare_decorator():
    with pytest.raises(TypeError, match=r"write @retry\(on=E\)$"):

        @retry
        def fetch():
            """Has no failures that may be repeated."""


def test_reraise_is_a_bool():
    with pytest.raises(TypeError, match=r"^reraise must be a bool, not numpy\.bool$"):
        Retrying(on=(), reraise=numpys("bool"))


@pytest.mark.parametrize("deadline_ns", [-1, 1.5, "soon"])
def test_an_invalid_deadline_of_a_call(form, time, deadline_ns):
    events, script = Events(), loops.Script(1)
    with pytest.raises((PolicyError, TypeError), match="deadline_ns"):
        run(form, script, events, deadline_ns=lambda *_: deadline_ns)
    assert (script.calls, events.all) == (0, [])


@pytest.mark.parametrize("of", ["now", "call"])
def test_a_deadline_of_another_clock(form, time, of):
    """It would never pass."""
    stats, script, deadline_ns = RetryStats(), loops.Script(1), real_time.time_ns() + 5 * 10**9
    given = deadline_ns if of == "now" else lambda *_: deadline_ns
    with pytest.raises(
        PolicyError, match=r"years away; it is a time of time\.monotonic_ns"
    ) as raised:
        run(form, script, stats=stats, deadline_ns=given)
    error = raised.value
    assert (error.code, error.field, error.value) == ("too_large", "deadline_ns", deadline_ns)
    assert error.limit == time.now_ns() + 3652 * 86_400 * 10**9 + 12 * 3600 * 10**9
    assert (script.calls, stops(stats)) == (0, {"cancelled": 1})


def test_a_decorated_function_keeps_its_name_and_doc():
    @retry(on=OSError)
    def call(one: int, two: str = "2") -> bytes:
        """Its doc."""

    assert (call.__name__, call.__doc__) == ("call", "Its doc.")
    assert call.__wrapped__.__code__.co_varnames == ("one", "two")


def test_names(time):
    events = Events()
    run(loops.decorated, loops.Script(1), events)
    run(loops.decorated, loops.Script(1), events, name="job")
    run(loops.block, loops.Script(1), events)
    names = ["loops.decorated.<locals>.call", "job", "loop"]
    assert [event.name for event in events.all] == names
