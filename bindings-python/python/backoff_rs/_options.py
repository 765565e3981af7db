"""The options of a loop, checked."""

from __future__ import annotations

from ._backoff import Policy, RandomStream, _checked_clock_ns, _checked_deadline_ns, _type_name
from ._policy_error import PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, SupportsIndex, TypeAlias
    from uuid import UUID

    from ._aliases import Duration, Maybe
    from ._backoff import Budget, RetryStats, _PolicyFields
    from ._event import RetryEvent
    from ._log import _Log
    from ._shared_budget import SharedBudget

    _Key: TypeAlias = str | bytes | bytearray | memoryview | int | UUID
    _Hook: TypeAlias = Callable[[RetryEvent], Maybe[object]]

#: Why a blocking loop rejects a coroutine function.
NOT_AWAITED: Final = "which nothing awaits here: only async functions and `async with attempt` do"


class NoFallback:
    """The fallback of a loop that has none: None is one."""

    def __repr__(self) -> str:
        return "..."

    def __reduce__(self) -> str:
        return "NO_FALLBACK"


NO_FALLBACK: Final = NoFallback()


def policy_of(policy: Any, fields: Any) -> Policy | None:
    """The policy with the fields beside it; None for a function of the arguments of each call."""
    if callable(policy):
        if "growth" in fields:
            raise TypeError("growth makes a whole policy: pass it or a policy, not both")
        return None
    if isinstance(policy, str):
        is_whole = policy == "default" and "growth" in fields
        made = Policy(**fields) if is_whole else Policy.parse(policy)
        fields = {} if is_whole else fields
    elif isinstance(policy, Policy):
        made = policy
    else:
        kinds = "a Policy or a policy string"
        raise TypeError(f"policy must be {kinds}, not {_type_name(policy)}")
    return made.replace(**fields) if fields else made


def kept(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a caller for more than one use: an iterator, and a list that the caller may change,
    become tuples."""
    for name in options.keys() & {"delays", "waits"}:
        if isinstance(options[name], list) or hasattr(options[name], "__next__"):
            options = {**options, name: tuple(options[name])}
    return options


def names_retries(given: dict[str, Any]) -> bool:
    """Whether these options name a policy or a limit of retries (SPEC 18.9)."""
    return not given.keys().isdisjoint({"policy", "max_retries", "max_attempts"})


class Options:
    """The arguments of Retrying, checked."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)
        if isinstance(self.delays, tuple):
            retries, most = self.policy.max_retries, len(self.delays)
            if retries is None or retries > most or not self.names_retries:
                self.policy = self.policy.replace(max_retries=most)
        self.limits_attempts = self.policy.attempt_timeout is not None
        self.has_hooks = self.on_retry is not None or self.on_stop is not None
        of_arguments = (self.key, self.deadline_of, self.policy_of)
        self.depends_on_call = self.has_hooks or any(part is not None for part in of_arguments)
        budgets = (self.budget, self.shared_budget)
        seen = (*budgets, self.clock_ns, self.deadline_ns, self.deadline_of)
        self.begins_in_full = self.limits_attempts or any(part is not None for part in seen)
        # A budget counts it, and the clock of a caller is read for each decision.
        self.decides_success = any(option is not None for option in (*budgets, self.clock_ns))
        observers = (self.on_retry, self.drain)
        self.reports_retries = self.log is not False or any(part is not None for part in observers)
        types = self.on if isinstance(self.on, tuple) else ()
        # A shared budget may have to be awaited.
        is_plain = self.shared_budget is None and all(type(kind) is type for kind in types)
        self.types = types if is_plain else ()

    #: The arguments themselves.
    given: dict[str, Any]
    policy: Policy
    #: Whether the caller named a policy or a limit of retries: a list of delays does not change it.
    names_retries: bool
    #: The policy string, if the caller passed one and no fields.
    policy_text: str | None
    #: A function of the arguments of each call, and the fields beside what it returns.
    policy_of: Callable[..., Policy | str] | None
    fields: _PolicyFields
    #: A list allows as many retries as it has entries, or fewer if they have such a limit.
    delays: tuple[Duration, ...] | Callable[[int, Any], Duration | None] | None
    fallback: Any
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
    log: _Log
    log_levels: tuple[int, int] | None
    sleep: Callable[[float], Maybe[object]] | None
    clock_ns: Callable[[], int] | None
    #: Of an adapter: what makes its events, and what it does first in a wait of N seconds.
    event: Callable[..., RetryEvent] | None = None
    drain: Callable[[float], Maybe[object]] | None = None
    #: Whether the defaults of the program have turned its retries off.
    is_off: bool = False
    #: The names of those that are coroutine functions.
    coroutines: tuple[str, ...]

    #: What follows from them: whether its attempts have a limit,
    limits_attempts: bool
    #: whether it has hooks, and whether these or others need the arguments of each call,
    has_hooks: bool
    depends_on_call: bool
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

    def reject_attempts(self) -> None:
        """Raises TypeError for an option that a loop over attempts cannot have."""
        if self.fallback is not NO_FALLBACK:
            raise TypeError("a loop over attempts returns no fallback: decorate a function")

    def reject_attempt_timeout(self, what: str) -> None:
        """Raises TypeError for a loop that cannot end its calls."""
        if self.limits_attempts:
            raise TypeError(
                f"attempt_timeout cannot end {what}: retry an async function, or give what it calls "
                "a timeout"
            )

    def of_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Options:
        """The options of a call with these arguments."""
        if self.policy_of is None:
            return self
        given = self.policy_of(*args, **kwargs)
        if callable(given):
            raise TypeError(
                f"policy returned {given!r}, which is neither a Policy nor a policy string"
            )
        policy = policy_of(given, self.fields)
        text = given if isinstance(given, str) and not self.fields else None
        return self.changed(policy=policy, policy_text=text, policy_of=None, names_retries=True)

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
