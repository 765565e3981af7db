"""SharedBudget: one budget for many processes, kept in a store."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections import deque
from time import monotonic, monotonic_ns

from ._account import Request
from ._backoff import Budget, BudgetState, _type_name
from ._budget_store import BudgetExchange, BudgetStep
from ._types import BudgetEvent, Outcome
from ._wrap import is_coroutine_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Final, Literal, Never, SupportsIndex

    from ._account import _Answer
    from ._aliases import BudgetEventOrName
    from ._budget_store import BudgetStore

#: How long the store is not asked after a failure, in seconds.
_AWAY: Final = 1.0
#: When this many events wait, they are sent without a request. While the store is away, the last ones are kept, up to
#: this many.
_MOST_EVENTS: Final = 100
_MOST_LEASED: Final = 1000
#: An idle thread ends after this many seconds.
_IDLE: Final = 10.0
_GONE: Final = (False, 0, True)


class SharedBudget:
    """A budget that many processes share, in any language: its state is kept in a store. Loops take
    it where they take a Budget.

    store        a BudgetStore, such as backoff_rs.adapters.redis.RedisStore.
    name         what the processes share, such as the server that they call.
    budget       a budget string. Processes with the same name and budget share one account. A
                 "concurrent" budget is rejected: a process that dies would hold its slots for ever.
    fallback     the budget string that decides in this process while the store is away; by default
                 the same.
    lease        a request that is granted also takes lease - 1 more retries, which this process then
                 grants without asking: fewer round trips, but these retries may lie unused.
    timeout      how long a loop waits for the store, in seconds.
    on_exchange  called with a BudgetExchange after each exchange with the store, by the thread that
                 talks to it.

    A loop asks the store only before a retry. What else it reports is sent with the next request, or
    when 100 events are waiting, or by flush(). If the store fails, or does not answer in time, it
    counts as away for 1 s: the fallback decides, RetryEvent.budget_is_local is True, and last_error
    is the error. Nothing is raised.

    Threads and tasks may share it. It talks to the store in a thread of its own, which it starts when
    it needs one; a forked child starts its own, and leaves to its parent what was waiting. It cannot
    be copied or pickled.

    Raises PolicyError, ValueError and TypeError for invalid arguments.
    """

    __module__ = "backoff_rs"

    def __init__(
        self,
        store: BudgetStore,
        name: str,
        budget: str,
        *,
        fallback: str | None = None,
        lease: SupportsIndex = 1,
        timeout: float = 0.1,
        on_exchange: Callable[[BudgetExchange], object] | None = None,
    ) -> None:
        for method in ("load", "swap"):
            if not callable(getattr(store, method, None)):
                raise TypeError(f"store has no {method}(): it is {_type_name(store)}")
            _reject_coroutine_function(f"{method}() of the store", getattr(store, method))
        if on_exchange is not None and not callable(on_exchange):
            raise TypeError(f"on_exchange must be callable, not {_type_name(on_exchange)}")
        _reject_coroutine_function("on_exchange", on_exchange)
        self._store = store
        self._name = _checked_name(name)
        self._budget = _checked_budget("budget", budget)
        local = budget if fallback is None else fallback
        self._local = BudgetState.full(_checked_budget("fallback", local))
        self._lease = _checked_lease(lease)
        self._timeout = _checked_timeout(timeout)
        self._on_exchange = on_exchange
        self._key = f"backoff:{name}:{self._budget}"
        self._last_error: Exception | None = None
        self._away_until = 0.0
        self._begin_process()
        _budgets.add(self)

    def _begin_process(self) -> None:
        """What belongs to one process. A fork may have left its lock locked."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        #: When the exchange that is under way began.
        self._busy_since: float | None = None
        #: What waits for the next exchange.
        self._events: deque[tuple[BudgetEvent, int]] = deque()
        self._requests: list[Request] = []
        self._flushes: list[_Flush] = []
        #: The retries that were granted in advance: their outcomes and what they hold.
        self._leased: list[tuple[Outcome, int]] = []

    @property
    def name(self) -> str:
        """The name that the processes share."""
        return self._name

    @property
    def key(self) -> str:
        """The key of the account in the store: backoff:NAME:BUDGET."""
        return self._key

    @property
    def last_error(self) -> Exception | None:
        """Why the store was last away; None if it never was."""
        return self._last_error

    def flush(self) -> bool:
        """Sends what waits, and returns whether the store has it. It waits at most for the timeout.
        Call it before a process ends."""
        flush = _Flush()
        with self._changed:
            self._flushes.append(flush)
            self._wake()
        flush.over.wait(self._timeout)
        with self._changed, contextlib.suppress(ValueError):
            # Nobody has taken it.
            self._flushes.remove(flush)
        return flush.is_stored

    def __repr__(self) -> str:
        return f"<SharedBudget {self._name!r} {self._budget}>"

    def __reduce__(self) -> Never:
        raise TypeError("a SharedBudget cannot be copied or pickled: make one in each process")

    # What accounts of operations call.

    def _tell(self, name: BudgetEventOrName, held: int = 0, held_locally: int = 0) -> None:
        """Notes an event: what the operation holds of the store's account and of the local one."""
        event = BudgetEvent(name)
        with self._changed:
            self._local, _, _ = self._local.step(event, now_ns=monotonic_ns(), held=held_locally)
            self._events.append((event, held))
            self._drop_events()
            if len(self._events) >= _MOST_EVENTS and not self._is_away():
                self._wake()

    def _request(self, outcome: Outcome, wake: Callable[[], object]) -> Request:
        """Asks for a retry. It has an answer at once, or `wake` is called from another thread."""
        request = Request(outcome, wake)
        with self._changed:
            request.answer = self._answer_of_lease(outcome)
            if request.answer is None and self._is_away():
                request.answer = self._answer_of_fallback(outcome)
            if request.answer is None:
                self._requests.append(request)
                self._wake()
        return request

    @contextlib.contextmanager
    def _abandoning(self, request: Request) -> Iterator[None]:
        """Withdraws a request whose loop is interrupted."""
        try:
            yield
        except BaseException:
            with self._changed:
                self._withdraw(request)
                request.answer = request.answer or _GONE
            raise

    def _answer(self, request: Request) -> _Answer:
        """The answer, or that of the fallback if the store has not answered in time."""
        with self._changed:
            if request.answer is None:
                self._withdraw(request)
                self._is_lost(TimeoutError(f"the store did not answer within {self._timeout} s"))
                request.answer = self._answer_of_fallback(request.outcome)
            return request.answer

    # The following are called with the lock.

    def _withdraw(self, request: Request) -> None:
        with contextlib.suppress(ValueError):
            self._requests.remove(request)

    def _answer_of_lease(self, outcome: Outcome) -> _Answer | None:
        for place, (leased, held) in enumerate(self._leased):
            if leased is outcome:
                del self._leased[place]
                return True, held, False
        return None

    def _answer_of_fallback(self, outcome: Outcome) -> _Answer:
        self._local, granted, held = self._local.step(
            BudgetEvent.RETRY_REQUESTED, now_ns=monotonic_ns(), outcome=outcome
        )
        return granted, held, True

    def _is_away(self) -> bool:
        now = monotonic()
        is_stuck = self._busy_since is not None and now > self._busy_since + self._timeout
        return is_stuck or now < self._away_until

    def _is_lost(self, error: Exception) -> None:
        self._last_error = error
        self._away_until = monotonic() + _AWAY

    def _drop_events(self) -> None:
        """Keeps the newest while nobody takes them."""
        if len(self._events) > _MOST_EVENTS and self._is_away():
            while len(self._events) > _MOST_EVENTS:
                self._events.popleft()

    def _has_work(self) -> bool:
        return bool(
            self._requests
            or self._flushes
            or (len(self._events) >= _MOST_EVENTS and not self._is_away())
        )

    def _wake(self) -> None:
        """Tells the thread that there is work."""
        if self._thread is not None and self._thread.is_alive():
            self._changed.notify_all()
            return
        name = f"backoff_rs budget {self._name}"
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            # Python ends, or the system has no thread left.
            self._thread = None
            self._give_up(error, self._take())

    def _take(self) -> _Work:
        work = _Work([*self._events], self._requests, self._flushes)
        self._events.clear()
        self._requests, self._flushes = [], []
        return work

    def _give_up(self, error: Exception, work: _Work) -> None:
        """The store is away: the fallback decides, and the events wait."""
        self._is_lost(error)
        self._events.extendleft(reversed(work.events))
        self._drop_events()
        for request in work.requests:
            if request.answer is None:
                request.answer = self._answer_of_fallback(request.outcome)
                request.wake()
        for flush in work.flushes:
            flush.over.set()

    # The following are called by the thread, without the lock.

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._changed.wait_for(self._has_work, _IDLE):
                    self._thread = None
                    return
                work = self._take()
                self._busy_since = monotonic()
            try:
                exchange = self._exchange(work)
            finally:
                with self._changed:
                    self._busy_since = None
            if exchange is not None:
                self._report(exchange)
            for flush in work.flushes:
                flush.over.set()

    def _exchange(self, work: _Work) -> BudgetExchange | None:
        """Loads the state, applies the work and stores it, until no other process is faster."""
        end = monotonic() + self._timeout
        if not work.events and not work.requests:
            work.flushed()
            return None
        while True:
            try:
                before, now_ns = _checked_load(self._store.load(self._key))
                draft = _Draft(self._budget, before, now_ns)
                self._apply(work, draft)
            except Exception as error:
                with self._changed:
                    self._give_up(error, work)
                return None
            if draft.is_unchanged:
                break
            try:
                is_stored = self._store.swap(self._key, before, draft.after)
            except Exception as error:
                # They may have been stored: sent again, they could count twice.
                work.events.clear()
                with self._changed:
                    self._give_up(error, work)
                return draft.exchange("unknown")
            if is_stored:
                break
            if monotonic() > end:
                why = f"other processes were faster for {self._timeout} s"
                with self._changed:
                    self._give_up(TimeoutError(why), work)
                return None
        with self._changed:
            self._leased += draft.leased
            for request, answer in draft.answers:
                if request.answer is None:
                    request.answer = answer
                    request.wake()
        work.flushed()
        return draft.exchange("unchanged" if draft.is_unchanged else "yes")

    def _apply(self, work: _Work, draft: _Draft) -> None:
        for event, held in work.events:
            draft.tell(event, held)
        for request in work.requests:
            # Its caller may have gone.
            if request.answer is None:
                granted, held = draft.ask(request.outcome)
                draft.answers.append((request, (granted, held, False)))
        for request, (granted, _, _) in draft.answers:
            while granted and len(self._leased) + len(draft.leased) < self._lease - 1:
                granted, held = draft.ask(request.outcome)
                if granted:
                    draft.leased.append((request.outcome, held))

    def _report(self, exchange: BudgetExchange) -> None:
        if self._on_exchange is None:
            return
        try:
            self._on_exchange(exchange)
        except Exception:
            import logging

            # Nobody else could get it.
            logger = logging.getLogger("backoff_rs")
            logger.exception("on_exchange of the budget %s failed", self._name)


class _Flush:
    """Somebody waits until all is stored."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.is_stored = False


class _Work:
    """What one exchange has to do."""

    def __init__(
        self,
        events: list[tuple[BudgetEvent, int]],
        requests: list[Request],
        flushes: list[_Flush],
    ) -> None:
        self.events, self.requests, self.flushes = events, requests, flushes

    def flushed(self) -> None:
        for flush in self.flushes:
            flush.is_stored = True


class _Draft:
    """The state that an exchange would store, and the steps to it."""

    def __init__(self, budget: Budget, before: str | None, now_ns: int) -> None:
        self._before, self._now_ns = before, now_ns
        full, parse = BudgetState.full, BudgetState.parse
        state = full(budget) if before is None else parse(budget, before)
        self._begin = self._state = state
        self._steps: list[BudgetStep] = []
        self.answers: list[tuple[Request, _Answer]] = []
        self.leased: list[tuple[Outcome, int]] = []

    def tell(self, event: BudgetEvent, held: int) -> None:
        self._state, _, _ = self._state.step(event, now_ns=self._now_ns, held=held)
        self._steps.append(BudgetStep(event, None, held, None))

    def ask(self, outcome: Outcome) -> tuple[bool, int]:
        event = BudgetEvent.RETRY_REQUESTED
        self._state, granted, held = self._state.step(event, now_ns=self._now_ns, outcome=outcome)
        self._steps.append(BudgetStep(event, outcome, held, granted))
        return granted, held

    @property
    def is_unchanged(self) -> bool:
        return self._state == self._begin

    @property
    def after(self) -> str:
        return str(self._state)

    def exchange(self, stored: Literal["yes", "unchanged", "unknown"]) -> BudgetExchange:
        return BudgetExchange(self._before, self._now_ns, tuple(self._steps), self.after, stored)


def _reject_coroutine_function(what: str, function: object) -> None:
    if is_coroutine_function(function):
        raise TypeError(f"{what} is a coroutine function, which nothing awaits here")


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, not {_type_name(name)}")
    if not name or not name.isprintable():
        raise ValueError(f"name {name!r} is not a text that can be printed")
    return name


def _checked_budget(argument: str, text: object) -> Budget:
    if not isinstance(text, str):
        raise TypeError(f"{argument} must be a budget string, not {_type_name(text)}")
    budget = Budget.parse(text)
    if str(budget).startswith("concurrent"):
        raise ValueError(
            f"{argument} {text!r} cannot be shared: a process that dies would hold its slots for "
            "ever. The kinds that can are quota, throttle, ratio, rate and ttl"
        )
    return budget


def _checked_lease(lease: Any) -> int:
    if isinstance(lease, bool) or not hasattr(lease, "__index__"):
        raise TypeError(f"lease must be an int, not {_type_name(lease)}")
    number: int = lease.__index__()
    if not 1 <= number <= _MOST_LEASED:
        raise ValueError(f"lease {number} is not from 1 to {_MOST_LEASED}")
    return number


def _checked_timeout(timeout: object) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be a number of seconds, not {_type_name(timeout)}")
    if not 0 < timeout <= threading.TIMEOUT_MAX:
        raise ValueError(f"timeout {timeout} is not a positive number of seconds")
    return timeout


def _checked_load(loaded: Any) -> tuple[str | None, int]:
    """A store may be of the caller."""
    if not isinstance(loaded, tuple) or len(loaded) != 2:
        raise TypeError(f"load() must return a text or None, and the time, not {loaded!r}")
    before, now_ns = loaded
    return before, now_ns


#: All that there are in this process.
_budgets: weakref.WeakSet[SharedBudget] = weakref.WeakSet()


def _after_fork() -> None:
    for budget in list(_budgets):
        budget._begin_process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
