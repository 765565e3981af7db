"""RetryError, and what a loop adds to the exceptions that it raises again."""

from collections.abc import Iterator
from typing import Final

from ._event import RetryEvent, safe_repr
from ._types import StopReason

#: The most characters of a result or an error in a message.
_LONGEST: Final = 200


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
        if len(shown) > _LONGEST:
            shown = shown[:_LONGEST] + "..."
        return f"{self._summary}: {'result ' if self.error is None else ''}{shown}"


_PREFIX = "backoff_rs: "


def add_note(error: BaseException, event: RetryEvent) -> None:
    """Adds a note that says how the loop gave up. It replaces an earlier one, so that an exception
    raised again and again does not grow. Some exception classes refuse their own add_note()."""
    notes = error.__dict__.setdefault("__notes__", [])
    if isinstance(notes, list):
        notes[:] = [note for note in notes if not str(note).startswith(_PREFIX)]
        notes.append(_PREFIX + event._summary())


def keep_context(failure: BaseException | None, raised: BaseException) -> None:
    """Puts the last failure at the end of the contexts of an exception that would hide it."""
    behind = {id(error) for error in _contexts(failure)}
    if id(raised) not in behind:
        *_, last = (error for error in _contexts(raised) if id(error) not in behind)
        # What was behind it, if anything, is behind the failure, too. The class may refuse
        # assignments, such as a frozen dataclass.
        BaseException.__setattr__(last, "__context__", failure)


def _contexts(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and the chain of its contexts, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__context__
