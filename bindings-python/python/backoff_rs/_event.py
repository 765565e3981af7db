"""What a loop tells its hooks."""

from dataclasses import dataclass

from ._names import Outcome, StopReason


@dataclass(frozen=True, slots=True)
class RetryEvent:
    """What a loop tells its hooks: before each wait, and once when it stops (SPEC 18.4)."""

    __module__ = "backoff_rs"

    #: The name of the loop: that of the function, unless given.
    name: str
    #: The calls so far.
    attempts: int
    #: Of the last call; None if the loop was cancelled.
    outcome: Outcome | None
    #: Why the loop stopped; None if it waits.
    reason: StopReason | None
    #: The wait that follows, or the one that was not begun, in nanoseconds.
    delay_ns: int
    #: The time since the loop began, in nanoseconds.
    elapsed_ns: int
    #: The failure of the last call, if it failed.
    error: BaseException | None
    #: The value of the last call, if it returned; of a generator, its first item.
    value: object

    @property
    def delay(self) -> float:
        """The wait that follows, or the one that was not begun, in seconds."""
        return self.delay_ns / 10**9

    @property
    def elapsed(self) -> float:
        """The time since the loop began, in seconds."""
        return self.elapsed_ns / 10**9

    def _account(self) -> str:
        """How the loop stopped, in words."""
        attempts = "attempt" if self.attempts == 1 else "attempts"
        return f"gave up after {self.attempts} {attempts} in {self.elapsed:.3f} s: {self.reason}"
