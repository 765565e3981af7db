"""RetryError, which a loop raises that gave up."""

from __future__ import annotations

from ._event import RetryEvent, safe_repr
from ._types import StopReason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: The most characters of a result or an error in a message.
_MAX_LENGTH: Final = 200


class RetryError(Exception):
    """A loop gave up: on a result, or with reraise=False on a failure.

    The last failure is its __cause__ and its error; the last value is its result.
    """

    __module__ = "backoff_rs"

    #: Why the loop stopped.
    reason: StopReason
    #: The calls made.
    attempts: int
    #: The wait that was not begun, in seconds; 0.0 unless the reason is max_elapsed, deadline
    #: or budget.
    delay: float
    #: The time since the loop began, in seconds.
    elapsed: float
    #: The failure of the last call; None if it returned.
    error: BaseException | None
    #: The value of the last call; None if it failed.
    result: object

    def __init__(self, event: RetryEvent) -> None:
        # The only argument, so that copies and pickles are complete.
        super().__init__(event)
        self.reason = event.reason or StopReason.CANCELLED
        self.attempts = event.attempts
        self.delay = event.delay
        self.elapsed = event.elapsed
        self.error = event.error
        self.result = event.value
        self._summary = event._summary()

    def __str__(self) -> str:
        shown = safe_repr(self.result if self.error is None else self.error)
        if len(shown) > _MAX_LENGTH:
            shown = shown[:_MAX_LENGTH] + "..."
        return f"{self._summary}: {'result ' if self.error is None else ''}{shown}"
