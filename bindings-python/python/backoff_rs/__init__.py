"""Retries with exponential backoff and jitter.

retry decorates a function, retrying makes a loop over attempts. Policy says how long to wait
before each retry and when to stop, Budget limits the retries of many operations, and RetryStats
counts them. Each delay is a pure function of (policy, stream, index): the same policy and
RandomStream give the same nanoseconds in Python, Rust, C, Go and JavaScript.

SPEC in a docstring means that clause of https://github.com/backoff-rs/backoff/blob/main/SPEC.md
"""

import sys as _sys

try:
    from . import _backoff as _backoff
except ImportError as _error:
    # Of the extension, or of CPython, which imports it into no isolated one.
    if "subinterpreters" not in str(_error):
        raise
    raise ImportError(
        "backoff_rs runs in one interpreter of a process: the first that imports it, "
        "which is not an isolated subinterpreter"
    ) from _error

from ._backoff import (
    Backoff,
    Budget,
    BudgetState,
    Decision,
    Operation,
    Policy,
    PreviewRow,
    RandomStream,
    RetryStats,
    __version__,
    is_idempotent_method,
    parse_retry_after,
)

# typing, dataclasses, inspect, logging and enum take many times as long to import as the rest of
# the package. Its modules name types only for type checkers, and making a loop imports what a
# failure needs, which of these is only enum.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._attempts import Attempt
    from ._budget_store import (
        BudgetExchange,
        BudgetLevel,
        BudgetStore,
        BudgetTransition,
        ExchangeStep,
        SharedBudgetStats,
    )
    from ._current import current_attempt
    from ._defaults import Defaults, set_defaults
    from ._event import RetryEvent
    from ._http import PROXY_STATUSES, http_verdict
    from ._http_event import HttpEvent
    from ._policy_error import PolicyError
    from ._retry_error import RetryError
    from ._retrying import Retrying, with_options
    from ._shared_budget import SharedBudget
    from ._types import BudgetEvent, Outcome, StopReason
    from ._verdict import Verdict, permanent, retry_after

    retry = Retrying
    retrying = Retrying
else:
    #: The modules of the names that are imported when they are used.
    _MODULES = {
        "PROXY_STATUSES": "_http",
        "Attempt": "_attempts",
        "BudgetEvent": "_types",
        "BudgetExchange": "_budget_store",
        "BudgetLevel": "_budget_store",
        "BudgetStore": "_budget_store",
        "BudgetTransition": "_budget_store",
        "Defaults": "_defaults",
        "ExchangeStep": "_budget_store",
        "HttpEvent": "_http_event",
        "Outcome": "_types",
        "PolicyError": "_policy_error",
        "RetryError": "_retry_error",
        "RetryEvent": "_event",
        "Retrying": "_retrying",
        "SharedBudget": "_shared_budget",
        "SharedBudgetStats": "_budget_store",
        "StopReason": "_types",
        "Verdict": "_verdict",
        "current_attempt": "_current",
        "http_verdict": "_http",
        "permanent": "_verdict",
        "retry": "_retrying",
        "retry_after": "_verdict",
        "retrying": "_retrying",
        "set_defaults": "_defaults",
        "with_options": "_retrying",
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        module = __import__(f"{__name__}.{_MODULES[name]}", fromlist=[name])
        return globals().setdefault(name, getattr(module, name))

    def __dir__():
        return sorted({*globals(), *_MODULES})


__all__ = [
    "PROXY_STATUSES",
    "Attempt",
    "Backoff",
    "Budget",
    "BudgetEvent",
    "BudgetExchange",
    "BudgetLevel",
    "BudgetState",
    "BudgetStore",
    "BudgetTransition",
    "Decision",
    "Defaults",
    "ExchangeStep",
    "HttpEvent",
    "Operation",
    "Outcome",
    "Policy",
    "PolicyError",
    "PreviewRow",
    "RandomStream",
    "RetryError",
    "RetryEvent",
    "RetryStats",
    "Retrying",
    "SharedBudget",
    "SharedBudgetStats",
    "StopReason",
    "Verdict",
    "__version__",
    "current_attempt",
    "http_verdict",
    "is_idempotent_method",
    "parse_retry_after",
    "permanent",
    "retry",
    "retry_after",
    "retrying",
    "set_defaults",
    "with_options",
]

# Imported again, after something removed it from sys.modules, it is the package of the first time:
# the extension, and code that kept a class, would not know the classes of another.
_first = _backoff._first_package(_sys.modules[__name__])
_parts = [part for part in vars(_first).values() if getattr(part, "__package__", None) == __name__]
_sys.modules.update({part.__name__: part for part in [_first, *_parts]})
