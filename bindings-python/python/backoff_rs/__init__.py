"""Backoff with jitter as a pure function of (policy, stream, index).

Policy says how long to wait before each retry and when to stop, Stream where the randomness
comes from, and Backoff gives the delays one after another. An Operation decides after each
attempt whether to wait or to stop, a Budget bounds the retries of many operations, and a
History counts them. retry and retrying make the calls, the decisions and the waits. The same policy and stream give the same nanoseconds in Rust, C, Go,
Python and JavaScript.
"""

from ._attempts import Attempt
from ._backoff import (
    Backoff,
    Budget,
    Decision,
    History,
    Operation,
    Policy,
    PreviewRow,
    Stream,
    __version__,
    parse_retry_after,
)
from ._error import PolicyError
from ._event import RetryEvent
from ._names import Outcome, StopReason
from ._retry_error import RetryError
from ._retrying import Retrying
from ._verdict import Verdict, permanent, retry_after

retry = Retrying
retrying = Retrying

__all__ = [
    "Attempt",
    "Backoff",
    "Budget",
    "Decision",
    "History",
    "Operation",
    "Outcome",
    "Policy",
    "PolicyError",
    "PreviewRow",
    "RetryError",
    "RetryEvent",
    "Retrying",
    "StopReason",
    "Stream",
    "Verdict",
    "__version__",
    "parse_retry_after",
    "permanent",
    "retry",
    "retry_after",
    "retrying",
]
