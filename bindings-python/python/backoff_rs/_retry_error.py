"""RetryError, and what a loop adds to the exceptions that it raises again."""

from ._event import RetryEvent
from ._types import StopReason


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
        last = f"result {self.result!r}" if self.error is None else repr(self.error)
        return f"{self._summary}: {last}"


_PREFIX = "backoff_rs: "


def add_note(error: BaseException, event: RetryEvent) -> None:
    """Adds a note that says how the loop gave up. It replaces an earlier one, so that an exception
    raised again and again does not grow. Some exception classes refuse their own add_note()."""
    notes = error.__dict__.setdefault("__notes__", [])
    if isinstance(notes, list):
        notes[:] = [note for note in notes if not str(note).startswith(_PREFIX)]
        notes.append(_PREFIX + event._summary())


def keep_context(failure: BaseException | None, raised: BaseException) -> None:
    """Makes the last failure the context of an exception that would hide it."""
    link = failure
    while link is not None and link is not raised:
        link = link.__context__
    if link is None and raised.__context__ is None:
        raised.__context__ = failure
