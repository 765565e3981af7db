"""What an operation is told and answers after an attempt."""

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do after an attempt: to wait and attempt again, or to stop.

    reason is None to wait, and else why to stop. delay is the wait in float seconds, delay_ns
    in nanoseconds; of a stop, the wait that was not begun: 0 unless "max_elapsed", "deadline"
    or "budget" stopped it. As a condition a decision is true to wait and false to stop.
    """

    __module__ = "backoff_rs"

    delay_ns: int
    reason: StopReason | None

    @property
    def delay(self) -> float:
        """The wait in float seconds: the float nearest to delay_ns / 10**9."""
        return self.delay_ns / 10**9

    def __bool__(self) -> bool:
        return self.reason is None
