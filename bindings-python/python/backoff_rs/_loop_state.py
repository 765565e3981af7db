"""The state of a loop, its events, and how it ends (SPEC 18)."""

from __future__ import annotations

import sys
from types import CoroutineType

from . import _time
from ._cancellation import Cancellations
from ._context import keep_context, may_be_marked
from ._event import RetryEvent
from ._functions import is_lost
from ._log import log_stop
from ._options import NOT_AWAITED
from ._types import Outcome, StopReason
from ._verdict import unmark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, Literal

    from ._aliases import OutcomeOrName
    from ._backoff import Decision, Operation
    from ._budget_session import SharedBudgetSession
    from ._options import Options

    _Reason = StopReason | Literal["success", "cancelled"]

#: Outcome() takes longer to find them.
_OUTCOMES: Final[dict[str, Outcome]] = {outcome.value: outcome for outcome in Outcome}

#: In place of the reason, once the loop has stopped with all its hooks.
GIVES_FALLBACK: Final = "the fallback"

_LEFT: Final = (
    "was not awaited: nothing can await it after a `break` or an exception outside "
    "`with attempt:`, or in a coroutine that is being closed"
)


def reject_lost(function: object, result: object) -> None:
    if is_lost(result):
        raise TypeError(f"{function!r} is a coroutine function, {NOT_AWAITED}")


def _caller() -> int:
    """The stack level, for a warning of the function that calls this, of the code outside this
    package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_globals.get("__package__") == __package__ and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    return level


class LoopState(Cancellations):
    """One operation: what its steps know of it, and how it ends."""

    __slots__ = (
        "_args",
        "_attempts",
        "_began_ns",
        "_deadline_ns",
        "_decided_ns",
        "_error",
        "_kwargs",
        "_last",
        "_limit_ends_ns",
        "_name",
        "_now_ns",
        "_operation",
        "_outcome",
        "_reason",
        "_session",
        "_stream",
        "_time",
        "_value",
        "decision",
    )

    #: The arguments of the call, if hooks or options need them.
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    #: The failure of the call before the last, once there were two.
    _last: BaseException | None
    #: The end of the last attempt, if it has a limit.
    _limit_ends_ns: int
    #: Of the last decision.
    _outcome: OutcomeOrName
    _decided_ns: int

    def __init__(
        self,
        options: Options,
        name: str,
        awaits: bool,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self._is_async: bool = awaits
        self.awaits: bool = awaits
        if awaits:
            self._forget_calls()
        self._name = name
        self._time = time = _time.current()
        if time.changes is not None:
            options = time.changes(options)
            if not awaits:
                options.reject_attempt_timeout(f"the call of {name}")
        self._stream = options.stream
        self._deadline_ns = options.deadline_ns
        if options.depends_on_call:
            self._args, self._kwargs = args, kwargs = args, kwargs or {}
            if options.policy_of is not None:
                options = options.of_call(args, kwargs)
                if not awaits:
                    options.reject_attempt_timeout(f"the call of {name}")
            self._stream = options.stream_of_call(args, kwargs)
            self._deadline_ns = options.deadline_of_call(args, kwargs)
        self.options = options
        self._now_ns = time.now_ns if options.clock_ns is None else options.checked_now_ns
        self._attempts = self._began_ns = 0
        #: Made when it is needed: at the first failure, or if others can see that it begins.
        self._operation: Operation | None = None
        #: Its part in a shared budget.
        self._session: SharedBudgetSession | None = None
        #: The failure or the value of the last call.
        self._error: BaseException | None = None
        self._value: object = None
        #: From the last call to the wait.
        self.decision: Decision | None = None
        self._reason: _Reason | Literal["the fallback"] | None = None

    @property
    def attempts(self) -> int:
        """The calls so far."""
        return self._attempts

    @property
    def gives_fallback(self) -> bool:
        """Whether the loop returns its fallback in place of what it would raise."""
        return self._reason is GIVES_FALLBACK

    @property
    def stopped(self) -> bool:
        """Whether the loop has ended."""
        return self._reason is not None

    @property
    def last_error(self) -> BaseException | None:
        """The failure of the call before the last."""
        return self._last if self._attempts > 1 and self._reason is None else None

    def _event(self, decision: Decision) -> RetryEvent:
        """The event of the last decision."""
        return self._new_event(
            _OUTCOMES[self._outcome],
            decision.reason,
            decision.delay_ns,
            self._decided_ns,
            self._session is not None and self._session.is_local,
        )

    def _new_event(
        self,
        outcome: Outcome | None,
        reason: StopReason | None,
        delay_ns: int,
        now_ns: int,
        budget_is_local: bool = False,
    ) -> RetryEvent:
        event = (self.options.event or RetryEvent)(
            self._name,
            self._attempts,
            outcome,
            reason,
            delay_ns,
            max(0, now_ns - self._began_ns),
            self._error,
            self._value,
            budget_is_local,
        )
        if self.options.has_hooks:
            event.__dict__.update(_args=self._args, _kwargs=self._kwargs)
        return event

    async def _cancel_because(self, raised: BaseException) -> None:
        """Cancels the loop after an exception. A coroutine that is being closed cannot await."""
        await self._cancel(can_await=not isinstance(raised, GeneratorExit))

    async def _cancel(self, can_await: bool = True) -> None:
        """Cancels the loop, unless it has stopped."""
        if self._reason is None:
            now_ns = self._began_ns
            if self._operation is not None:
                self._operation.cancel()
            if self._attempts:
                try:  # noqa: SIM105
                    now_ns = self._now_ns()
                except Exception:
                    # A clock that fails must not hide why the loop ends.
                    pass
            if self.options.on_stop is None:
                self._end("cancelled")
                return
            event = self._new_event(None, StopReason.CANCELLED, 0, now_ns)
            await self._stop(event, can_await)

    def broken_off(self, raised: Exception) -> None:
        """Ends the loop because a hook or a predicate failed; no other hook is called (SPEC 18.6)."""
        keep_context(self._error, raised)
        self._end("cancelled" if self._operation is None else self._operation.cancel())

    async def _break_off(self, raised: BaseException) -> None:
        """The same. An interruption cancels the loop as usual."""
        if isinstance(raised, Exception):
            self.broken_off(raised)
        else:
            keep_context(self._error, raised)
            await self._cancel_because(raised)

    async def _stop(self, event: RetryEvent, can_await: bool = True) -> None:
        """Ends the loop: counts it, then calls on_stop (SPEC 18.5)."""
        self._end(event.reason)
        if self.options.log is not False:
            log_stop(self.options.log, event, self.options.log_levels)
        on_stop = self.options.on_stop
        if on_stop is None:
            return
        if can_await:
            await _time.shielded(self.awaits, self._call(on_stop, event))
        elif is_lost(on_stop(event)):
            import warnings

            warnings.warn(f"on_stop of {event.name} {_LEFT}", RuntimeWarning, _caller())

    def _end(self, reason: _Reason | None) -> None:
        self._reason = reason
        if self._error is not None and may_be_marked(self._error):
            unmark(self._error)
        # An error refers to the frames it passed, and they refer to this loop: no cycle.
        self._error, self._value, self.decision = None, None, None
        self._last = None
        if self._is_async:
            self._forget_calls()
        if self.options.stats is not None and reason is not None:
            self.options.stats.record(self._attempts, reason)

    async def _call(self, function: Callable[[Any], object], argument: object) -> object:
        """Calls a function of the caller, and awaits its result if this loop can."""
        result = function(argument)
        # Only the type is asked: a proxy may fail.
        if result is None or type(result) is bool:
            return result
        if self.awaits:
            if type(result) is CoroutineType:
                return await result
            # asyncio and trio import it, too.
            import inspect

            if inspect.isawaitable(result):
                return await result
        reject_lost(function, result)
        return result
