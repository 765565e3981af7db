"""The loop (SPEC 18): attempts, decisions, waits and hooks, for blocking and async callers alike.

It is written once, as coroutines. In a blocking loop they never suspend, and run() runs each to
its end.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Coroutine

from . import _time
from ._backoff import Operation
from ._cancellation import Cancellations
from ._context import add_note, keep_context
from ._options import NOT_AWAITED, reject_distant_deadline
from ._time import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Final, Literal, TypeVar

    from ._aliases import Duration, OutcomeOrName
    from ._backoff import Decision
    from ._event import RetryEvent
    from ._options import Options
    from ._types import Outcome, StopReason
    from ._verdict import Verdict

    _T = TypeVar("_T")
    _Reason = StopReason | Literal["success", "cancelled"]

_LEFT: Final = (
    "was not awaited: nothing can await it after a `break` or an exception outside "
    "`with attempt:`, or in a coroutine that is being closed"
)


def is_lost(result: object) -> bool:
    """Whether the result of a call is a coroutine, which does nothing until it is awaited. It is
    closed, so that Python does not warn of it, too.

    Other awaitables, such as a Future, may run by themselves. Only the type is asked: a proxy
    would answer for the object it stands for, or fail if it has none.
    """
    if not issubclass(type(result), Coroutine):
        return False
    coroutine: Any = result
    coroutine.close()
    return True


def _caller() -> int:
    """The stack level, for a warning of the function that calls this, of the code outside this
    package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_globals.get("__package__") == __package__ and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    return level


class Loop:
    """The attempts of one operation, without the calls themselves.

    Its driver is a `with` statement that repeats: attempt(), the call, failed() or returned()
    with the result of the call, and, while these return true, wait().
    """

    __slots__ = (
        "_attempts",
        "_awaits",
        "_begun_ns",
        "_cancellations",
        "_deadline_ns",
        "_error",
        "_name",
        "_next",
        "_now_ns",
        "_operation",
        "_reason",
        "_stream",
        "_time",
        "_value",
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
        kwargs = kwargs or {}
        self.options: Options = options
        self._name = name
        self._awaits = awaits
        self._time = _time.current()
        self._now_ns = options.clock(self._time.now_ns)
        self._stream = options.stream_of(args, kwargs)
        self._deadline_ns = options.deadline_of(args, kwargs)
        self._begun_ns = 0
        self._operation: Operation | None = None
        self._cancellations = Cancellations()
        self._attempts = 0
        #: The failure or the value of the last call.
        self._error: BaseException | None = None
        self._value: object = None
        #: The event of the wait that comes next.
        self._next: RetryEvent | None = None
        self._reason: _Reason | None = None

    @property
    def attempts(self) -> int:
        """The calls so far."""
        return self._attempts

    @property
    def stopped(self) -> bool:
        """Whether the loop has ended."""
        return self._reason is not None

    @property
    def awaits(self) -> bool:
        """Whether hooks and predicates may be awaited."""
        return self._awaits

    def run_blocking(self, step: Coroutine[Any, Any, _T]) -> _T:
        """Runs a step of an async loop where nothing can be awaited."""
        awaits, self._awaits = self._awaits, False
        try:
            return run(step)
        finally:
            self._awaits = awaits

    def __enter__(self) -> Loop:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Cancels a loop that was left early, so that the budget gets back what it holds."""
        if self._reason is None:
            run(self._cancel(can_await=False))

    async def attempt(self) -> None:
        """Begins an attempt. Before the first, it raises a pending cancellation of this task."""
        if self._operation is None:
            try:
                if self._awaits:
                    await _time.checkpoint_if_cancelled()
                self._begun_ns = self._now_ns()
                reject_distant_deadline(self._deadline_ns, self._begun_ns)
                self._operation = Operation(
                    self._time.policy(self.options.policy),
                    self._stream or self._time.stream(),
                    now_ns=self._begun_ns,
                    deadline_ns=self._deadline_ns,
                    budget=self.options.budget,
                )
            except BaseException as error:
                await self._cancel_because(error)
                raise
        if self._awaits:
            self._cancellations.begin()
        self._attempts += 1

    def watch(self, call: Any) -> Awaitable[Any]:
        """The call of an async loop, to be awaited."""
        return self._cancellations.watch(call)

    async def failed(self, error: BaseException) -> bool:
        """Whether to wait and go on after this failure. If not, the driver raises it."""
        self._error, self._value = error, None
        # A call may turn its cancellation into a failure of another type.
        if not isinstance(error, Exception) or self._cancellations.found(error):
            await self._cancel_because(error)
            return False
        event = await self._judge(await self._verdict())
        if event.reason is None:
            return True
        await self._stop(event)
        is_permanent = event.reason == "permanent"
        if is_permanent and event.attempts == 1:
            return False
        if is_permanent or self.options.reraise:
            add_note(error, event)
            return False
        from ._retry_error import RetryError

        raise RetryError(event) from error

    async def returned(self, value: object) -> bool:
        """Whether to wait and go on after this value. If not, it is the result."""
        self._error, self._value = None, value
        if self.options.on_result is None and self.options.on_stop is None:
            # Nobody is asked or told.
            await self._decide("success")
            self._end("success")
            return False
        verdict = await self._verdict()
        if verdict.outcome != "success" and self._cancellations.found(None):
            await self._cancel()
            # The call caught it.
            raise sys.modules["asyncio"].CancelledError
        event = await self._judge(verdict)
        if event.reason is None:
            return True
        await self._stop(event)
        if event.reason != "success":
            from ._retry_error import RetryError

            raise RetryError(event)
        return False

    async def wait(self) -> None:
        """Calls on_retry, and waits."""
        event, self._next = self._next, None
        if event is None:
            raise RuntimeError("two threads or tasks cannot share one loop over attempts")
        try:
            if self.options.log is not False:
                from ._log import log_retry

                log_retry(self.options.log, event)
            await self._call(self.options.on_retry, event)
        except BaseException as error:
            await self.break_off(error)
            raise
        try:
            await self._sleep(event)
        except BaseException as error:
            keep_context(event.error, error)
            await self._cancel_because(error)
            raise
        self._error, self._value = None, None

    async def _judge(self, verdict: Verdict) -> RetryEvent:
        """The decision after a call, as an event."""
        from ._types import Outcome

        decision, now_ns = await self._decide(verdict.outcome, verdict.retry_after)
        outcome = Outcome(verdict.outcome)
        self._next = self._event(outcome, decision.reason, decision.delay_ns, now_ns)
        return self._next

    async def _decide(
        self, outcome: OutcomeOrName, retry_after: Duration | None = None
    ) -> tuple[Decision, int]:
        """The decision after a call, and its time."""
        assert self._operation is not None
        try:
            now_ns = self._now_ns()
            decision = self._operation.decide(outcome, now_ns=now_ns, retry_after=retry_after)
        except BaseException as error:
            await self.break_off(error)
            raise
        return decision, now_ns

    async def _verdict(self) -> Verdict:
        """How the last call ended, according to its mark or the caller's predicates."""
        try:
            from ._verdict import Verdict, mark_of, verdict_of_error, verdict_of_value

            if self._error is not None:
                mark = mark_of(self._error)
                return mark or verdict_of_error(await self._call(self.options.on, self._error))
            if self.options.on_result is None:
                return Verdict("success")
            return verdict_of_value(await self._call(self.options.on_result, self._value))
        except BaseException as error:
            await self.break_off(error)
            raise

    def _event(
        self, outcome: Outcome | None, reason: StopReason | None, delay_ns: int, now_ns: int
    ) -> RetryEvent:
        from ._event import RetryEvent

        return RetryEvent(
            name=self._name,
            attempts=self._attempts,
            outcome=outcome,
            reason=reason,
            delay_ns=delay_ns,
            elapsed_ns=max(0, now_ns - self._begun_ns),
            error=self._error,
            value=self._value,
        )

    async def _sleep(self, event: RetryEvent) -> None:
        sleep = self.options.own_sleep(self._time.replaces_sleep)
        if sleep is not None:
            await self._call(sleep, event.delay)
        elif self._awaits:
            await self._time.suspend(event.delay_ns)
        else:
            self._time.block(event.delay_ns)

    async def _cancel_because(self, raised: BaseException) -> None:
        """Cancels the loop after an exception. A coroutine that is being closed cannot await."""
        await self._cancel(can_await=not isinstance(raised, GeneratorExit))

    async def _cancel(self, can_await: bool = True) -> None:
        """Cancels the loop, unless it has stopped."""
        if self._reason is None:
            now_ns = self._begun_ns
            if self._operation is not None:
                self._operation.cancel()
                # A clock that fails must not hide why the loop ends.
                with contextlib.suppress(Exception):
                    now_ns = self._now_ns()
            if self.options.on_stop is None:
                self._end("cancelled")
                return
            from ._types import StopReason

            await self._stop(self._event(None, StopReason.CANCELLED, 0, now_ns), can_await)

    async def break_off(self, raised: BaseException) -> None:
        """Ends the loop because a hook or a predicate failed; no other hook is called (SPEC 18.6).
        An interruption cancels the loop as usual."""
        keep_context(self._error, raised)
        if isinstance(raised, Exception):
            assert self._operation is not None
            self._end(self._operation.cancel())
        else:
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
            with _time.shield(self._awaits):
                await self._call(on_stop, event)
        elif is_lost(on_stop(event)):
            import warnings

            warnings.warn(f"on_stop of {event.name} {_LEFT}", RuntimeWarning, _caller())

    def _end(self, reason: _Reason | None) -> None:
        self._reason = reason
        # A mark is there.
        if self._error is not None and self._error.__dict__:
            from ._verdict import unmark

            unmark(self._error)
        # An error refers to the frames it passed, and they refer to this loop: no cycle.
        self._error, self._value, self._next = None, None, None
        self._cancellations.clear()
        if self.options.stats is not None and reason is not None:
            self.options.stats.record(self._attempts, reason)

    async def _call(self, function: Callable[[Any], object] | None, argument: object) -> object:
        """Calls a function of the caller, and awaits its result if this loop can."""
        if function is None:
            return None
        result = function(argument)
        if self._awaits:
            # asyncio and trio import it, too.
            import inspect

            if inspect.isawaitable(result):
                return await result
        if is_lost(result):
            raise TypeError(f"{function!r} is a coroutine function, {NOT_AWAITED}")
        return result
