"""The steps of a loop in full: with predicates, hooks, logs and cancellations (SPEC 18).

They are written once, as coroutines, for blocking and async callers alike. In a blocking loop they
never suspend, and run() runs each to its end.
"""

from __future__ import annotations

import contextlib
import sys
from types import CoroutineType

from . import _time
from ._backoff import Decision, _begin
from ._cancellation import Cancellations
from ._context import add_note, keep_context, may_be_marked
from ._functions import is_lost
from ._options import NOT_AWAITED, reject_distant_deadline
from ._time import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, Final, Literal

    from ._aliases import Duration, OutcomeOrName
    from ._backoff import Operation
    from ._budget_session import SharedBudgetSession
    from ._event import RetryEvent
    from ._options import Options
    from ._types import Outcome, StopReason

    _Reason = StopReason | Literal["success", "cancelled"]

_LEFT: Final = (
    "was not awaited: nothing can await it after a `break` or an exception outside "
    "`with attempt:`, or in a coroutine that is being closed"
)


def _reject_lost(function: object, result: object) -> None:
    if is_lost(result):
        raise TypeError(f"{function!r} is a coroutine function, {NOT_AWAITED}")


def _caller() -> int:
    """The stack level, for a warning of the function that calls this, of the code outside this
    package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_globals.get("__package__") == __package__ and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    return level


class Steps:
    """One operation: its state, and what is done before, between and after its attempts."""

    __slots__ = (
        "_attempts",
        "_begun_ns",
        "_cancellations",
        "_deadline_ns",
        "_decided_ns",
        "_error",
        "_name",
        "_now_ns",
        "_operation",
        "_outcome",
        "_reason",
        "_session",
        "_stream",
        "_time",
        "_value",
        "awaits",
        "decision",
        "options",
    )

    def __init__(
        self,
        options: Options,
        name: str,
        awaits: bool,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.options: Options = options
        self._name = name
        #: Whether hooks and predicates may be awaited.
        self.awaits: bool = awaits
        self._time = time = _time.current()
        self._now_ns = time.now_ns if options.clock_ns is None else options.checked_now_ns
        self._stream = options.stream
        self._deadline_ns = options.deadline_ns
        if options.depends_on_arguments:
            self._stream = options.stream_of_call(args, kwargs or {})
            self._deadline_ns = options.deadline_of_call(args, kwargs or {})
        self._cancellations = Cancellations() if awaits else None
        self._attempts = self._begun_ns = 0
        #: Made when it is needed: at the first failure, or if others can see that it begins.
        self._operation: Operation | None = None
        #: Its part in a shared budget.
        self._session: SharedBudgetSession | None = None
        #: The failure or the value of the last call.
        self._error: BaseException | None = None
        self._value: object = None
        #: From the last call to the wait.
        self.decision: Decision | None = None
        self._reason: _Reason | None = None

    @property
    def attempts(self) -> int:
        """The calls so far."""
        return self._attempts

    @property
    def stopped(self) -> bool:
        """Whether the loop has ended."""
        return self._reason is not None

    async def _begin(self) -> None:
        """Begins the operation and its first attempt. It raises a pending cancellation of this
        task."""
        try:
            if self.awaits:
                await _time.checkpoint_if_cancelled()
            self._begun_ns = self._now_ns()
            if self._deadline_ns is not None:
                reject_distant_deadline(self._deadline_ns, self._begun_ns)
            # A budget counts operations, and fake time numbers loops.
            if self.options.budget is not None or self._time.is_fake:
                self._operation = self._new_operation()
            if self.options.shared_budget is not None:
                from ._budget_session import SharedBudgetSession

                self._session = SharedBudgetSession(self.options.shared_budget)
        except BaseException as error:
            await self._cancel_because(error)
            raise
        if self._cancellations is not None:
            self._cancellations.begin()
        self._attempts = 1

    def _new_operation(self) -> Operation:
        time, options, stream = self._time, self.options, self._stream
        if stream is None and time.is_fake:
            stream = time.stream()
        policy = time.policy or options.policy
        return _begin(policy, stream, self._begun_ns, self._deadline_ns, options.budget)

    async def _failed(self, error: BaseException) -> None:
        # A call may turn its cancellation into a failure of another type.
        if not isinstance(error, Exception) or self._was_cancelled(error):
            await self._cancel_because(error)
            return
        decision = self.decision
        if decision is None:
            verdict = await self._verdict()
            # The predicate may have taken a while.
            if self._was_cancelled(error):
                await self._cancel()
                return
            decision = await self._ask(self._decide(*verdict))
        if decision:
            return
        event = self._event(decision)
        await self._stop(event)
        if event.reason == "permanent" or self.options.reraise:
            add_note(error, event)
            return
        from ._retry_error import RetryError

        raise RetryError(event) from error

    async def _returned(self) -> None:
        outcome, retry_after = await self._verdict()
        if outcome != "success" and self._was_cancelled(None):
            assert self._cancellations is not None
            library = self._cancellations.library()
            await self._cancel()
            if self.awaits:
                await library.sleep(0)
            # The call caught the cancellation of its task.
            raise sys.modules["asyncio"].CancelledError
        decision = await self._ask(self._decide(outcome, retry_after))
        if decision:
            return
        event = self._event(decision)
        await self._stop(event)
        if event.reason != "success":
            from ._retry_error import RetryError

            raise RetryError(event)

    async def _wait(self, decision: Decision) -> None:
        """Logs the retry, calls on_retry, and waits."""
        options = self.options
        if options.reports_retries:
            try:
                event = self._event(decision)
                if options.log is not False:
                    self._log(event)
                if options.on_retry is not None:
                    await self._call(options.on_retry, event)
                if options.drain is not None:
                    decision = await self._drain(decision)
            except BaseException as error:
                await self._break_off(error)
                raise
        if self.awaits:
            await self._suspend(decision)
        else:
            self._block(decision)

    async def _drain(self, decision: Decision) -> Decision:
        """Begins the wait with what the adapter does. Returns the rest of the wait."""
        begun_ns = self._now_ns()
        assert self.options.drain is not None
        await self._call(self.options.drain, decision.delay)
        left_ns = decision.delay_ns - max(0, self._now_ns() - begun_ns)
        return Decision(max(0, left_ns))

    def _log(self, event: RetryEvent) -> None:
        """Logs the retry, and what a newcomer may have missed."""
        from ._log import log_blocking, log_retry, log_unlimited

        log = self.options.log
        log_retry(log, event)
        policy = self._time.policy or self.options.policy
        if policy.max_retries is None and policy.max_elapsed is None and self._deadline_ns is None:
            log_unlimited(log, policy, None if self._time.policy else self.options.policy_text)
        if not (self.awaits or self._time.is_fake) and _time.asyncio_task() is not None:
            log_blocking(log, event)

    def _suspend(self, decision: Decision) -> Coroutine[Any, Any, object]:
        """Waits in an async loop."""
        sleep = self.options.sleep
        if sleep is not None and not self._replaces_sleep():
            return self._sleep(sleep, decision.delay)
        assert self._cancellations is not None
        return self._time.suspend(decision.delay_ns, self._cancellations.library())

    async def _sleep(self, sleep: Callable[[float], object], delay: float) -> None:
        try:
            await self._call(sleep, delay)
        except BaseException as error:
            await self._break_off(error)
            raise

    def _replaces_sleep(self) -> bool:
        """Whether fake time replaces the caller's sleep. A loop with a clock of its own keeps its
        sleep, which advances that clock."""
        return self._time.is_fake and self.options.clock_ns is None

    def _block(self, decision: Decision) -> None:
        """Waits in a blocking loop."""
        try:
            sleep = self.options.sleep
            if sleep is None or self._replaces_sleep():
                self._time.block(decision.delay_ns)
            elif (result := sleep(decision.delay)) is not None:
                _reject_lost(sleep, result)
        except BaseException as error:
            run(self._break_off(error))
            raise

    def _was_cancelled(self, error: BaseException | None) -> bool:
        return self._cancellations is not None and self._cancellations.found(error, self.awaits)

    async def _verdict(self) -> tuple[OutcomeOrName, Duration | None]:
        """The outcome and retry_after of the last call, according to its mark or the caller."""
        error, options = self._error, self.options
        try:
            if error is None:
                if options.on_result is None:
                    return "success", None
                from ._verdict import verdict_of_value

                verdict = verdict_of_value(await self._call(options.on_result, self._value))
                return verdict.outcome, verdict.retry_after
            if may_be_marked(error):
                from ._verdict import mark_of

                if (mark := mark_of(error)) is not None:
                    return mark.outcome, mark.retry_after
            if isinstance(options.on, tuple):
                return "transient" if isinstance(error, options.on) else "permanent", None
            from ._verdict import verdict_of_error

            verdict = verdict_of_error(await self._call(options.on, error))
            return verdict.outcome, verdict.retry_after
        except BaseException as raised:
            await self._break_off(raised)
            raise

    def _decide(self, outcome: OutcomeOrName, retry_after: Duration | None = None) -> Decision:
        """Takes the time, and the decision after the last call."""
        now_ns, operation = self._now_ns, self._operation
        try:
            if operation is None:
                operation = self._operation = self._new_operation()
            self._outcome, self._decided_ns = outcome, now_ns()
            decision = operation._decide(outcome, self._decided_ns, retry_after)
            if self._session is not None:
                self._session.attempt_ended(outcome)
        except Exception as error:
            self.broken_off(error)
            raise
        self.decision = decision
        return decision

    async def _ask(self, decision: Decision) -> Decision:
        """The decision after a shared budget, if there is one, was asked for the retry."""
        if self._session is None or not decision:
            return decision
        try:
            library = None if self._cancellations is None else self._cancellations.library()
            if await self._session.ask(self._outcome, self.awaits, library):
                return decision
        except BaseException as error:
            await self._break_off(error)
            raise
        assert self._operation is not None
        refused = Decision(decision.delay_ns, self._operation.refuse_retry())
        self.decision = refused
        return refused

    def _event(self, decision: Decision) -> RetryEvent:
        """The event of the last decision."""
        from ._types import Outcome

        return self._new_event(
            Outcome(self._outcome),
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
        from ._event import RetryEvent

        return (self.options.event or RetryEvent)(
            self._name,
            self._attempts,
            outcome,
            reason,
            delay_ns,
            max(0, now_ns - self._begun_ns),
            self._error,
            self._value,
            budget_is_local,
        )

    async def _cancel_because(self, raised: BaseException) -> None:
        """Cancels the loop after an exception. A coroutine that is being closed cannot await."""
        await self._cancel(can_await=not isinstance(raised, GeneratorExit))

    async def _cancel(self, can_await: bool = True) -> None:
        """Cancels the loop, unless it has stopped."""
        if self._reason is None:
            now_ns = self._begun_ns
            if self._operation is not None:
                self._operation.cancel()
            if self._attempts:
                # A clock that fails must not hide why the loop ends.
                with contextlib.suppress(Exception):
                    now_ns = self._now_ns()
            if self.options.on_stop is None:
                self._end("cancelled")
                return
            from ._types import StopReason

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
            from ._log import log_stop

            log_stop(self.options.log, event)
        on_stop = self.options.on_stop
        if on_stop is None:
            return
        if can_await:
            with _time.shield(self.awaits):
                await self._call(on_stop, event)
        elif is_lost(on_stop(event)):
            import warnings

            warnings.warn(f"on_stop of {event.name} {_LEFT}", RuntimeWarning, _caller())

    def _end(self, reason: _Reason | None) -> None:
        self._reason = reason
        if self._error is not None and may_be_marked(self._error):
            from ._verdict import unmark

            unmark(self._error)
        # An error refers to the frames it passed, and they refer to this loop: no cycle.
        self._error, self._value, self.decision = None, None, None
        if self._cancellations is not None:
            self._cancellations.clear()
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
        _reject_lost(function, result)
        return result
