"""Generators are retried up to their first item; after it everything passes through."""

import asyncio
import functools
import inspect

import pytest
from backoff_rs import Retrying, RetryStats, retry

pytestmark = pytest.mark.usefixtures("time")


def drain(generator):
    return list(generator)


def drain_async(generator):
    async def drain():
        return [item async for item in generator]

    return asyncio.run(drain())


class Source:
    """A generator function that fails a number of times before its first item, and optionally
    after its last."""

    def __init__(self, failures, items=(1, 2), last=None):
        self.failures, self.items, self.last = failures, items, last
        self.calls = 0

    def begin(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise ConnectionError(self.calls)

    def sync(self):
        @retry(on=ConnectionError, log=False)
        def items():
            self.begin()
            yield from self.items
            if self.last:
                raise self.last
            return "end"

        return items()

    def asynchronous(self):
        @retry(on=ConnectionError, log=False)
        async def items():
            self.begin()
            for item in self.items:
                yield item
            if self.last:
                raise self.last

        return items()


KINDS = [
    pytest.param(Source.sync, drain, id="sync"),
    pytest.param(Source.asynchronous, drain_async, id="async"),
]


@pytest.mark.parametrize(("make", "drain"), KINDS)
def test_no_item_is_yielded_twice(make, drain, time):
    source, got = Source(failures=1, last=ConnectionError("late")), []
    with pytest.raises(ConnectionError, match="late"):
        drain(recorded(make(source), got))
    assert (got, source.calls, len(time.slept)) == ([1, 2], 2, 1)


def recorded(generator, got):
    if not inspect.isasyncgen(generator):
        return (got.append(item) for item in generator)
    return (got.append(item) async for item in generator)


@pytest.mark.parametrize(("make", "drain"), KINDS)
def test_a_generator_without_items(make, drain):
    source = Source(failures=1, items=())
    assert drain(make(source)) == []
    assert source.calls == 2


def test_the_return_value_of_a_generator():
    def outer(source):
        return (yield from source.sync())

    for items in [(), (1,)]:
        generator = outer(Source(failures=1, items=items))
        assert [next(generator) for _ in items] == list(items)
        with pytest.raises(StopIteration) as end:
            next(generator)
        assert end.value.value == "end"


def test_send_throw_and_close():
    got = []

    @retry(on=ConnectionError)
    def items():
        try:
            got.append((yield 1))
            try:
                yield 2
            except KeyError as error:
                got.append(error)
            yield 3
            yield 4
        finally:
            got.append("closed")

    generator, thrown = items(), KeyError("thrown")
    assert next(generator) == 1
    assert generator.send("sent") == 2
    assert generator.throw(thrown) == 3
    assert generator.send(None) == 4
    generator.close()
    assert got == ["sent", thrown, "closed"]
    with pytest.raises(StopIteration):
        next(generator)


def test_asend_athrow_and_aclose():
    got = []

    @retry(on=ConnectionError)
    async def items():
        try:
            got.append((yield 1))
            try:
                yield 2
            except KeyError as error:
                got.append(error)
            yield 3
            yield 4
        finally:
            got.append("closed")

    async def run():
        generator, thrown = items(), KeyError("thrown")
        assert await anext(generator) == 1
        assert await generator.asend("sent") == 2
        assert await generator.athrow(thrown) == 3
        assert await generator.asend(None) == 4
        await generator.aclose()
        assert got == ["sent", thrown, "closed"]
        with pytest.raises(StopAsyncIteration):
            await anext(generator)

    asyncio.run(run())


def test_decorated_functions_keep_their_kind():
    @retry(on=())
    def items():
        yield

    @retry(on=())
    async def items_async():
        yield

    @retry(on=())
    async def call():
        pass

    assert inspect.isgeneratorfunction(items)
    assert inspect.isasyncgenfunction(items_async)
    assert inspect.iscoroutinefunction(call)


def items(calls):
    calls.append(1)
    yield 1


async def items_async(calls):
    calls.append(1)
    yield 1


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@pytest.mark.parametrize(
    "wrapped", [logged, lambda function: lambda calls: function(calls)], ids=["wraps", "lambda"]
)
@pytest.mark.parametrize(
    ("function", "why"),
    [
        (items, "a generator that has not begun: retry a generator function, with `yield from`$"),
        (items_async, "a generator that has not begun: retry an async generator function$"),
    ],
)
def test_a_function_that_returns_a_generator(wrapped, function, why):
    """Nothing has run that could be retried."""
    calls, stats = [], RetryStats()
    with pytest.raises(TypeError, match=f"returned {why}"):
        Retrying(on=Exception, on_result=lambda _: True, stats=stats).call(wrapped(function), calls)
    assert (calls, stats.attempts, stats.stops["cancelled"]) == ([], 1, 1)


@pytest.mark.parametrize(("make", "drain"), [(items, drain), (items_async, drain_async)])
def test_a_partial_of_a_generator_function(make, drain):
    calls = []
    assert drain(Retrying(on=()).call(functools.partial(make, calls))) == [1]
    assert calls == [1]


def begun():
    generator = items([])
    next(generator)
    return generator


def ended():
    generator = begun()
    assert [*generator] == []
    return generator


@pytest.mark.parametrize("call", [begun, ended, lambda: (item for item in fetched())])
def test_a_generator_of_which_something_has_run_is_a_result(call):
    """Of a generator expression, the first iterable."""
    stats = RetryStats()
    assert inspect.isgenerator(Retrying(on=(), stats=stats).call(call))
    assert stats.stops["success"] == 1


def fetched():
    return [1]


@pytest.mark.parametrize("function", [items, items_async])
def test_a_generator_that_a_coroutine_function_returns_is_a_result(function):
    """What it awaited before was retried."""

    async def open_stream():
        return function([])

    made = asyncio.run(Retrying(on=()).call(open_stream))
    assert inspect.isgenerator(made) or inspect.isasyncgen(made)
