"""The defaults of all loops of the program (SPEC 18.8)."""

from __future__ import annotations

import functools
from weakref import WeakKeyDictionary

from . import _time
from ._advice import FIELDS, reject_unknown
from ._backoff import _type_name
from ._functions import is_coroutine_function
from ._options import kept, names_retries
from ._retrying import Retrying, merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, Final, Unpack

    from ._aliases import Maybe
    from ._backoff import Budget, Policy, RetryStats, _PolicyFields
    from ._event import RetryEvent
    from ._log import _Level, _Log
    from ._options import Options
    from ._shared_budget import SharedBudget

#: The parts of checked options that an option is.
_PARTS: Final = {
    "policy": ["policy", "policy_text", "policy_of", "fields", "names_retries"],
    "budget": ["budget", "shared_budget"],
    "deadline_ns": ["deadline_ns", "deadline_of"],
    **{name: [name] for name in ("stats", "reraise", "log", "log_levels", "sleep", "clock_ns")},
}
_OF_POLICY: Final = FIELDS | {"policy"}
_HOOKS: Final = ("on_retry", "on_stop")
_NAMES: Final = frozenset({*_PARTS, *_HOOKS, "enabled"})


class Defaults:
    """What set_defaults() has set, a context manager that takes it back."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def restore(self) -> None:
        """Takes back what this call of set_defaults() has set, and nothing else."""
        with _time.lock:
            _set([one for one in _all if one is not self])

    def __enter__(self) -> Defaults:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.restore()

    def __repr__(self) -> str:
        return f"<Defaults {', '.join(self._given)}>"


class _Sum:
    """The defaults of all calls of set_defaults() together."""

    def __init__(self, given: list[dict[str, Any]]) -> None:
        self._given = merged(given)
        for name in _HOOKS:
            self._given[name] = functools.reduce(_both, (one.get(name) for one in given), None)
        rest = dict(self._given)
        self._enabled: bool = rest.pop("enabled", True)
        self._options = Retrying(on=(), **rest)._options
        self._options.names_retries = any(map(names_retries, given))
        if self._options.limits_attempts:
            raise TypeError(
                "attempt_timeout cannot be a default of all loops, because a blocking loop cannot end "
                "an attempt: set it on the loops of async functions"
            )
        # Of each loop, its options with these.
        self._changed: WeakKeyDictionary[Options, Options] = WeakKeyDictionary()

    def change(self, options: Options) -> Options:
        """The options of a loop with these defaults."""
        changed = self._changed.get(options)
        if changed is None:
            changed = self._changed[options] = self._make(options)
        return changed

    def _make(self, options: Options) -> Options:
        ours = self._options
        changes: dict[str, Any] = {}
        for name in (self._given.keys() & _PARTS.keys()) - {*options.given, "policy"}:
            changes |= {part: getattr(ours, part) for part in _PARTS[name]}
        policy = {name: self._given[name] for name in self._given if name in _OF_POLICY}
        if policy and "policy" not in options.given:
            fields = {name: value for name, value in options.given.items() if name in FIELDS}
            if fields:
                # The fields of the loop change the policy of these.
                names = ours.names_retries or names_retries(fields)
                ours = Retrying(on=(), **merged([policy, fields]))._options
                ours.names_retries = names
            changes |= {part: getattr(ours, part) for part in _PARTS["policy"]}
        for name in _HOOKS:
            changes[name] = _both(getattr(ours, name), getattr(options, name))
        if not self._enabled:
            policy = changes.get("policy", options.policy).replace(max_retries=0)
            changes |= {
                "is_off": True,
                "names_retries": True,
                "policy": policy,
                "policy_of": None,
                "budget": None,
                "shared_budget": None,
            }
        return options.changed(**changes)


def _both(
    first: Callable[[RetryEvent], object] | None, second: Callable[[RetryEvent], object] | None
) -> Callable[[RetryEvent], object] | None:
    """A hook that calls both."""
    if first is None or second is None:
        return first or second
    both: list[Callable[[RetryEvent], object]] = [first, second]

    def hook(event: RetryEvent) -> object:
        both[0](event)
        return both[1](event)

    return hook


_all: list[Defaults] = []


def _set(defaults: list[Defaults]) -> None:
    global _all
    changes = _Sum([one._given for one in defaults]).change if defaults else None
    _all, _time.platform.changes = defaults, changes


def set_defaults(
    *,
    enabled: bool | None = None,
    policy: Policy | str | None = None,
    budget: Budget | SharedBudget | None = None,
    stats: RetryStats | None = None,
    deadline_ns: int | Callable[..., int | None] | None = None,
    on_retry: Callable[[RetryEvent], object] | None = None,
    on_stop: Callable[[RetryEvent], object] | None = None,
    reraise: bool | None = None,
    log: _Log | None = None,
    log_levels: tuple[_Level, _Level] | None = None,
    sleep: Callable[[float], Maybe[object]] | None = None,
    clock_ns: Callable[[], int] | None = None,
    **fields: Unpack[_PolicyFields],
) -> Defaults:
    """Sets defaults of all loops that begin from now on, in all threads and tasks (SPEC 18.8). Calls
    add up: of an option that several calls set, the last one counts, and all hooks run, those of the
    first call first. It returns a Defaults, whose restore() takes back what this call has set, in any
    order, and so does the end of a `with`:

        with set_defaults(enabled=False):
            ...

    enabled    False: each loop makes one call, and a failure or value that it would retry is reported as
               with max_retries=0. No budget is asked.
    on_retry, on_stop  hooks of all loops, before those of the loop itself. No coroutine functions.
    The others are as for retry(), for loops that do not have them themselves. The fields of a loop
    change the policy here. A policy, also that of a loop, takes the place of the policy and the fields
    that were set before it.

    Raises PolicyError and TypeError as retry() does.
    """
    # None is what is not named.
    arguments = {name: value for name, value in locals().items() if name in _NAMES}
    named = {name: value for name, value in arguments.items() if value is not None}
    named = kept(named | fields)
    reject_unknown("set_defaults", named, _NAMES)
    if not isinstance(named.get("enabled", True), bool):
        raise TypeError(f"enabled must be a bool, not {_type_name(enabled)}")
    for name in (*_HOOKS, "sleep"):
        if is_coroutine_function(named.get(name)):
            raise TypeError(f"{name} is a coroutine function, which a blocking loop cannot await")
    with _time.lock:
        defaults = Defaults(named)
        _set([*_all, defaults])
    return defaults
