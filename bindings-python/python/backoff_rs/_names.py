"""The names of what an operation is told and of why it stops."""

from enum import StrEnum
from typing import SupportsIndex

from . import _backoff


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

    @staticmethod
    def of_http_status(status: SupportsIndex) -> "Outcome":
        """The outcome that the status of an HTTP response is (SPEC 14.4): THROTTLED for 429 and
        503, TIMEOUT for 408 and 504, TRANSIENT for 425, 500 and 502, SUCCESS from 100 to 399,
        and PERMANENT for any other, from 0 to 65535.

        Whether a request may be repeated at all is the caller's to say.

        Raises PolicyError for a status out of range; TypeError for what is no int.
        """
        return Outcome(_backoff._outcome_of_http_status(status))


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
