"""The names of what an operation is told and of why it stops."""

from enum import StrEnum


class Outcome(StrEnum):
    """How an attempt ended (SPEC 13.2). Wherever one is taken, its name is taken too."""

    __module__ = "backoff_rs"

    SUCCESS = "success"
    #: A failure that may pass.
    TRANSIENT = "transient"
    #: A failure because the server has too much to do.
    THROTTLED = "throttled"
    #: No answer in time.
    TIMEOUT = "timeout"
    #: A failure that another attempt would not mend, or that may not be repeated.
    PERMANENT = "permanent"


class StopReason(StrEnum):
    """Why an operation stopped (SPEC 13.3). Wherever one is taken, its name is taken too."""

    __module__ = "backoff_rs"

    #: The attempt succeeded.
    SUCCESS = "success"
    #: The failure was permanent.
    PERMANENT = "permanent"
    #: All retries were made.
    MAX_RETRIES = "max_retries"
    #: The wait would end later after the beginning than the policy allows.
    MAX_ELAPSED = "max_elapsed"
    #: The wait would end after the deadline.
    DEADLINE = "deadline"
    #: The budget refused.
    BUDGET = "budget"
    #: The caller gave up.
    CANCELLED = "cancelled"
