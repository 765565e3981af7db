"""What a caller says of how a call ended."""

from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from ._names import Outcome
from ._types import Duration, OutcomeOrName

E = TypeVar("E", bound=BaseException)

#: Set on an exception itself, whose class may refuse attributes: what is raised at the end is
#: still the caller's own exception.
_MARK: Final = "_backoff_rs_verdict"


@dataclass(frozen=True)
class Verdict:
    """How a call ended, an Outcome or its name, and maybe how long the server asked to wait, a
    duration as for a policy (SPEC 18.3).

    Only the policy's hint_max and hint_max_extra bound a hint. An outcome that is unknown, and
    a hint that is no duration, end the loop with a PolicyError.
    """

    __module__ = "backoff_rs"

    outcome: OutcomeOrName
    hint: Duration | None = None


#: What a predicate answers of a failure (True: transient, False: permanent) or of a value
#: (True: transient, False: success).
Answer: TypeAlias = bool | OutcomeOrName | Verdict


def permanent(error: E) -> E:
    """The error itself, marked: no loop repeats the call that raises it, whatever its on= says,
    and no loop around that loop.

    except KeyError as error:
        raise permanent(error)
    """
    return _marked(error, Verdict(Outcome.PERMANENT))


def retry_after(error: E, delay: Duration | None = None) -> E:
    """The error itself, marked: the call that raises it may be repeated, whatever on= says, and
    the server asked to wait that long, a duration as for a policy; None if it did not say.

    It counts as throttled. The mark is for the loop that makes the call, not for one around it.
    """
    return _marked(error, Verdict(Outcome.THROTTLED, delay))


def _marked(error: E, verdict: Verdict) -> E:
    error.__dict__[_MARK] = verdict
    return error


def mark_of(error: BaseException) -> Verdict | None:
    """How the error is marked, if it is."""
    mark = error.__dict__.get(_MARK)
    return mark if isinstance(mark, Verdict) else None


def unmark(error: BaseException) -> None:
    """Of a failure that leaves its loop only `permanent` holds for the loops around (SPEC 18.3)."""
    if (mark := mark_of(error)) is not None and mark.outcome is not Outcome.PERMANENT:
        del error.__dict__[_MARK]


def verdict_of_error(answer: object) -> Verdict:
    """What an answer says of a failure: an exception is raised, also one that is a success."""
    verdict = _verdict("on", answer, Outcome.PERMANENT)
    return verdict if verdict.outcome != Outcome.SUCCESS else Verdict(Outcome.PERMANENT)


def verdict_of_value(answer: object) -> Verdict:
    """What an answer says of a value."""
    return _verdict("on_result", answer, Outcome.SUCCESS)


def _verdict(argument: str, answer: object, no: Outcome) -> Verdict:
    if isinstance(answer, Verdict):
        return answer
    if isinstance(answer, bool):
        return Verdict(Outcome.TRANSIENT if answer else no)
    if isinstance(answer, str):
        return Verdict(answer)  # type: ignore[arg-type]  # The operation refuses other names.
    kind = type(answer).__name__
    raise TypeError(f"{argument} must answer a bool, an Outcome or a Verdict, not {kind}")
