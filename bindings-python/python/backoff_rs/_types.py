"""Outcomes, stop reasons and the events of budgets."""

from __future__ import annotations

from enum import StrEnum

from . import _backoff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex


class Outcome(StrEnum):
    """How an attempt ended (SPEC 13.2). Arguments accept a member or its name."""

    __module__ = "backoff_rs"

    SUCCESS = "success"
    #: A failure that may pass.
    TRANSIENT = "transient"
    #: The server is overloaded.
    THROTTLED = "throttled"
    #: No response in time.
    TIMEOUT = "timeout"
    #: A failure that another attempt would not fix, or a call that must not be repeated.
    PERMANENT = "permanent"

    @staticmethod
    def of_http_status(status: SupportsIndex) -> Outcome:
        """The outcome of an HTTP response with this status (SPEC 14.4): THROTTLED for 429 and
        503, TIMEOUT for 408 and 504, TRANSIENT for 425, 500 and 502, SUCCESS from 100 to 399,
        and PERMANENT for any other status up to 65535.

        It says nothing about whether the request is safe to retry.

        Raises PolicyError for a status out of range; TypeError for other types, including bool.
        """
        return Outcome(_backoff._outcome_of_http_status(status))


class StopReason(StrEnum):
    """Why an operation stopped (SPEC 13.3). Arguments accept a member or its name."""

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
    #: The budget granted no retry.
    BUDGET = "budget"
    #: The caller cancelled it.
    CANCELLED = "cancelled"


class BudgetEvent(StrEnum):
    """What happens to the account of a budget (SPEC 15.6). Arguments accept a member or its
    name."""

    __module__ = "backoff_rs"

    OPERATION_BEGAN = "operation_began"
    #: An attempt is over, with what its operation holds.
    ATTEMPT_OVER = "attempt_over"
    #: An attempt has failed, and the failure is not permanent.
    ATTEMPT_FAILED = "attempt_failed"
    #: A retry is requested, with the outcome of the attempt before it. The only event that is
    #: answered.
    RETRY_REQUESTED = "retry_requested"
    #: An operation has succeeded, with what it holds.
    OPERATION_SUCCEEDED = "operation_succeeded"
    #: An operation has ended, for whatever reason.
    OPERATION_ENDED = "operation_ended"
