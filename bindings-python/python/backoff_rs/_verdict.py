"""Verdicts: how a call ended, according to the caller."""

from __future__ import annotations

from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    MethodType,
    MethodWrapperType,
    NotImplementedType,
)

from ._backoff import _checked_retry_after, _type_name
from ._context import MARK
from ._functions import is_lost
from ._types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass
    from typing import Any, Final, TypeAlias, TypeVar

    from ._aliases import Duration, OutcomeOrName

    E = TypeVar("E", bound=Exception)

    #: The result of a predicate. For a failure True is transient and False permanent; for a value
    #: True is transient and False a success. Any other object counts by its truth value, but a text
    #: that is no outcome is an error, and so is an object that is always true by mistake, such as a
    #: function that was not called.
    VerdictLike: TypeAlias = bool | OutcomeOrName | "Verdict"
else:
    from ._dataclass import dataclass


@dataclass(frozen=True, init=False)
class Verdict:
    """How a call ended, an Outcome or its name, and optionally how long the server asked to wait,
    a duration as for a policy (SPEC 18.3).

    The policy's retry_after_max (1 h by default) and retry_after_max_extra bound retry_after. No
    number is an error, because the failure that it is about would be lost: a negative one, and one
    below 1 ns, becomes 0, like a date in the past; infinity becomes the longest; NaN is none.

    Raises PolicyError for an unknown outcome; TypeError for other types.
    """

    __module__ = "backoff_rs"

    outcome: OutcomeOrName
    retry_after: Duration | None = None

    def __init__(self, outcome: OutcomeOrName, retry_after: Duration | None = None) -> None:
        self.__dict__.update(outcome=outcome, retry_after=retry_after)
        self.__post_init__()

    def __post_init__(self) -> None:
        checked = _checked_retry_after(self.outcome, self.retry_after)
        if checked is not self.retry_after:
            self.__dict__["retry_after"] = checked


if not TYPE_CHECKING:
    # typing.get_type_hints() looks for the names of a class in its module, which is the package.
    _ALIASES: Final = "__import__('backoff_rs._aliases')._aliases"
    Verdict.__annotations__ = {
        "outcome": f"{_ALIASES}.OutcomeOrName",
        "retry_after": f"{_ALIASES}.Duration | None",
    }


_PERMANENT: Final = Verdict(Outcome.PERMANENT)


def permanent(error: E) -> E:
    """Marks an error and returns it: no loop repeats the call that raises it, alone or in an
    exception group, whatever its on= says, and neither does an enclosing loop.

    except KeyError as error:
        raise permanent(error)

    Raises TypeError if it is not an instance of an Exception.
    """
    return _marked("permanent", error, _PERMANENT)


def retry_after(error: E, delay: Duration | None = None) -> E:
    """Marks an error as throttled and returns it: the call that raises it may be repeated,
    whatever on= says, after the delay that the server asked for, a duration as for a policy; None
    if it named none.

    Only the loop that makes the call honours the mark; an enclosing loop ignores it.

    Raises TypeError for a delay that is no duration, or if it is not an instance of an Exception.
    """
    return _marked("retry_after", error, Verdict(Outcome.THROTTLED, delay))


def _marked(function: str, error: E, verdict: Verdict) -> E:
    # Untyped callers pass anything.
    found: object = error
    if not isinstance(found, BaseException):
        what = f"the class {found.__name__}" if isinstance(found, type) else _type_name(found)
        raise TypeError(f"{function} takes an exception instance, not {what}")
    if not isinstance(found, Exception):
        raise TypeError(
            f"{function} takes an Exception: no loop repeats a call after {_type_name(found)}"
        )
    error.__dict__[MARK] = verdict
    return error


def mark_of(error: BaseException) -> Verdict | None:
    """The mark of an error, if it has one. A group with a permanent failure is permanent."""
    if isinstance(error, BaseExceptionGroup) and any(map(_is_permanent, error.exceptions)):
        return _PERMANENT
    mark = error.__dict__.get(MARK)
    return mark if isinstance(mark, Verdict) else None


def verdict_by_type(
    error: BaseException, types: tuple[type[Exception], ...]
) -> tuple[OutcomeOrName, Duration | None]:
    """The outcome and retry_after of a failure of one of these types. An exception group may be retried
    if each exception in it may, by its type or its mark."""
    if isinstance(error, types):
        return "transient", None
    if not isinstance(error, BaseExceptionGroup):
        return "permanent", None
    outcome: OutcomeOrName = "transient"
    waits = []
    for leaf in error.exceptions:
        mark = mark_of(leaf)
        ended = verdict_by_type(leaf, types) if mark is None else (mark.outcome, mark.retry_after)
        if ended[0] == "permanent":
            return "permanent", None
        outcome = ended[0] if ended[0] != "transient" else outcome
        if ended[1] is not None:
            waits.append(ended[1])
    return outcome, max(waits, key=_seconds, default=None)


def _seconds(duration: Duration) -> float:
    number: Any = duration
    return float(number.total_seconds() if hasattr(number, "total_seconds") else number)


def _is_permanent(error: BaseException) -> bool:
    return (mark := mark_of(error)) is not None and mark.outcome is Outcome.PERMANENT


def unmark(error: BaseException) -> None:
    """Removes the mark of a failure that leaves its loop. `permanent` also holds for enclosing
    loops (SPEC 18.3)."""
    if not _is_permanent(error):
        error.__dict__.pop(MARK, None)


def verdict_of_error(result: object, argument: str = "on") -> Verdict:
    """The verdict on a failure, from the result of this function of the caller. A failure that it
    calls a success is permanent: an exception is raised all the same."""
    verdict = _verdict(argument, result, Outcome.PERMANENT)
    return verdict if verdict.outcome != Outcome.SUCCESS else _PERMANENT


def verdict_of_value(result: object, argument: str = "on_result") -> Verdict:
    """The verdict on a value, likewise."""
    return _verdict(argument, result, Outcome.SUCCESS)


def _verdict(argument: str, result: object, if_false: Outcome) -> Verdict:
    if isinstance(result, Verdict):
        return result
    if isinstance(result, str) and result:
        try:
            return Verdict(result)  # type: ignore[arg-type]  # It rejects other names.
        except ValueError as error:
            error.add_note(f"returned by {argument}")
            raise
    return Verdict(Outcome.TRANSIENT if truth(argument, result) else if_false)


#: What a predicate returns by mistake, and is always true: a function that it did not call, a class,
#: a generator without any() or all().
_ALWAYS_TRUE: Final[tuple[type, ...]] = (
    type,
    FunctionType,
    MethodType,
    BuiltinFunctionType,
    MethodWrapperType,
    GeneratorType,
    AsyncGeneratorType,
    NotImplementedType,
)


def truth(argument: str, result: object) -> bool:
    """Whether the result of a predicate means yes."""
    # Only the type is asked: a proxy may fail.
    kind = type(result)
    if is_lost(result) or hasattr(kind, "__await__"):
        raise TypeError(f"{argument} returned {_type_name(result)}, which nothing awaits here")
    if issubclass(kind, _ALWAYS_TRUE):
        raise TypeError(f"{argument} returned {result!r}, which says neither yes nor no")
    return bool(result)
