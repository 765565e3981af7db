"""What a loop is made of."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, SupportsIndex, TypeAlias

from ._backoff import Budget, History, Operation, Policy, Stream
from ._event import RetryEvent
from ._types import Maybe

Key: TypeAlias = str | bytes | bytearray | memoryview
Hook: TypeAlias = Callable[[RetryEvent], Maybe[object]]

#: Why a coroutine function is refused.
NOT_AWAITED: Final = "which nothing awaits here: only async functions and `async with attempt` do"


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller gave, checked."""

    policy: Policy
    on: Callable[[Exception], Maybe[object]]
    on_result: Callable[[Any], Maybe[object]] | None
    stream: Stream | None
    seed: SupportsIndex | None
    key: Key | Callable[..., Key] | None
    budget: Budget | None
    history: History | None
    deadline_ns: int | Callable[..., int | None] | None
    on_retry: Hook | None
    on_stop: Hook | None
    reraise: bool
    name: str | None
    log: bool | logging.Logger
    sleep: Callable[[float], Maybe[object]] | None
    clock_ns: Callable[[], int] | None
    #: Which of them are coroutine functions.
    coroutines: tuple[str, ...]

    def refuse_coroutine_functions(self, but: tuple[str, ...] = ()) -> None:
        """Where nothing awaits them, before a call is made whose result would be lost."""
        for argument in self.coroutines:
            if argument not in but:
                raise TypeError(f"{argument} is a coroutine function, {NOT_AWAITED}")

    def stream_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Stream | None:
        """The stream of a call with these arguments; None from entropy."""
        if self.seed is None:
            return self.stream
        if self.key is None:
            return Stream(self.seed)
        return Stream(self.seed, self.key(*args, **kwargs) if callable(self.key) else self.key)

    def deadline_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """The deadline of a call with these arguments."""
        given = self.deadline_ns
        return checked_deadline(given(*args, **kwargs)) if callable(given) else given


def checked_deadline(given: int | None) -> int | None:
    """What was given, if an operation takes it."""
    if given is not None:
        Operation(Policy.parse("default"), Stream(0), now_ns=0, deadline_ns=given)
    return given
