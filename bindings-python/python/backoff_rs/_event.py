"""RetryEvent, which hooks receive, and its parts of messages."""

from ._backoff import _type_name
from ._types import Outcome, StopReason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass
    from typing import Any
else:
    from ._dataclass import dataclass


def safe_repr(value: object) -> str:
    """The repr of a value, for messages."""
    try:
        return repr(value)
    except Exception:
        return f"<{_type_name(value)}, whose repr failed>"


@dataclass(frozen=True, init=False)
class RetryEvent:
    """The state of a loop, passed to its hooks before each wait and when it stops (SPEC 18.4).

    name        the name of the loop, by default that of the function.
    attempts    the calls so far.
    outcome     the outcome of the last call; None if the loop was cancelled.
    reason      why the loop stopped; None before a wait.
    delay_ns    the wait that follows, or that was not begun, in nanoseconds.
    elapsed_ns  the time since the loop began, in nanoseconds.
    error       the failure of the last call, if it failed.
    value       the value of the last call, if it returned; for a generator, its first item.
    budget_is_local  whether this process decided about the retry in place of the store of a
                     SharedBudget.

    args and kwargs are the arguments of the call; in a loop over attempts they are empty. They are
    neither compared nor copied nor pickled.

    delay and elapsed are the same in seconds. A value: frozen, comparable, and picklable if its
    error and value are.
    """

    __module__ = "backoff_rs"

    name: str
    attempts: int
    outcome: Outcome | None
    reason: StopReason | None
    delay_ns: int
    elapsed_ns: int
    error: BaseException | None
    value: object
    budget_is_local: bool

    def __init__(
        self,
        name: str,
        attempts: int,
        outcome: Outcome | None,
        reason: StopReason | None,
        delay_ns: int,
        elapsed_ns: int,
        error: BaseException | None,
        value: object,
        budget_is_local: bool = False,
    ) -> None:
        # The class refuses assignments, and each object.__setattr__ takes as long as this.
        self.__dict__.update(
            name=name,
            attempts=attempts,
            outcome=outcome,
            reason=reason,
            delay_ns=delay_ns,
            elapsed_ns=elapsed_ns,
            error=error,
            value=value,
            budget_is_local=budget_is_local,
        )

    @property
    def args(self) -> "tuple[Any, ...]":
        """The positional arguments of the call."""
        args: tuple[Any, ...] = self.__dict__.get("_args", ())
        return args

    @property
    def kwargs(self) -> "dict[str, Any]":
        """The keyword arguments of the call."""
        kwargs: dict[str, Any] = self.__dict__.get("_kwargs", {})
        return kwargs

    def __getstate__(self) -> "dict[str, Any]":
        return {name: self.__dict__[name] for name in self.__dict__.keys() - {"_args", "_kwargs"}}

    @property
    def delay(self) -> float:
        """The wait that follows, or that was not begun, in seconds."""
        return self.delay_ns / 10**9

    @property
    def elapsed(self) -> float:
        """The time since the loop began, in seconds."""
        return self.elapsed_ns / 10**9

    def __structlog__(self) -> dict[str, object]:
        """What structlog's JSONRenderer writes of an event: the fields of the log, without the value,
        which may be large or a secret."""
        return {name.removeprefix("backoff_"): value for name, value in self._fields().items()}

    def _fields(self) -> dict[str, object]:
        """What structured logs have of an event."""
        # The value is left out: it may be large, or a secret.
        return {
            "backoff_name": self.name,
            "backoff_attempts": self.attempts,
            "backoff_outcome": self.outcome and str(self.outcome),
            "backoff_reason": self.reason and str(self.reason),
            "backoff_delay": self.delay,
            "backoff_elapsed": self.elapsed,
            "backoff_error": None if self.error is None else self._failure(),
            **self._http_fields(),
        }

    def _failure(self) -> str:
        """The error, for the log."""
        return safe_repr(self.error)

    def _http_fields(self) -> dict[str, object]:
        """What the log adds about an HTTP request."""
        return {}

    def _summary(self) -> str:
        """How the loop ended, for messages."""
        attempts = "attempt" if self.attempts == 1 else "attempts"
        return f"gave up after {self.attempts} {attempts} in {self.elapsed:.3f} s: {self.reason}"
