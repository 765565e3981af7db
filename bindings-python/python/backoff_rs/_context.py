"""What a loop adds to the exceptions that it raises again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from ._event import RetryEvent

_PREFIX: Final = "backoff_rs: "

#: A mark is stored in the exception's __dict__, since its class may refuse attributes.
MARK: Final = "_backoff_rs_verdict"


def may_be_marked(error: BaseException) -> bool:
    """Whether a mark says how the call ended that raised this error. A group may contain one."""
    return MARK in error.__dict__ or isinstance(error, BaseExceptionGroup)


def add_note(error: BaseException, event: RetryEvent) -> None:
    """Adds a note that says how the loop gave up. It replaces an earlier one, so that an exception
    raised again and again does not grow. Some exception classes refuse their own add_note()."""
    notes = error.__dict__.setdefault("__notes__", [])
    if isinstance(notes, list):
        others = [note for note in notes if not str(note).startswith(_PREFIX)]
        # A loop within the call knows more than one around it that does not retry the failure.
        if event.reason != "permanent" or event.attempts > 1 or others == notes:
            notes[:] = [*others, _PREFIX + event._summary()]


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
