"""Decorated functions: each stays a function, coroutine function or (async) generator function."""

from __future__ import annotations

import functools
import sys
from types import AsyncGeneratorType, GeneratorType

from ._backoff import _type_name
from ._functions import (
    is_async_generator_function,
    is_coroutine_function,
    is_generator_function,
    is_lost,
)
from ._loop import Loop
from ._options import NO_FALLBACK
from ._time import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from typing import Any, Final, TypeVar

    from ._options import Options

    _F = TypeVar("_F", bound=Callable[..., Any])


def wrap(options: Options, function: _F) -> _F:
    """The function with retries."""
    if isinstance(function, staticmethod | classmethod):
        raise TypeError("retry goes beneath @staticmethod and @classmethod, not above")
    contextlib = sys.modules.get("contextlib")
    if contextlib and getattr(function, "__globals__", None) is vars(contextlib):
        raise TypeError("retry goes beneath @contextmanager, not above: its call runs nothing yet")
    if not callable(function):
        raise TypeError(f"retry decorates a function, not {_type_name(function)}")
    name = options.name or _name(function)
    generates = is_generator_function(function)
    generates_async = is_async_generator_function(function)
    if (generates or generates_async) and options.on_result is not None:
        raise TypeError(f"on_result does not work with generator functions such as {name}")
    if (generates or generates_async) and options.fallback is not NO_FALLBACK:
        raise TypeError(f"fallback does not work with generator functions such as {name}")
    awaits = generates_async or is_coroutine_function(function)
    if not awaits:
        options.reject_coroutine_functions()
        options.reject_attempt_timeout(f"a call of {name}")
    if generates:
        retried = _generator(options, name, function)
    elif generates_async:
        retried = _async_generator(options, name, function)
    elif awaits:
        retried = _coroutine(options, name, function)
    else:
        retried = _function(options, name, function)
    wrapped: Any = functools.wraps(function)(retried)
    decorated: _F = wrapped
    return decorated


def _name(function: object) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{getattr(function, '__module__', None) or '?'}.{name}"


def _function(options: Options, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def retried(*args: Any, **kwargs: Any) -> Any:
        loop = Loop(options, name, False, args, kwargs)
        try:
            while True:
                if rest := loop.attempt():
                    run(rest)
                try:
                    value = function(*args, **kwargs)
                except BaseException as error:
                    if rest := loop.failed(error):
                        run(rest)
                    if not loop.decision:
                        raise
                else:
                    if value is not None and (why := _why_nothing_ran(value)):
                        raise TypeError(f"{name} returned {why}")
                    if rest := loop.returned(value):
                        run(rest)
                    if not loop.decision:
                        return value
                    del value
                if rest := loop.wait():
                    run(rest)
        except BaseException as error:
            if rest := loop.left(error):
                run(rest)
            if loop.gives_fallback:
                return loop.fallback(error)
            raise

    return retried


def _why_nothing_ran(value: object) -> str | None:
    """Why this value of a plain function says nothing about a call, if so: it is lazy. A generator
    expression has evaluated its first iterable, which may be the call."""
    if is_lost(value):
        what = f"something that must be awaited ({_type_name(value)})"
        return f"{what}: retry an async function that awaits it"
    what = "a generator that has not begun: retry"
    if type(value) is AsyncGeneratorType:
        # Only an async function could have begun it.
        return f"{what} an async generator function"
    if (
        type(value) is GeneratorType
        and value.gi_frame is not None
        and not (value.gi_suspended or value.gi_running)
        and value.gi_code.co_name != "<genexpr>"
    ):
        return f"{what} a generator function, with `yield from`"
    return None


def _coroutine(options: Options, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    async def retried(*args: Any, **kwargs: Any) -> Any:
        loop = Loop(options, name, True, args, kwargs)
        try:
            while True:
                if rest := loop.attempt():
                    await rest
                try:
                    value = await loop.watch(function(*args, **kwargs))
                except BaseException as error:
                    if rest := loop.failed(error):
                        await rest
                    if not loop.decision:
                        raise
                else:
                    if rest := loop.returned(value):
                        await rest
                    if not loop.decision:
                        return value
                    del value
                if rest := loop.wait():
                    await rest
        except BaseException as error:
            if rest := loop.left(error):
                await rest
            if loop.gives_fallback:
                return await loop.fallback_async(error)
            raise

    return retried


def _generator(options: Options, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def retried(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        loop = Loop(options, name, False, args, kwargs)
        try:
            while True:
                if rest := loop.attempt():
                    run(rest)
                generator = function(*args, **kwargs)
                try:
                    item = next(generator)
                except StopIteration as end:
                    if rest := loop.returned(None):
                        run(rest)
                    return end.value
                except BaseException as error:
                    if rest := loop.failed(error):
                        run(rest)
                    if not loop.decision:
                        raise
                else:
                    if rest := loop.returned(item):
                        run(rest)
                    return (yield from _rest(generator, item))
                if rest := loop.wait():
                    run(rest)
        except BaseException as error:
            if rest := loop.left(error):
                run(rest)
            raise

    return retried


def _rest(generator: Generator[Any, Any, Any], item: Any) -> Generator[Any, Any, Any]:
    """`yield from` a generator that has already yielded its first item."""
    while True:
        try:
            sent = yield item
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:
            step = functools.partial(generator.throw, error)
        else:
            step = functools.partial(generator.send, sent)
        try:
            item = step()
        except StopIteration as end:
            return end.value


def _async_generator(
    options: Options, name: str, function: Callable[..., Any]
) -> Callable[..., Any]:
    async def retried(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        loop = Loop(options, name, True, args, kwargs)
        try:
            while True:
                if rest := loop.attempt():
                    await rest
                generator = function(*args, **kwargs)
                try:
                    item = await loop.watch(anext(generator))
                except StopAsyncIteration:
                    if rest := loop.returned(None):
                        await rest
                    return
                except BaseException as error:
                    if rest := loop.failed(error):
                        await rest
                    if not loop.decision:
                        raise
                else:
                    if rest := loop.returned(item):
                        await rest
                    break
                if rest := loop.wait():
                    await rest
            while True:
                try:
                    sent = yield item
                except GeneratorExit:
                    await generator.aclose()
                    raise
                except BaseException as error:
                    step = generator.athrow(error)
                else:
                    step = generator.asend(sent)
                try:
                    item = await step
                except StopAsyncIteration:
                    return
        except BaseException as error:
            if rest := loop.left(error):
                await rest
            raise

    return retried


#: The code of what wrap() returns.
RETRIED: Final = frozenset(
    part
    for maker in (_function, _coroutine, _generator, _async_generator)
    for part in maker.__code__.co_consts
    if getattr(part, "co_name", None) == "retried"
)


def parts_of(function: Any) -> tuple[Options, Any]:
    """What wrap() made this function of."""
    # Not an attribute: a decorator above this one would copy it.
    code: Any = getattr(function, "__code__", None)
    if code not in RETRIED:
        raise TypeError(f"with_options takes a function that @retry returned, not {function!r}")
    found = dict(zip(code.co_freevars, function.__closure__, strict=True))
    return found["options"].cell_contents, found["function"].cell_contents
