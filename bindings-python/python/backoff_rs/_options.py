"""The options of a loop, checked."""

from __future__ import annotations

from ._backoff import RandomStream, _checked_clock_ns, _checked_deadline_ns
from ._policy_error import PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from collections.abc import Callable
    from typing import Any, Final, SupportsIndex, TypeAlias

    from ._aliases import Maybe
    from ._backoff import Budget, Policy, RetryStats
    from ._event import RetryEvent

    _Key: TypeAlias = str | bytes | bytearray | memoryview
    _Hook: TypeAlias = Callable[[RetryEvent], Maybe[object]]

#: Why a blocking loop rejects a coroutine function.
NOT_AWAITED: Final = "which nothing awaits here: only async functions and `async with attempt` do"


class Options:
    """The arguments of Retrying, checked."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    policy: Policy
    on: Callable[[Exception], Maybe[object]]
    on_result: Callable[[Any], Maybe[object]] | None
    stream: RandomStream | None
    seed: SupportsIndex | None
    key: _Key | Callable[..., _Key] | None
    budget: Budget | None
    stats: RetryStats | None
    deadline_ns: int | Callable[..., int | None] | None
    on_retry: _Hook | None
    on_stop: _Hook | None
    reraise: bool
    name: str | None
    log: bool | logging.Logger
    sleep: Callable[[float], Maybe[object]] | None
    clock_ns: Callable[[], int] | None
    #: The names of those that are coroutine functions.
    coroutines: tuple[str, ...]

    def reject_coroutine_functions(self, but: tuple[str, ...] = ()) -> None:
        """Raises TypeError before a call whose result would be lost: nothing awaits them."""
        for argument in self.coroutines:
            if argument not in but:
                raise TypeError(f"{argument} is a coroutine function, {NOT_AWAITED}")

    def stream_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> RandomStream | None:
        """The stream of a call with these arguments; None for one of its own."""
        if self.seed is None:
            return self.stream
        if self.key is None:
            return RandomStream(self.seed)
        return RandomStream(
            self.seed, self.key(*args, **kwargs) if callable(self.key) else self.key
        )

    def own_sleep(self, is_fake_time: bool) -> Callable[[float], Maybe[object]] | None:
        """The caller's sleep, unless fake time replaces it. A loop with a clock of its own also
        keeps its sleep, which advances that clock."""
        return None if is_fake_time and self.clock_ns is None else self.sleep

    def clock(self, default: Callable[[], int]) -> Callable[[], int]:
        """The clock of a loop, which raises if the caller's does not return a time."""
        clock_ns = self.clock_ns
        return default if clock_ns is None else lambda: _checked_clock_ns(clock_ns())

    def deadline_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """The deadline of a call with these arguments."""
        deadline_ns = self.deadline_ns
        if not callable(deadline_ns):
            return deadline_ns
        return checked_deadline(deadline_ns(*args, **kwargs))


def checked_deadline(deadline_ns: int | None) -> int | None:
    """The deadline itself. Raises PolicyError or TypeError if it is not a time."""
    return None if deadline_ns is None else _checked_deadline_ns(deadline_ns)


#: A deadline further away is a mistake, such as a time of time.time_ns().
_YEARS_AHEAD: Final = 10
_NS_PER_YEAR: Final = 31_557_600 * 10**9
_NO_DEADLINE: Final = 2**64 - 1


def reject_distant_deadline(deadline_ns: int | None, begun_ns: int) -> None:
    """Raises PolicyError for a deadline that is no time of the clock of a loop that begins."""
    latest_ns = begun_ns + _YEARS_AHEAD * _NS_PER_YEAR
    if deadline_ns is not None and latest_ns < deadline_ns != _NO_DEADLINE:
        why = f"is more than {_YEARS_AHEAD} years away; it is a time of time.monotonic_ns()"
        message = f"deadline_ns {deadline_ns} {why}"
        raise PolicyError(message, "too_large", "deadline_ns", deadline_ns, latest_ns)
