"""What waits for the store of a shared budget: no lock, no thread and no I/O."""

from __future__ import annotations

import threading
from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, TypeAlias

    from ._backoff import _Member
    from ._types import Outcome

    #: Whether a retry is granted, what the operation then holds, and whether the local budget decided.
    _Answer: TypeAlias = tuple[bool, int, bool]

REFUSED: Final = (False, 0, True)


class Request:
    """A retry that an operation asks for. Only the queue writes the answer."""

    __slots__ = ("answer", "outcome", "timeout", "wake")

    def __init__(self, outcome: Outcome, wake: Callable[[], object]) -> None:
        self.outcome = outcome
        #: Called when there is an answer.
        self.wake = wake
        self.answer: _Answer | None = None
        #: How long it may wait, in seconds.
        self.timeout = 0.0


class Flush:
    """A caller that waits until everything is stored."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.is_stored = False


class BudgetQueue:
    """The requests and flushes of one process. Callers hold the lock of the worker."""

    def __init__(self, member: _Member, timeout: float) -> None:
        self.member = member
        self._timeout = timeout
        #: In the order of their arrival.
        self.requests: list[Request] = []
        self.flushes: list[Flush] = []

    def timeout(self) -> float:
        """How many seconds a request may wait now."""
        return max(self._timeout, self.member.timeout_ns() / 1e9)

    def add(self, request: Request) -> None:
        """Answers the request, or lets it wait."""
        request.timeout = self.timeout()
        request.answer = self.member.request(request.outcome, monotonic_ns())
        if request.answer is None:
            self.requests.append(request)

    def withdraw(self, request: Request) -> None:
        """Forgets a request whose loop is interrupted."""
        if request in self.requests:
            self.requests.remove(request)
            self.member.cancel(request.outcome)

    def due_in(self) -> float | None:
        """The seconds until an exchange is to begin."""
        due_in = 0 if self.flushes else self.member.due_in(monotonic_ns())
        return None if due_in is None else due_in / 10**9

    def stored(self) -> None:
        """Answers the requests after an exchange that succeeded, the oldest first."""
        for name, granted, refused, held in self.member.stored(monotonic_ns()):
            answers = [(True, held, False)] * granted + [(False, 0, False)] * refused
            waiting = (request for request in self.requests if request.outcome == name)
            for request, answer in zip(waiting, answers, strict=False):
                request.answer = answer
        self._wake_answered()
        if self.member.is_away(monotonic_ns()):
            self._ask_again()

    def failed(self, may_be_stored: bool) -> None:
        """After an exchange that failed, the local budget decides."""
        self.member.failed(may_be_stored, monotonic_ns())
        self._ask_again()

    def late(self) -> None:
        """The local budget decides in place of a store that has not answered."""
        self.member.late(monotonic_ns())
        self._ask_again()

    def _ask_again(self) -> None:
        for request in self.requests:
            request.answer = self.member.request(request.outcome, monotonic_ns())
        self._wake_answered()

    def _wake_answered(self) -> None:
        answered = [request for request in self.requests if request.answer is not None]
        self.requests = [request for request in self.requests if request.answer is None]
        for request in answered:
            request.wake()
