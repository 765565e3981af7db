"""How a loop says that it gave up."""

from ._event import RetryEvent
from ._names import StopReason


class RetryError(Exception):
    """A loop gave up: on a result, or on a failure where reraise=False asked for this.

    The last failure is its __cause__, and error; a value that was no success is result.
    """

    __module__ = "backoff_rs"

    #: Why the loop stopped.
    reason: StopReason
    #: The calls that were made.
    attempts: int
    #: The wait that was not begun, in seconds; 0.0 unless max_elapsed, deadline or budget
    #: stopped it.
    delay: float
    #: The time since the loop began, in seconds.
    elapsed: float
    #: The failure of the last call; None if it returned.
    error: BaseException | None
    #: What the last call returned; None if it failed.
    result: object

    def __init__(self, event: RetryEvent) -> None:
        # It is the only argument, so that a copy or a pickle is whole.
        super().__init__(event)
        self.reason = event.reason or StopReason.CANCELLED
        self.attempts = event.attempts
        self.delay = event.delay
        self.elapsed = event.elapsed
        self.error = event.error
        self.result = event.value
        self._account = event._account()

    def __str__(self) -> str:
        last = f"result {self.result!r}" if self.error is None else repr(self.error)
        return f"{self._account}: {last}"


_PREFIX = "backoff_rs: "


def add_note(error: BaseException, event: RetryEvent) -> None:
    """Notes on the error how its loop gave up, in place of an earlier such note: an exception
    that is raised again and again must not grow. Not add_note(), which some classes refuse."""
    notes = error.__dict__.setdefault("__notes__", [])
    if isinstance(notes, list):
        notes[:] = [note for note in notes if not str(note).startswith(_PREFIX)]
        notes.append(_PREFIX + event._account())
