"""Retries with exponential backoff and jitter.

retry decorates a function, retrying makes a loop over attempts. Policy says how long to wait
before each retry and when to stop, Budget limits the retries of many operations, and RetryStats
counts them. Each delay is a pure function of (policy, stream, index): the same policy and
RandomStream give the same nanoseconds in Python, Rust, C, Go and JavaScript.

SPEC in a docstring means that clause of https://github.com/backoff-rs/backoff/blob/main/SPEC.md
"""

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

from ._attempts import Attempt
from ._backoff import (
    Backoff,
    Budget,
    Decision,
    Operation,
    Policy,
    PreviewRow,
    RandomStream,
    RetryStats,
    __version__,
    parse_retry_after,
    parse_retry_after_ns,
)
from ._event import RetryEvent
from ._policy_error import PolicyError
from ._retry_error import RetryError
from ._retrying import Retrying
from ._types import Outcome, StopReason
from ._verdict import Verdict, permanent, retry_after

retry = Retrying
retrying = Retrying

__all__ = [
    "Attempt",
    "Backoff",
    "Budget",
    "Decision",
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
    "StopReason",
    "Verdict",
    "__version__",
    "parse_retry_after",
    "parse_retry_after_ns",
    "permanent",
    "retry",
    "retry_after",
    "retrying",
]
