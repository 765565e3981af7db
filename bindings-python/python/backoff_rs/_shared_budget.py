"""SharedBudget: one budget for many processes, kept in a store."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
import weakref
from dataclasses import replace
from time import monotonic_ns

from ._backoff import Budget, BudgetState, _Member, _type_name
from ._budget_store import BudgetExchange, ExchangeStep, SharedBudgetStats
from ._functions import is_coroutine_function
from ._policy_error import PolicyError
from ._types import BudgetEvent, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Final, Literal, Never, SupportsIndex, TypeAlias

    from ._aliases import BudgetEventOrName
    from ._budget_store import BudgetStore

    #: Whether a retry is granted, what the operation holds then, and whether the local budget
    #: decided.
    _Answer: TypeAlias = tuple[bool, int, bool]

_MOST_LEASED: Final = 1000
_MOST_PROCESSES: Final = 1_000_000
#: What the core calls them.
_FALLBACKS: Final = {"share": 0, "whole": 1, "refuse": 2**64 - 1}
#: In bytes. Stores limit the length of a key, such as PostgreSQL to 2704 bytes.
_LONGEST_NAME: Final = 255
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
#: A longer timeout is none.
_LONGEST_NS: Final = 24 * 60 * 60 * 10**9
#: An exchange may take at least this many seconds: the store may need a new connection.
_EXCHANGE_LIMIT: Final = 1.0
#: An idle thread ends after this many seconds.
_IDLE: Final = 10.0
_GONE: Final = (False, 0, True)


class SharedBudget:
    """A budget that many processes share, in any language: its state is kept in a store. Loops take
    it where they take a Budget.

    store        a BudgetStore, such as backoff_rs.adapters.redis.RedisStore.
    name         what the processes share, such as the server that they call. 1 to 255 bytes of
                 UTF-8 without control characters.
    budget       a budget string. Processes with the same name and budget share one account. A
                 "concurrent" budget is rejected: a process that dies would hold its slots for ever.
    local_budget the budget string that decides in this process while the store is away; by default
                 the same.
    fallback     what of that is granted: "share", its part, as if each process did what this one
                 does, so that all together grant about one budget; "whole", all, so that n processes
                 grant up to n budgets; or "refuse", none.
    processes    how many processes share, from 1 to 1000000; by default as many as the account has
                 counted lately. A process that has not exchanged anything yet assumes that it is
                 alone.
    lease        a request that is granted also takes lease - 1 more retries, which this process then
                 grants without asking: fewer round trips, but these retries may lie unused, and
                 do not expire. While processes lose swaps to each other, a request takes up to
                 15 more along, whatever the lease, but at most a sixteenth of what the account
                 would grant.
    timeout      how long a loop waits for the store, in seconds; at least a second until the first
                 exchange has ended, because the store needs a connection.
    on_exchange  called with a BudgetExchange after each exchange with the store, also after one that
                 failed, by the thread that talks to it: the next exchange waits for it. The loops have
                 their answers by then. What it raises is logged, and is last_error.

    A loop asks the store only before a retry. What else it reports is counted, and sent with the next
    request, or when 100 events are waiting, or with the first one after 30 s, or by flush(). If the
    store fails, or does not answer in time, it counts as away for 1 s: the local budget decides,
    RetryEvent.budget_is_local is True, and last_error is the error. Nothing is raised.

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
        fallback: Literal["share", "whole", "refuse"] = "share",
        processes: SupportsIndex | None = None,
        local_budget: str | None = None,
        lease: SupportsIndex = 1,
        timeout: float = 0.1,
        on_exchange: Callable[[BudgetExchange], object] | None = None,
    ) -> None:
        if isinstance(store, type):
            raise TypeError(f"store is the class {store.__name__}, and must be an object")
        for method in ("load", "compare_and_swap"):
            if not callable(getattr(store, method, None)):
                raise TypeError(f"store has no {method}(): it is {_type_name(store)}")
            _reject_coroutine_function(f"{method}() of the store", getattr(store, method))
        if on_exchange is not None and not callable(on_exchange):
            raise TypeError(f"on_exchange must be callable, not {_type_name(on_exchange)}")
        _reject_coroutine_function("on_exchange", on_exchange)
        self._store = store
        self._name = _checked_name(name)
        self._budget = _checked_budget("budget", budget)
        local = budget if local_budget is None else local_budget
        self._local = _checked_budget("local_budget", local)
        self._lease = _checked_count("lease", lease, _MOST_LEASED)
        self._fallback = _checked_fallback(fallback, processes)
        self._timeout = _checked_timeout(timeout)
        self._on_exchange = on_exchange
        self._key = f"backoff:{name}:{self._budget}"
        self._last_error: Exception | None = None
        self._begin_process()
        _budgets.add(self)

    def _begin_process(self) -> None:
        """What belongs to one process. A fork may have left its lock locked."""
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        #: The thread that makes an exchange, or calls on_exchange.
        self._worker: threading.Thread | None = None
        self._is_reporting = False
        self._thread: threading.Thread | None = None
        timeout_ns = min(int(self._timeout * 1e9), _LONGEST_NS)
        seed = int.from_bytes(os.urandom(8), "little")
        self._member = _Member(
            self._budget, self._local, self._lease, self._fallback, timeout_ns, seed
        )
        #: The requests that wait, in the order in which they came.
        self._requests: list[Request] = []
        self._flushes: list[_Flush] = []

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
        """The last error of the store or of on_exchange; None if there was none. It stays when the store
        is back."""
        return self._last_error

    @property
    def stats(self) -> SharedBudgetStats:
        """What this process has exchanged with the store so far, for metrics."""
        with self._changed:
            return SharedBudgetStats(**dict(self._member.stats()))

    def flush(self) -> bool:
        """Sends what the store does not know, and returns whether nothing is left to send. Call it before
        a process ends.

        It waits for the store and for on_exchange, at most 2 s, or twice a longer timeout; while
        the interpreter ends and starts no thread, as long as the store takes. It also asks a store
        that is away. What could not be sent is sent later. It blocks the thread: in async code, use
        asyncio.to_thread(budget.flush). In on_exchange it returns False at once, and so it may in a
        signal handler: let that set a flag, and flush in the main code.
        """
        if threading.current_thread() is self._worker or self._lock._is_owned():  # type: ignore[attr-defined]
            # It would wait for itself: in on_exchange, or in a signal handler that has interrupted
            # what holds the lock.
            return False
        flush, begun = _Flush(), None
        with self._changed:
            most = min(2 * max(self._current_timeout(), _EXCHANGE_LIMIT), threading.TIMEOUT_MAX)
            if not self._member.has_unsent():
                return self._changed.wait_for(lambda: self._worker is None, most)
            self._flushes.append(flush)
            if self._start() is not None and self._worker is None:
                # No thread starts while Python ends: this one talks to the store.
                begun = self._begin()
        while begun is not None:
            self._finish(*begun)
            with self._changed:
                is_next = self._flushes and self._worker is None
                begun = self._begin() if is_next else None
        flush.over.wait(most)
        with self._changed, contextlib.suppress(ValueError):
            # Nobody has taken it.
            self._flushes.remove(flush)
        return flush.is_stored

    def __repr__(self) -> str:
        return f"<SharedBudget {self._name!r} {self._budget}>"

    def __reduce__(self) -> Never:
        raise TypeError("a SharedBudget cannot be copied or pickled: make one in each process")

    # For accounts of operations.

    def _tell(self, name: BudgetEventOrName, held: int = 0, is_local: bool = False) -> None:
        """Notes an event: what the operation holds, and whether the local budget gave it."""
        with self._changed:
            self._member.note(name, held, is_local, monotonic_ns())
            if self._member.due_in(monotonic_ns()) is not None:
                self._wake()

    def _request(self, outcome: Outcome, wake: Callable[[], object]) -> Request:
        """Asks for a retry. It has an answer at once, or `wake` is called from another thread."""
        request = Request(outcome, wake)
        with self._changed:
            request.timeout = self._current_timeout()
            request.answer = self._member.request(outcome, monotonic_ns())
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
        """The answer, or that of the local budget if the store has not answered in time."""
        with self._changed:
            if request.answer is None:
                self._member.late(monotonic_ns())
                self._is_away(self._late(request.timeout))
            return request.answer or _GONE

    # Callers of the following hold the lock.

    def _current_timeout(self) -> float:
        """How many seconds a request may wait now."""
        return max(self._timeout, self._member.timeout_ns() / 1e9)

    def _late(self, timeout: float) -> TimeoutError:
        """Why a request has waited for too long."""
        if self._is_reporting:
            return TimeoutError(f"on_exchange did not return within {timeout:g} s")
        return _no_answer(timeout)

    def _withdraw(self, request: Request) -> None:
        if request in self._requests:
            self._requests.remove(request)
            self._member.cancel(request.outcome)

    def _is_away(self, error: Exception) -> None:
        """The local budget decides on all that waits."""
        self._last_error = error
        self._ask_again()

    def _ask_again(self) -> None:
        for request in self._requests:
            request.answer = self._member.request(request.outcome, monotonic_ns())
        self._answered()

    def _answered(self) -> None:
        """Wakes those whose requests have an answer."""
        answered = [request for request in self._requests if request.answer is not None]
        self._requests = [request for request in self._requests if request.answer is None]
        for request in answered:
            request.wake()

    def _work_in(self) -> float | None:
        """The seconds until an exchange is to begin."""
        if self._worker is not None:
            return None
        due_in = 0 if self._flushes else self._member.due_in(monotonic_ns())
        return None if due_in is None else due_in / 10**9

    def _wake(self) -> None:
        """Tells the thread that there is work."""
        error = self._start()
        if error is not None:
            self._member.late(monotonic_ns())
            self._is_away(error)

    def _start(self) -> Exception | None:
        """Wakes or starts the thread. Returns why it does not start."""
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

    def _begin(self) -> tuple[list[_Flush], float]:
        """Begins an exchange, for the flushes that there are. Returns them, and its timeout."""
        flushes, self._flushes = self._flushes, []
        self._worker = threading.current_thread()
        self._member.begin(monotonic_ns())
        return flushes, self._current_timeout()

    def _end(self, flushes: list[_Flush], is_stored: bool) -> None:
        for flush in flushes:
            flush.is_stored = is_stored
            flush.over.set()

    # The following are called by the thread, without the lock.

    def _work(self) -> None:
        while True:
            with self._changed:
                while (pause := self._work_in()) != 0:
                    is_changed = self._changed.wait(_IDLE if pause is None else pause)
                    if pause is None and not is_changed:
                        self._thread = None
                        return
                begun = self._begin()
            self._finish(*begun)

    def _finish(self, flushes: list[_Flush], timeout: float) -> None:
        """Makes the exchange that has begun."""
        exchange = self._exchange(timeout)
        with self._changed:
            if exchange.error is None:
                self._stored()
            else:
                self._member.failed(exchange.stored == "unknown", monotonic_ns())
                self._is_away(exchange.error)
            self._is_reporting = True
        self._report(exchange)
        with self._changed:
            self._is_reporting, self._worker = False, None
            self._changed.notify_all()
        self._end(flushes, exchange.error is None)

    def _stored(self) -> None:
        """Answers the requests, the oldest first."""
        for name, granted, refused, held in self._member.stored(monotonic_ns()):
            answers = [(True, held, False)] * granted + [(False, 0, False)] * refused
            waiting = (request for request in self._requests if request.outcome == name)
            for request, answer in zip(waiting, answers, strict=False):
                request.answer = answer
        self._answered()
        if self._member.is_away(monotonic_ns()):
            self._ask_again()

    def _exchange(self, timeout: float) -> BudgetExchange:
        """Loads the state and swaps it, until no other process is faster."""
        while True:
            exchange = BudgetExchange(None, 0, (), "", "no")
            try:
                before, now_ns = _checked_load(self._store.load(self._key))
                exchange = replace(exchange, before=before, now_ns=now_ns)
                with self._changed:
                    stepped = self._member.step(before, now_ns)
                    steps = tuple(_step(*step) for step in self._member.steps())
                if stepped is None:
                    BudgetState.parse(self._budget, before or "")
                after, is_changed = stepped or ("", False)
            except BaseException as error:
                return replace(exchange, error=_ordinary(error))
            exchange = replace(exchange, steps=steps, after=after)
            if not is_changed:
                return replace(exchange, stored="unchanged")
            try:
                is_stored = self._store.compare_and_swap(self._key, before, after)
                if not isinstance(is_stored, bool):
                    kind = _type_name(is_stored)
                    raise TypeError(f"compare_and_swap() must return a bool, not {kind}")
            except BaseException as error:
                return replace(exchange, stored="unknown", error=_ordinary(error))
            if is_stored:
                return replace(exchange, stored="yes")
            with self._changed:
                wait_ns = self._member.lost(monotonic_ns())
            if wait_ns is None:
                why = f"other processes were faster for {timeout:g} s"
                return replace(exchange, stored="lost", error=TimeoutError(why))
            time.sleep(wait_ns / 1e9)

    def _report(self, exchange: BudgetExchange) -> None:
        if self._on_exchange is None:
            return
        try:
            self._on_exchange(exchange)
        except BaseException as error:
            import logging

            self._last_error = _ordinary(error)
            # No caller could get it.
            logger = logging.getLogger("backoff_rs")
            logger.exception("on_exchange of the budget %s failed", self._name)


class Request:
    """A retry that an operation asks for. Only the budget writes the answer."""

    __slots__ = ("answer", "outcome", "timeout", "wake")

    def __init__(self, outcome: Outcome, wake: Callable[[], object]) -> None:
        self.outcome = outcome
        #: Called when there is an answer.
        self.wake = wake
        self.answer: _Answer | None = None
        #: How long it may wait, in seconds.
        self.timeout = 0.0


class _Flush:
    """Somebody waits until all is stored."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.is_stored = False


def _step(
    event: str, outcome: str | None, held: int, count: int, granted: int | None
) -> ExchangeStep:
    asked = None if outcome is None else Outcome(outcome)
    return ExchangeStep(BudgetEvent(event), asked, held, count, granted)


def _reject_coroutine_function(what: str, function: object) -> None:
    if is_coroutine_function(function):
        raise TypeError(f"{what} is a coroutine function, which nothing awaits here")


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, not {_type_name(name)}")
    if not name:
        raise ValueError("name is empty")
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        raise ValueError("name is not Unicode: it has a lone surrogate") from None
    if length > _LONGEST_NAME:
        raise ValueError(f"name has {length} bytes, and may have at most {_LONGEST_NAME}")
    if (control := _CONTROL.search(name)) is not None:
        raise ValueError(f"name {name!r} has the control character {control[0]!r}")
    return name


def _checked_budget(argument: str, text: object) -> Budget:
    if isinstance(text, Budget):
        raise TypeError(f"{argument} must be a budget string, not Budget: write str(budget)")
    if not isinstance(text, str):
        raise TypeError(f"{argument} must be a budget string, not {_type_name(text)}")
    try:
        budget = Budget.parse(text)
    except PolicyError as error:
        error.add_note(f"in {argument} {text!r}")
        raise
    if budget.kind == "concurrent":
        raise ValueError(
            f"{argument} {text!r} cannot be shared: a process that dies would hold its slots for "
            "ever. The kinds that can are quota, throttle, ratio, rate and ttl"
        )
    return budget


def _checked_count(argument: str, count: Any, most: int) -> int:
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise TypeError(f"{argument} must be an int, not {_type_name(count)}")
    number: int = count.__index__()
    if not 1 <= number <= most:
        raise ValueError(f"{argument} {number} is not from 1 to {most}")
    return number


def _checked_fallback(fallback: object, processes: object) -> int:
    if not isinstance(fallback, str):
        raise TypeError(f"fallback must be a str, not {_type_name(fallback)}")
    if fallback not in _FALLBACKS:
        raise ValueError(f"fallback {fallback!r} is not 'share', 'whole' or 'refuse'")
    if processes is None:
        return _FALLBACKS[fallback]
    if fallback != "share":
        raise ValueError(f"processes is only for the fallback 'share', not for {fallback!r}")
    return _checked_count("processes", processes, _MOST_PROCESSES)


def _ordinary(error: BaseException) -> Exception:
    """What code of the caller raised in the thread, which it must not end."""
    if isinstance(error, Exception):
        return error
    raised = RuntimeError(f"raised {error!r}")
    raised.__cause__ = error
    return raised


def _no_answer(timeout: float) -> TimeoutError:
    return TimeoutError(f"the store did not answer within {timeout:g} s")


def _checked_timeout(timeout: object) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be a number of seconds, not {_type_name(timeout)}")
    if not 0 < timeout <= threading.TIMEOUT_MAX:
        most = f"{threading.TIMEOUT_MAX:g}"
        raise ValueError(f"timeout {timeout} is not a number of seconds above 0 and up to {most}")
    return timeout


def _checked_load(loaded: Any) -> tuple[str | None, int]:
    """Checks what `load` of the caller's store returned."""
    if not isinstance(loaded, tuple) or len(loaded) != 2:
        raise TypeError(f"load() must return a text or None, and the time, not {loaded!r}")
    before, now_ns = loaded
    if before is not None and not isinstance(before, str):
        raise TypeError(f"text must be a str, not {_type_name(before)}")
    return before, now_ns


#: All that there are in this process.
_budgets: weakref.WeakSet[SharedBudget] = weakref.WeakSet()


def _after_fork() -> None:
    for budget in list(_budgets):
        budget._begin_process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
