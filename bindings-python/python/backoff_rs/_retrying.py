"""Retrying: what may be retried, how, and who is told; a decorator, a loop and a call."""

import logging
from collections.abc import Callable
from typing import Any, ParamSpec, SupportsIndex, TypeAlias, TypeVar

from . import _wrap
from ._attempts import AsyncAttempts, Attempts
from ._backoff import Budget, History, Policy, Stream
from ._loop import Loop
from ._options import Hook, Key, Options, checked_deadline
from ._types import Maybe
from ._verdict import Answer

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

Failures: TypeAlias = (
    type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], Maybe[Answer]]
)


class Retrying:
    """Retries what the caller says may be repeated (SPEC 18): a decorator of functions, methods,
    coroutine functions and generators, the `for` and `async for` over its attempts, or a call.

    retry and retrying are other names of it, for each to read well:

        @retry("full:base=100ms,cap=20s,max_retries=5", on=ConnectionError)
        def fetch(): ...

        for attempt in retrying(on=ConnectionError):
            with attempt:
                ...

        retrying(on=ConnectionError).call(fetch, url)

    policy     a Policy or its line.
    on         the failures that may be repeated: an exception type, a tuple of them, () for none,
               or a predicate of the exception that answers a bool (True: transient, False:
               permanent), an Outcome, its name, or a Verdict. Nothing else is repeated.
    on_result  a predicate of what was returned, which answers the same; False is a success.
    stream     where the randomness comes from; or
    seed, key  the same as Stream(seed, key). The key may be a function of the arguments of the
               call. Everyone with the same seed and no key waits the same. Without any of the
               three, each loop draws a stream of its own from the operating system.
    budget     a Budget that all loops share which are given it.
    history    a History that counts the loops.
    deadline_ns  the time of time.monotonic_ns() after which no wait may end, or a function of
               the arguments of the call that answers it, or None.
    on_retry   called with a RetryEvent before each wait.
    on_stop    called with a RetryEvent once, at the end, whatever the end is.
    reraise    whether giving up raises the last exception, with a note, and not a RetryError
               from it. A permanent failure is always raised itself.
    name       of the loop in events and logs; that of the function unless given.
    log        False, or the logger; True is structlog if it was configured, or the logger
               "backoff_rs".
    sleep      waits the seconds that it is given in place of the platform.
    clock_ns   the clock in place of time.monotonic_ns, in nanoseconds. The limits see what the
               sleep waits only if this clock does.

    A loop that awaits also awaits what on, on_result, on_retry, on_stop, and sleep answer;
    elsewhere coroutine functions are refused.

    Raises PolicyError and TypeError for arguments that are refused. It holds no state of a loop:
    threads and tasks may share it.
    """

    __module__ = "backoff_rs"
    __slots__ = ("_options",)

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        on: Failures,
        on_result: Callable[[Any], Maybe[Answer]] | None = None,
        stream: Stream | None = None,
        seed: SupportsIndex | None = None,
        key: Key | Callable[..., Key] | None = None,
        budget: Budget | None = None,
        history: History | None = None,
        deadline_ns: int | Callable[..., int | None] | None = None,
        on_retry: Hook | None = None,
        on_stop: Hook | None = None,
        reraise: bool = True,
        name: str | None = None,
        log: bool | logging.Logger = True,
        sleep: Callable[[float], Maybe[object]] | None = None,
        clock_ns: Callable[[], int] | None = None,
    ) -> None:
        if stream is not None and seed is not None:
            raise TypeError("a stream and a seed were given: a seed makes a stream")
        if key is not None and seed is None:
            raise TypeError("key picks a stream under a seed: give seed too")
        for argument, given, expected in [
            ("stream", stream, Stream),
            ("budget", budget, Budget),
            ("history", history, History),
            ("name", name, str),
            ("reraise", reraise, bool),
            ("log", log, bool | logging.Logger),
        ]:
            optional = argument not in {"reraise", "log"}
            if not (isinstance(given, expected) or (optional and given is None)):
                wanted = getattr(expected, "__name__", expected)
                raise TypeError(f"{argument} must be a {wanted}, not {type(given).__name__}")
        functions: dict[str, Any] = {
            "on_result": on_result,
            "on_retry": on_retry,
            "on_stop": on_stop,
            "sleep": sleep,
            "clock_ns": clock_ns,
        }
        for argument, function in functions.items():
            if function is not None and not callable(function):
                raise TypeError(f"{argument} must be callable, not {type(function).__name__}")
        functions |= {"on": on, "key": key, "deadline_ns": deadline_ns}
        coroutines = [name for name in functions if _wrap.is_coroutine_function(functions[name])]
        for argument in coroutines:
            if argument in {"key", "deadline_ns", "clock_ns"}:
                raise TypeError(f"{argument} is a coroutine function, which no loop awaits")
        # Refused here, not at the first call.
        if not callable(deadline_ns):
            checked_deadline(deadline_ns)
        if seed is not None and not callable(key):
            stream, seed, key = Stream(seed) if key is None else Stream(seed, key), None, None
        elif seed is not None:
            Stream(seed)
        self._options = Options(
            policy if isinstance(policy, Policy) else Policy.parse(policy),
            _classifier(on),
            on_result,
            stream,
            seed,
            key,
            budget,
            history,
            deadline_ns,
            on_retry,
            on_stop,
            reraise,
            name,
            log,
            sleep,
            clock_ns,
            tuple(coroutines),
        )

    def __call__(self, function: F, /) -> F:
        """The function with retries.

        Of a generator function the call up to the first item is retried, and what is raised
        later passes through: items that were given out cannot be taken back. Of a function that
        returns a Task or a Future only the call is.

        Raises TypeError for what cannot be retried, such as a staticmethod object, and for hooks
        that are coroutine functions where this is none.
        """
        return _wrap.wrap(self._options, function)

    def call(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns, with retries; of a coroutine function, what to await."""
        return self(function)(*args, **kwargs)

    def __iter__(self) -> Attempts:
        self._options.refuse_coroutine_functions()
        return Attempts(Loop(self._options, self._options.name or "loop", awaits=False))

    def __aiter__(self) -> AsyncAttempts:
        return AsyncAttempts(Loop(self._options, self._options.name or "loop", awaits=True))

    def __repr__(self) -> str:
        return f"<Retrying {self._options.policy}>"


def _classifier(on: Failures) -> Callable[[Exception], Maybe[object]]:
    """A predicate for what on= may be."""
    types: tuple[Any, ...] = on if isinstance(on, tuple) else (on,)
    if all(isinstance(kind, type) for kind in types):
        for kind in types:
            if not issubclass(kind, Exception):
                raise TypeError(f"{kind.__name__} is never retried: it is no Exception")
        return lambda error: isinstance(error, types)
    if not isinstance(on, tuple) and callable(on):
        return on
    kinds = "an exception type, a tuple of them or a predicate"
    raise TypeError(f"on must be {kinds}, not {on!r}")
