"""The lock of a shared budget, and the thread that talks to its store."""

from __future__ import annotations

import contextlib
import sys
import threading
from time import monotonic_ns

from ._budget_exchange import checked_load, exchange, ordinary
from ._budget_queue import REFUSED, BudgetQueue, Flush, Request
from ._budget_store import BudgetExchange, ExchangeStep, SharedBudgetStats
from ._policy_error import PolicyError
from ._types import BudgetEvent, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Final

    from ._aliases import BudgetEventOrName
    from ._backoff import Budget, _Member
    from ._budget_exchange import _Stepped
    from ._budget_queue import _Answer
    from ._budget_store import BudgetLevel, BudgetStore

#: An exchange may take at least this many seconds: the store may need a new connection.
_MIN_EXCHANGE: Final = 1.0
#: An idle thread ends after this many seconds.
_IDLE: Final = 10.0
#: An error shows at most this many characters of the store's text.
_SHOWN: Final = 60


class BudgetWorker:
    """Makes the exchanges of one process. Its public methods take the lock."""

    def __init__(
        self,
        store: BudgetStore,
        name: str,
        budget: Budget,
        member: _Member,
        timeout: float,
        on_exchange: Callable[[BudgetExchange], object] | None,
    ) -> None:
        self._store, self._name, self._budget = store, name, budget
        self.key = f"backoff:{name}:{budget}"
        self._on_exchange = on_exchange
        self.last_error: Exception | None = None
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._queue = BudgetQueue(member, timeout)
        self._thread: threading.Thread | None = None
        #: The thread that makes an exchange, or calls on_exchange.
        self._busy: threading.Thread | None = None
        self._is_reporting = False

    def stats(self) -> SharedBudgetStats:
        with self._changed:
            return SharedBudgetStats(**dict(self._queue.member.stats()))

    def note(self, name: BudgetEventOrName, held: int = 0, is_local: bool = False) -> None:
        """Notes an event: what the operation holds, and whether the local budget gave it."""
        with self._changed:
            self._queue.member.note(name, held, is_local, monotonic_ns())
            if self._queue.member.due_in(monotonic_ns()) is not None:
                self._wake()

    def request(self, outcome: Outcome, wake: Callable[[], object]) -> Request:
        """Asks for a retry. It has an answer at once, or `wake` is called from another thread."""
        request = Request(outcome, wake)
        with self._changed:
            self._queue.add(request)
            if request.answer is None:
                self._wake()
        return request

    @contextlib.contextmanager
    def withdrawing(self, request: Request) -> Iterator[None]:
        """Withdraws the request if its loop is interrupted."""
        try:
            yield
        except BaseException:
            with self._changed:
                self._queue.withdraw(request)
            raise

    def answer(self, request: Request) -> _Answer:
        """The answer, or that of the local budget if the store has not answered in time."""
        with self._changed:
            if request.answer is None:
                reporting = f"on_exchange did not return within {request.timeout:g} s"
                silent = f"the store did not answer within {request.timeout:g} s"
                self.last_error = TimeoutError(reporting if self._is_reporting else silent)
                self._queue.late()
            return request.answer or REFUSED

    def flush(self) -> bool:
        """Sends what the store does not know. Returns whether nothing is left to send."""
        if threading.current_thread() is self._busy or self._lock._is_owned():  # type: ignore[attr-defined]
            # It would wait for itself: in on_exchange, or in a signal handler that has interrupted
            # what holds the lock.
            return False
        flush, begun = Flush(), None
        with self._changed:
            timeout = min(2 * max(self._queue.timeout(), _MIN_EXCHANGE), threading.TIMEOUT_MAX)
            if not self._queue.member.has_unsent():
                return self._changed.wait_for(lambda: self._busy is None, timeout)
            self._queue.flushes.append(flush)
            if self._start() is not None and self._busy is None:
                # No thread starts while Python ends: this one talks to the store.
                begun = self._begin()
        while begun is not None:
            self._finish(*begun)
            with self._changed:
                is_next = self._queue.flushes and self._busy is None
                begun = self._begin() if is_next else None
        flush.over.wait(timeout)
        with self._changed, contextlib.suppress(ValueError):
            # No exchange has begun for it.
            self._queue.flushes.remove(flush)
        return flush.is_stored

    def _wake(self) -> None:
        """Tells the thread that there is work."""
        error = self._start()
        if error is not None:
            self.last_error = error
            self._queue.late()

    def _start(self) -> Exception | None:
        """Wakes or starts the thread. Returns why it does not start."""
        if sys.is_finalizing():
            # No thread runs any more, and Python 3.11 would wait for ever until one that it starts runs.
            return RuntimeError("no thread starts while the interpreter ends")
        if self._thread is not None and self._thread.is_alive():
            self._changed.notify_all()
            return None
        name = f"backoff_rs budget {self._name}"
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            # Python ends, or the system has no thread left.
            self._thread = None
            return error
        return None

    def _work(self) -> None:
        while True:
            with self._changed:
                while (pause := None if self._busy else self._queue.due_in()) != 0:
                    is_changed = self._changed.wait(_IDLE if pause is None else pause)
                    if pause is None and not is_changed:
                        self._thread = None
                        return
                begun = self._begin()
            self._finish(*begun)

    def _begin(self) -> tuple[list[Flush], float]:
        """Begins an exchange, for the flushes that there are. Returns them, and its timeout."""
        flushes, self._queue.flushes = self._queue.flushes, []
        self._busy = threading.current_thread()
        self._queue.member.begin(monotonic_ns())
        return flushes, self._queue.timeout()

    def _finish(self, flushes: list[Flush], timeout: float) -> None:
        """Makes the exchange that has begun, without the lock."""
        made = exchange(self._store, self.key, self._step, self._lost, timeout)
        with self._changed:
            if made.error is None:
                self._queue.stored()
            else:
                self.last_error = made.error
                self._queue.failed(made.stored == "unknown")
            self._is_reporting = True
        self._report(made)
        with self._changed:
            self._is_reporting, self._busy = False, None
            self._changed.notify_all()
        for flush in flushes:
            flush.is_stored = made.error is None
            flush.over.set()

    def _step(self, before: str | None, now_ns: int) -> _Stepped:
        with self._changed:
            stepped, steps = self._queue.member.step(before, now_ns), self._queue.member.steps()
        if stepped is None:
            raise self._not_a_state(before)
        after, is_changed = stepped or ("", False)
        return after, is_changed, tuple(_named(*step) for step in steps)

    def level(self) -> BudgetLevel:
        """What the store has left."""
        text, now_ns = checked_load(self._store.load(self.key))
        with self._changed:
            level = self._queue.member.level(text, now_ns)
        if level is None:
            raise self._not_a_state(text)
        return level

    def _not_a_state(self, text: str | None) -> PolicyError:
        shown = repr(None if text is None else text[:_SHOWN])
        why = f"load() returned {shown}, which is not a state of the budget {self._budget}"
        return PolicyError(why, "not_a_state", "text", text, 0)

    def _lost(self) -> int | None:
        with self._changed:
            return self._queue.member.lost(monotonic_ns())

    def _report(self, made: BudgetExchange) -> None:
        if self._on_exchange is None:
            return
        try:
            self._on_exchange(made)
        except BaseException as error:
            import logging

            self.last_error = ordinary(error)
            # No caller could get it.
            logger = logging.getLogger("backoff_rs")
            logger.exception("on_exchange of the budget %s failed", self._name)


def _named(
    event: str, outcome: str | None, held: int, count: int, granted: int | None
) -> ExchangeStep:
    asked = None if outcome is None else Outcome(outcome)
    return ExchangeStep(BudgetEvent(event), asked, held, count, granted)
