"""The options of the adapters of HTTP clients, checked."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsIndex, TypedDict

from .._advice import FIELDS, did_you_mean
from .._aliases import OutcomeOrName
from .._backoff import Budget, RandomStream, RetryStats, _type_name
from .._functions import is_coroutine_function
from .._http_event import HttpEvent
from .._shared_budget import SharedBudget
from .._types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from .._aliases import Maybe
    from .._backoff import _PolicyFields
    from .._log import _Log
    from .._options import _Key
    from .._verdict import VerdictLike
else:

    class _PolicyFields(TypedDict):
        """Only for type checkers."""


class HttpOptions(_PolicyFields, total=False):
    """The options of the adapters of HTTP clients (SPEC 19). They are those of retrying(), and the
    fields of policies, except:

    methods          the methods of requests that may be repeated, in place of the idempotent ones,
                     in capital letters.
    statuses         the outcomes of statuses, above Outcome.of_http_status(); or a collection of
                     statuses of failures, which are transient. PROXY_STATUSES is such a table.
    may_repeat       a predicate of the client's request: whether it may be repeated, whatever its
                     method and headers. If it returns None, these decide.
    classify         a function of the client's request, and of the response or the exception of an
                     attempt. It returns what a predicate of retrying() returns, or None: then the
                     adapter decides. It cannot allow the repetition of a request that is sent once:
                     may_repeat does that.
    attempt_timeout  how long an attempt may take, in seconds, besides the timeouts of the client: of
                     every request, also of one that is sent once. The outcome is a timeout. An async
                     adapter ends the attempt then. A blocking one cannot: it limits each step, such
                     as to connect, and each wait for a part of the response. An attempt ends with
                     the head of the response, or with read_body after its body. It is that of the
                     policy, unless it is given here.
    read_body        whether an attempt reads the whole body of the response into memory, also that of
                     a failure. A success whose body ends early is then repeated; a failure decides
                     by its status. Nothing limits its size, and only attempt_timeout ends one that
                     keeps coming.
    budget           a budget string, of which each origin (scheme, host and port) has a budget of
                     its own, by default "finagle"; a Budget or a SharedBudget for all; or None.
    key, deadline_ns may be functions of the client's request.
    on_retry, on_stop receive an HttpEvent.
    """

    methods: Collection[str]
    statuses: Mapping[int, OutcomeOrName] | Collection[int]
    may_repeat: Callable[[Any], object] | None
    classify: Callable[[Any, Any], VerdictLike | None] | None
    read_body: bool
    budget: Budget | SharedBudget | str | None
    stream: RandomStream | None
    seed: SupportsIndex | None
    key: _Key | Callable[..., _Key] | None
    stats: RetryStats | None
    deadline_ns: int | Callable[..., int | None] | None
    on_retry: Callable[[HttpEvent], Maybe[object]] | None
    on_stop: Callable[[HttpEvent], Maybe[object]] | None
    name: str | None
    log: _Log
    sleep: Callable[[float], Maybe[object]] | None
    clock_ns: Callable[[], int] | None


_NAMES: Final = frozenset(HttpOptions.__annotations__) - FIELDS

#: A token of HTTP without lower case. Methods are case-sensitive, and all that are in use are in
#: capital letters.
_METHOD: Final = re.compile(r"[A-Z0-9!#$%&'*+.^_`|~-]+")

_PLURAL: Final = {"methods": "names of methods", "statuses": "statuses"}


class HttpRules:
    """Those of the options that are about requests and responses; the others are in rest."""

    def __init__(self, options: HttpOptions, *, awaits: bool) -> None:
        for name in options:
            if name not in _NAMES | FIELDS:
                known, advice = ", ".join(sorted(_NAMES)), did_you_mean(name, _NAMES | FIELDS)
                raise TypeError(
                    f"{name} is no option of this adapter{advice or '.'} The options are {known}, "
                    f"and the fields of policies: {', '.join(sorted(FIELDS))}"
                )
        rest: dict[str, Any] = dict(options)
        #: None for the idempotent ones.
        self.methods = _checked_methods(rest.pop("methods", None))
        self.statuses = _checked_statuses(rest.pop("statuses", ()))
        self.may_repeat = _checked_function(rest, "may_repeat")
        self.classify = _checked_function(rest, "classify")
        for name in () if awaits else ("on_retry", "on_stop", "sleep"):
            _reject_coroutine_function(rest, name)
        self.attempt_timeout = _checked_timeout(rest.pop("attempt_timeout", None))
        self.read_body: bool = rest.pop("read_body", False)
        if not isinstance(self.read_body, bool):
            raise TypeError(f"read_body must be a bool, not {_type_name(self.read_body)}")
        self.budget: Budget | SharedBudget | str | None = rest.pop("budget", "finagle")
        if not isinstance(self.budget, Budget | SharedBudget | str | None):
            kinds = "a budget string, a Budget, a SharedBudget or None"
            raise TypeError(f"budget must be {kinds}, not {_type_name(self.budget)}")
        self.rest = rest


def _checked_function(rest: dict[str, Any], name: str) -> Callable[..., object] | None:
    _reject_coroutine_function(rest, name)
    function: Any = rest.pop(name, None)
    if not (function is None or callable(function)):
        raise TypeError(f"{name} must be callable, not {_type_name(function)}")
    checked: Callable[..., object] | None = function
    return checked


def _reject_coroutine_function(rest: dict[str, Any], name: str) -> None:
    if is_coroutine_function(rest.get(name)):
        raise TypeError(f"{name} is a coroutine function, which nothing awaits here")


def _checked_collection(name: str, value: Any) -> Collection[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        raise TypeError(f"{name} must be a collection of {_PLURAL[name]}, not {_type_name(value)}")
    return value


def _checked_methods(methods: Any) -> frozenset[str] | None:
    if methods is None:
        return None
    for method in _checked_collection("methods", methods):
        if not isinstance(method, str):
            raise TypeError(f"methods must be names of methods, not {_type_name(method)}")
        if not _METHOD.fullmatch(method):
            meant = method.strip().upper()
            advice = f'write "{meant}"' if _METHOD.fullmatch(meant) else 'write one such as "GET"'
            raise ValueError(f'methods has "{method}": {advice}')
    return frozenset(methods)


def _checked_statuses(statuses: Any) -> dict[int, Outcome]:
    outcomes: dict[int, Outcome] = {}
    for status in _checked_collection("statuses", statuses):
        if isinstance(status, bool) or not isinstance(status, int):
            raise TypeError(f"statuses must be ints, not {_type_name(status)}")
        if not 100 <= status <= 999:
            raise ValueError(f"statuses has {status}; a status is from 100 to 999")
        if isinstance(statuses, Mapping):
            outcome = statuses[status]
        elif Outcome.of_http_status(status) == Outcome.SUCCESS:
            advice = f'write {{{status}: "transient"}} if it is to be repeated'
            raise ValueError(f"statuses has {status}, which is a success: {advice}")
        else:
            outcome = Outcome.TRANSIENT
        if outcome not in [*Outcome]:
            known = ", ".join(Outcome)
            raise ValueError(f"statuses has {outcome!r} for {status}; the outcomes are {known}")
        outcomes[status] = Outcome(outcome)
    return outcomes


def _checked_timeout(timeout: Any) -> float | None:
    if timeout is None:
        return None
    if hasattr(timeout, "total_seconds"):
        timeout = timeout.total_seconds()
    elif isinstance(timeout, Decimal | Fraction):
        timeout = float(timeout)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"attempt_timeout must be a number of seconds, not {_type_name(timeout)}")
    if not 0 < timeout < float("inf"):
        raise ValueError(f"attempt_timeout {timeout} is not a positive number of seconds")
    return timeout
