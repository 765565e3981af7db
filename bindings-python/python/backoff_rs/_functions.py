"""What a function returns when it is called, and a coroutine that nothing awaits."""

from __future__ import annotations

from collections.abc import Coroutine
from types import BuiltinFunctionType, FunctionType, MethodType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final


def is_coroutine_function(function: object) -> bool:
    """Whether calling it returns an awaitable: also true for a partial, or an object with such a
    __call__."""
    return _is("iscoroutinefunction", function)


def is_generator_function(function: object) -> bool:
    """Whether calling it returns a generator."""
    return _is("isgeneratorfunction", function)


def is_async_generator_function(function: object) -> bool:
    """Whether calling it returns an async generator."""
    return _is("isasyncgenfunction", function)


#: The flags of code, by the function of inspect that asks for them.
_FLAGS: Final = {
    "isgeneratorfunction": 0x20,
    "iscoroutinefunction": 0x80,
    "isasyncgenfunction": 0x200,
}


def _is(question: str, function: Any) -> bool:
    """The answer of this function of inspect, also for an object with such a __call__. It is not
    imported for a function that nothing was done to, or nothing but functools.wraps."""
    plain = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(plain, FunctionType) and plain.__dict__.keys() <= {"__wrapped__"}:
        return bool(plain.__code__.co_flags & _FLAGS[question])
    is_error = isinstance(function, type) and issubclass(function, BaseException)
    if is_error or isinstance(function, BuiltinFunctionType) or not callable(function):
        return False
    import inspect

    kind: Callable[[object], bool] = getattr(inspect, question)
    return kind(function) or (
        not inspect.isroutine(function)
        and not isinstance(function, type)
        and kind(getattr(function, "__call__", None))  # noqa: B004
    )


def is_lost(result: object) -> bool:
    """Whether the result of a call is a coroutine, which does nothing until it is awaited. It is
    closed, so that Python does not warn of it, too.

    Other awaitables, such as a Future, may run by themselves. Only the type is asked: a proxy
    would answer for the object it stands for, or fail if it has none.
    """
    kind = type(result)
    # The second question takes longer than an attempt.
    if not hasattr(kind, "send") or not issubclass(kind, Coroutine):
        return False
    coroutine: Any = result
    coroutine.close()
    return True
