"""SharedBudget: one budget for many processes, kept in a store."""

from __future__ import annotations

import os
import re
import threading
import weakref

from ._backoff import Budget, _Member, _type_name
from ._budget_worker import BudgetWorker
from ._functions import is_coroutine_function
from ._policy_error import PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, Literal, Never, SupportsIndex

    from ._budget_store import BudgetExchange, BudgetLevel, BudgetStore, SharedBudgetStats

_MAX_LEASE: Final = 1000
_MAX_PROCESSES: Final = 1_000_000
#: What the core calls them.
_FALLBACKS: Final = {"share": 0, "whole": 1, "refuse": 2**64 - 1}
#: In bytes. Stores limit the length of a key, such as PostgreSQL to 2704 bytes.
_MAX_NAME: Final = 255
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
#: A longer timeout is none.
_MAX_TIMEOUT_NS: Final = 24 * 60 * 60 * 10**9


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
    fallback     what of that is granted: "share", its part of one budget, if each process does what this
                 one does; "whole", all; or "refuse", none.
    processes    how many processes share, from 1 to 1000000; by default as many as the account has
                 counted lately.
    lease        a request that is granted also takes lease - 1 more retries, which this process then
                 grants without asking: fewer round trips, but these retries may lie unused, and
                 do not expire.
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
        self._lease = _checked_count("lease", lease, _MAX_LEASE)
        self._fallback = _checked_fallback(fallback, processes)
        self._timeout = _checked_timeout(timeout)
        self._on_exchange = on_exchange
        self._begin_process()
        _budgets.add(self)

    def _begin_process(self) -> None:
        """What belongs to one process: a fork may leave the lock locked."""
        timeout_ns = min(int(self._timeout * 1e9), _MAX_TIMEOUT_NS)
        seed = int.from_bytes(os.urandom(8), "little")
        member = _Member(self._budget, self._local, self._lease, self._fallback, timeout_ns, seed)
        self._worker = BudgetWorker(
            self._store, self._name, self._budget, member, self._timeout, self._on_exchange
        )

    @property
    def name(self) -> str:
        """The name that the processes share."""
        return self._name

    @property
    def key(self) -> str:
        """The key of the account in the store: backoff:NAME:BUDGET."""
        return self._worker.key

    @property
    def last_error(self) -> Exception | None:
        """The last error of the store or of on_exchange; None if there was none. It stays when the store
        is back."""
        return self._worker.last_error

    @property
    def stats(self) -> SharedBudgetStats:
        """What this process has exchanged with the store so far, for metrics."""
        return self._worker.stats()

    def level(self) -> BudgetLevel:
        """What the account in the store has left, for a gauge (SPEC 15.9): without what this process has not
        sent yet. It asks the store in the thread of the caller, and raises what that raises."""
        return self._worker.level()

    def flush(self) -> bool:
        """Sends what the store does not know, and returns whether nothing is left to send. Call it before
        a process ends.

        It waits for the store and for on_exchange, at most 2 s, or twice a longer timeout; while
        the interpreter ends and starts no thread, as long as the store takes. It also asks a store
        that is away. What could not be sent is sent later. It blocks the thread: in async code, use
        asyncio.to_thread(budget.flush). In on_exchange it returns False at once, and so it may in a
        signal handler: let that set a flag, and flush in the main code.
        """
        return self._worker.flush()

    def __repr__(self) -> str:
        return f"<SharedBudget {self._name!r} {self._budget}>"

    def __reduce__(self) -> Never:
        raise TypeError("a SharedBudget cannot be copied or pickled: make one in each process")


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
    if length > _MAX_NAME:
        raise ValueError(f"name has {length} bytes, and may have at most {_MAX_NAME}")
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


def _checked_count(argument: str, count: Any, max_count: int) -> int:
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise TypeError(f"{argument} must be an int, not {_type_name(count)}")
    number: int = count.__index__()
    if not 1 <= number <= max_count:
        raise ValueError(f"{argument} {number} is not from 1 to {max_count}")
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
    return _checked_count("processes", processes, _MAX_PROCESSES)


def _checked_timeout(timeout: object) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be a number of seconds, not {_type_name(timeout)}")
    if not 0 < timeout <= threading.TIMEOUT_MAX:
        longest = f"{threading.TIMEOUT_MAX:g}"
        raise ValueError(
            f"timeout {timeout} is not a number of seconds above 0 and up to {longest}"
        )
    return timeout


#: All that there are in this process.
_budgets: weakref.WeakSet[SharedBudget] = weakref.WeakSet()


def _after_fork() -> None:
    for budget in list(_budgets):
        last_error = budget.last_error
        budget._begin_process()
        budget._worker.last_error = last_error


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
