"""The store of a shared budget, and what is reported of its changes."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from ._backoff import BudgetState
from ._types import BudgetEvent, Outcome


class BudgetTransition(NamedTuple):
    """What BudgetState.step() returns: the state after the event, whether it granted a retry, and what
    the operation then holds of the budget. A condition needs .granted: the tuple is always true."""

    state: BudgetState
    granted: bool
    held: int


BudgetTransition.__module__ = "backoff_rs"


class BudgetLevel(NamedTuple):
    """What a budget has left, of its most, in parts of a token or, for "ttl" and "concurrent", of a
    retry: unit parts are one. For "ttl" the most is the reserve, which what operations earn exceeds."""

    level: int
    max: int
    unit: int

    @property
    def left(self) -> float:
        """The tokens or retries that are left."""
        return self.level / self.unit

    @property
    def most(self) -> float:
        """The tokens or retries of a full budget."""
        return self.max / self.unit


BudgetLevel.__module__ = "backoff_rs"


class BudgetStore(Protocol):
    """Keeps the states of shared budgets. backoff_rs.adapters has one for Redis and one for
    PostgreSQL; anything that can compare and swap a text can be another.

    Several threads may call it. Its methods may block, and may raise any Exception: a SharedBudget
    waits no longer than its timeout, and then decides by itself.
    """

    def load(self, key: str) -> tuple[str | None, int]:
        """The text under the key, or None, and the time of the store's clock, in nanoseconds since
        1970."""
        ...

    def compare_and_swap(self, key: str, expected: str | None, new: str) -> bool:
        """Stores the new text if the expected one is under the key, or, if it is None, if there
        is none. Returns whether it did. It must not send the command again if its answer does not
        come: the first one may have taken effect."""
        ...


# In the class, a type checker would take it for a part of the protocol.
BudgetStore.__module__ = "backoff_rs"


@dataclass(frozen=True)
class ExchangeStep:
    """A step of an exchange that happened `count` times in a row: for requested retries, their outcome,
    and how many were granted, which are the first; for successes, what their operations held."""

    __module__ = "backoff_rs"

    event: BudgetEvent
    outcome: Outcome | None
    held: int
    count: int
    granted: int | None


@dataclass(frozen=True)
class SharedBudgetStats:
    """What a process has exchanged with the store of a shared budget: the exchanges that began, and
    those that failed; the swaps that another process made first; the requests that the local budget
    answered, because the store was away; and how many processes the account has told of."""

    __module__ = "backoff_rs"

    exchanges: int
    failed_exchanges: int
    lost_swaps: int
    local_decisions: int
    processes: int


@dataclass(frozen=True)
class BudgetExchange:
    """What a shared budget did in one exchange with its store.

    before  the text that was loaded; None if there was none, or if the load failed.
    now_ns  the time of the store; 0 if the load failed.
    steps   what the process told the store, and asked it for.
    after   the text after the steps; empty if there were none, because the exchange failed before.
    stored  "yes"; "unchanged" if the steps changed nothing; "lost" if other processes were faster until
            the timeout; "unknown" if the store did not say whether it stored the text; "no" if the load
            failed, or the text is no account of the budget.
    error   why the exchange failed; None if it did not.
    """

    __module__ = "backoff_rs"

    before: str | None
    now_ns: int
    steps: tuple[ExchangeStep, ...]
    after: str
    stored: Literal["yes", "unchanged", "lost", "unknown", "no"]
    error: Exception | None = None
