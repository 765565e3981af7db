"""Every form of a loop, driven by a script of what the calls raise or return."""

import asyncio
import functools
import inspect

import trio
from backoff_rs import retry, retrying


class Script:
    """A function that raises or returns the next item of a script at each call."""

    def __init__(self, *results):
        self.results = iter(results)
        self.calls = 0

    def __call__(self, *_args, **_kwargs):
        self.calls += 1
        result = next(self.results)
        if isinstance(result, BaseException) or (
            isinstance(result, type) and issubclass(result, BaseException)
        ):
            raise result
        return result


def decorated(script, **options):
    @retry(**options)
    def call():
        return script()

    return call()


def method(script, **options):
    class Client:
        @retry(**options)
        def call(self):
            return script(self)

    return Client().call()


def called(script, **options):
    return retrying(**options).call(script)


def block(script, **options):
    for attempt in retrying(**options):
        with attempt:
            attempt.value = script()
            assert attempt.number == script.calls
    return attempt.value


async def result_of(script):
    """What the script or a coroutine function returns."""
    result = script()
    return await result if inspect.isawaitable(result) else result


async def decorated_async(script, **options):
    @retry(**options)
    async def call():
        await asyncio_or_trio()
        return await result_of(script)

    return await call()


async def call_async(script, **options):
    return await retrying(**options).call(functools.partial(result_of, script))


async def block_async(script, **options):
    async for attempt in retrying(**options):
        with attempt:
            attempt.value = await result_of(script)
    return attempt.value


async def block_async_with(script, **options):
    async for attempt in retrying(**options):
        async with attempt:
            attempt.value = await result_of(script)
    return attempt.value


async def asyncio_or_trio():
    await (trio.sleep(0) if trio.lowlevel.in_trio_task() else asyncio.sleep(0))


def contexts(error):
    """The exception and the chain of its contexts."""
    while error is not None:
        yield error
        error = error.__context__


def first_item(script, **options):
    """A generator, up to its first item."""

    @retry(**options)
    def items():
        yield script()

    return next(items())


async def first_item_async(script, **options):
    @retry(**options)
    async def items():
        yield await result_of(script)

    generator = items()
    try:
        return await anext(generator)
    finally:
        await generator.aclose()


def on_asyncio(form):
    return lambda script, **options: asyncio.run(form(script, **options))


def on_trio(form):
    return lambda script, **options: trio.run(functools.partial(form, script, **options))


SYNC = {"decorated": decorated, "method": method, "called": called, "block": block}
ASYNCIO = {
    "asyncio": decorated_async,
    "asyncio-call": call_async,
    "asyncio-block": block_async,
    "asyncio-block-with": block_async_with,
}
TRIO = {"trio": decorated_async, "trio-block": block_async, "trio-block-with": block_async_with}
ASYNC = {name: on_asyncio(form) for name, form in ASYNCIO.items()} | {
    name: on_trio(form) for name, form in TRIO.items()
}
FORMS = {**SYNC, **ASYNC}
GENERATORS = {"generator": first_item, "async-generator": on_asyncio(first_item_async)}
