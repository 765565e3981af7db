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
    from ._shared_budget import SharedBudget

    _Key: TypeAlias = str | bytes | bytearray | memoryview
    _Hook: TypeAlias = Callable[[RetryEvent], Maybe[object]]

#: Why a blocking loop rejects a coroutine function.
NOT_AWAITED: Final = "which nothing awaits here: only async functions and `async with attempt` do"


class Options:
    """The arguments of Retrying, checked."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)
        self.depends_on_arguments = self.key is not None or self.deadline_of is not None
        budgets = (self.budget, self.shared_budget)
        seen = (*budgets, self.clock_ns, self.deadline_ns, self.deadline_of)
        self.begins_in_full = any(option is not None for option in seen)
        # A budget counts it, and the clock of a caller is read for each decision.
        self.decides_success = any(option is not None for option in (*budgets, self.clock_ns))
        observers = (self.on_retry, self.drain)
        self.reports_retries = self.log is not False or any(part is not None for part in observers)
        types = self.on if isinstance(self.on, tuple) else ()
        # A shared budget may have to be awaited.
        is_plain = self.shared_budget is None and all(type(kind) is type for kind in types)
        self.types = types if is_plain else ()

    policy: Policy
    #: The policy string, if the caller passed one.
    policy_text: str | None
    on: tuple[type[Exception], ...] | Callable[[Exception], Maybe[object]]
    on_result: Callable[[Any], Maybe[object]] | None
    stream: RandomStream | None
    seed: SupportsIndex | None
    #: A function of the arguments of each call. Any other key, and a seed alone, are a stream.
    key: Callable[..., _Key] | None
    #: One of these two.
    budget: Budget | None
    shared_budget: SharedBudget | None
    stats: RetryStats | None
    #: One of these two: a time, or a function of the arguments of each call.
    deadline_ns: int | None
    deadline_of: Callable[..., int | None] | None
    on_retry: _Hook | None
    on_stop: _Hook | None
    reraise: bool
    name: str | None
    log: bool | logging.Logger
    sleep: Callable[[float], Maybe[object]] | None
    clock_ns: Callable[[], int] | None
    #: Of an adapter: what makes its events, and what it does first in a wait of N seconds.
    event: Callable[..., RetryEvent] | None = None
    drain: Callable[[float], Maybe[object]] | None = None
    #: The names of those that are coroutine functions.
    coroutines: tuple[str, ...]

    #: What follows from them: whether each call has a stream or a deadline of its own,
    depends_on_arguments: bool
    #: whether the beginning of a loop can fail or is seen by others,
    begins_in_full: bool
    #: whether a success at the first attempt needs a decision,
    decides_success: bool
    #: whether each retry is logged or passed to a hook,
    reports_retries: bool
    #: and the types of on, if a failure of one needs nothing but a decision: an `__instancecheck__`
    #: of a type could fail.
    types: tuple[type[Exception], ...]

    def changed(self, **changes: Any) -> Options:
        """The same with these changes."""
        return Options(**{**vars(self), **changes})

    def reject_coroutine_functions(self, but: tuple[str, ...] = ()) -> None:
        """Raises TypeError before a call whose result would be lost: nothing awaits them."""
        for argument in self.coroutines:
            if argument not in but:
                raise TypeError(f"{argument} is a coroutine function, {NOT_AWAITED}")

    def stream_of_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> RandomStream | None:
        """The stream of a call with these arguments; None for one of its own."""
        if self.key is None or self.seed is None:
            return self.stream
        return RandomStream(self.seed, self.key(*args, **kwargs))

    def checked_now_ns(self) -> int:
        """The time of the caller's clock."""
        assert self.clock_ns is not None
        return _checked_clock_ns(self.clock_ns())

    def deadline_of_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
        """The deadline of a call with these arguments."""
        if self.deadline_of is None:
            return self.deadline_ns
        return checked_deadline(self.deadline_of(*args, **kwargs))


def checked_deadline(deadline_ns: int | None) -> int | None:
    """The deadline itself. Raises PolicyError or TypeError if it is not a time."""
    return None if deadline_ns is None else _checked_deadline_ns(deadline_ns)


#: A deadline further away is a mistake, such as a time of time.time_ns().
_YEARS_AHEAD: Final = 10
_NS_PER_YEAR: Final = 31_557_600 * 10**9
_NO_DEADLINE: Final = 2**64 - 1


def reject_distant_deadline(deadline_ns: int, began_ns: int) -> None:
    """Raises PolicyError for a deadline that is no time of the clock of a loop that begins."""
    latest_ns = began_ns + _YEARS_AHEAD * _NS_PER_YEAR
    if latest_ns < deadline_ns != _NO_DEADLINE:
        why = f"is more than {_YEARS_AHEAD} years away; it is a time of time.monotonic_ns()"
        message = f"deadline_ns {deadline_ns} {why}"
        raise PolicyError(message, "too_large", "deadline_ns", deadline_ns, latest_ns)
