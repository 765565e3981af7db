"""The loop (SPEC 18), for functions that block and that suspend alike.

It is written once, as coroutines. A loop that does not await never suspends in them: run() runs
one to its end.
"""

import inspect
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from . import _time
from ._backoff import Operation
from ._event import RetryEvent
from ._log import log_retry, log_stop
from ._names import Outcome, StopReason
from ._options import NOT_AWAITED, Options
from ._retry_error import RetryError, add_note
from ._verdict import Verdict, mark_of, unmark, verdict_of_error, verdict_of_value

T = TypeVar("T")

#: What is said of a value that nobody judges.
_SUCCESS: Final = Verdict(Outcome.SUCCESS)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise RuntimeError("a loop that blocks has suspended")


def _keep(failure: BaseException | None, raised: BaseException) -> None:
    """What a hook or a sleep raises must not lose the failure that was waited for."""
    link = failure
    while link is not None and link is not raised:
        link = link.__context__
    if link is None and raised.__context__ is None:
        raised.__context__ = failure


class Loop:
    """The attempts of one operation. Whoever drives it calls attempt(), makes the call, tells
    it with failed() or returned() how that ended, and goes on with wait() while they are true;
    all that in a with statement."""

    __slots__ = (
        "_attempts",
        "_awaits",
        "_begun_ns",
        "_cancellations",
        "_deadline_ns",
        "_last",
        "_name",
        "_now_ns",
        "_operation",
        "_reason",
        "_stream",
        "_time",
        "_waiting",
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
        self.options = options
        self._name = name
        self._awaits = awaits
        self._time = _time.current()
        self._now_ns: Callable[[], int] = options.clock_ns or self._time.now_ns
        self._attempts = 0
        self._reason: StopReason | None = None
        #: How the last call ended: its failure, its value.
        self._last: tuple[BaseException | None, object] = (None, None)
        self._waiting: RetryEvent | None = None
        kwargs = kwargs or {}
        self._stream = options.stream_of(args, kwargs)
        self._deadline_ns = options.deadline_of(args, kwargs)
        self._begun_ns = 0
        self._operation: Operation | None = None
        #: Those of this task when the loop began; None if nothing can cancel it.
        self._cancellations: int | None = None

    @property
    def attempts(self) -> int:
        """The calls so far."""
        return self._attempts

    @property
    def stopped(self) -> bool:
        """Whether it has ended."""
        return self._reason is not None

    @property
    def awaits(self) -> bool:
        """Whether hooks and predicates may be awaited."""
        return self._awaits

    def block(self, step: Coroutine[Any, Any, T]) -> T:
        """What a step of the loop returns where nothing can be awaited."""
        awaits, self._awaits = self._awaits, False
        try:
            return run(step)
        finally:
            self._awaits = awaits

    def __enter__(self) -> "Loop":
        return self

    def __exit__(self, *_exception: object) -> None:
        """Cancels it where it has not stopped: whatever ended it, the budget has to hear of it."""
        if self._reason is None:
            run(self.cancel(can_await=False))

    async def attempt(self) -> None:
        """Begins an attempt, unless the caller gave up before the first."""
        if self._operation is None:
            if self._awaits:
                try:
                    await _time.checkpoint_if_cancelled()
                except BaseException:
                    await self.cancel()
                    raise
                self._cancellations = _time.cancellations()
            self._begun_ns = self._now_ns()
            self._operation = Operation(
                self._time.policy(self.options.policy),
                self._stream or self._time.stream(),
                now_ns=self._begun_ns,
                deadline_ns=self._deadline_ns,
                budget=self.options.budget,
            )
        self._attempts += 1

    async def failed(self, error: BaseException) -> bool:
        """Whether to wait and go on after this failure; if not, the caller raises it."""
        self._last = (error, None)
        if not isinstance(error, Exception) or self._is_given_up():
            # Whoever raises KeyboardInterrupt or CancelledError gives up, also if the call has
            # made another failure of it.
            await self.cancel(can_await=not isinstance(error, GeneratorExit))
            return False
        event = await self._decide(self._verdict_of_error(error))
        if event.reason is None:
            return True
        await self._stop(event)
        if event.reason is StopReason.PERMANENT and event.attempts == 1:
            return False
        if event.reason is StopReason.PERMANENT or self.options.reraise:
            add_note(error, event)
            return False
        raise RetryError(event) from error

    async def returned(self, value: object) -> bool:
        """Whether to wait and go on after this value; if not, it is the result."""
        self._last = (None, value)
        event = await self._decide(self._verdict_of_value(value))
        if event.reason is None:
            if self._is_given_up():
                await self.cancel()
                # What the wait would have raised, had the call not caught it.
                raise sys.modules["asyncio"].CancelledError
            return True
        await self._stop(event)
        if event.reason is not StopReason.SUCCESS:
            raise RetryError(event)
        return False

    async def wait(self) -> None:
        """Tells the hook of the retry, and waits."""
        event, self._waiting = self._waiting, None
        assert event is not None
        try:
            log_retry(self.options.log, event)
            await self._ask(self.options.on_retry, event)
        except Exception as error:
            _keep(event.error, error)
            self._break_off()
            raise
        except BaseException as error:
            await self.cancel(can_await=not isinstance(error, GeneratorExit))
            raise
        try:
            await self._sleep(event)
        except BaseException as error:
            _keep(event.error, error)
            await self.cancel(can_await=not isinstance(error, GeneratorExit))
            raise
        self._last = (None, None)

    async def cancel(self, can_await: bool = True) -> None:
        """The caller gives up; what has stopped stays as it is. No hook is awaited where nothing
        can be."""
        if self._reason is None:
            now_ns = self._begun_ns
            if self._operation is not None:
                self._operation.cancel()
                now_ns = self._now_ns()
            await self._stop(self._event(None, StopReason.CANCELLED, 0, now_ns), can_await)

    def _is_given_up(self) -> bool:
        """Whether this task was cancelled since the loop began. A timeout within the call takes
        its cancellation back."""
        return self._cancellations is not None and _time.cancellations() > self._cancellations

    async def _verdict_of_error(self, error: Exception) -> Verdict:
        return mark_of(error) or verdict_of_error(await self._ask(self.options.on, error))

    async def _verdict_of_value(self, value: object) -> Verdict:
        if self.options.on_result is None:
            return _SUCCESS
        return verdict_of_value(await self._ask(self.options.on_result, value))

    async def _decide(self, verdict: Coroutine[Any, Any, Verdict]) -> RetryEvent:
        """The event that follows from what the caller says of the call."""
        assert self._operation is not None
        try:
            said = await verdict
            now_ns = self._now_ns()
            decision = self._operation.decide(said.outcome, now_ns=now_ns, hint=said.hint)
        except Exception:
            self._break_off()
            raise
        except BaseException as error:
            await self.cancel(can_await=not isinstance(error, GeneratorExit))
            raise
        event = self._event(Outcome(said.outcome), decision.reason, decision.delay_ns, now_ns)
        self._waiting = event
        return event

    def _event(
        self, outcome: Outcome | None, reason: StopReason | None, delay_ns: int, now_ns: int
    ) -> RetryEvent:
        error, value = self._last
        elapsed_ns = max(0, now_ns - self._begun_ns)
        return RetryEvent(
            self._name, self._attempts, outcome, reason, delay_ns, elapsed_ns, error, value
        )

    async def _stop(self, event: RetryEvent, can_await: bool = True) -> None:
        """Ends the loop: the history counts it, then the hook is told (SPEC 18.5)."""
        self._end(event.reason)
        log_stop(self.options.log, event)
        on_stop = self.options.on_stop
        if on_stop is None:
            return
        if can_await:
            with _time.shield(self._awaits):
                await self._ask(on_stop, event)
        elif isinstance(answer := on_stop(event), Coroutine):
            # Nothing would ever run it.
            answer.close()

    def _break_off(self) -> None:
        """Ends it because a hook or a predicate failed; no further hook is told (SPEC 18.6)."""
        assert self._operation is not None
        self._end(self._operation.cancel())

    def _end(self, reason: StopReason | None) -> None:
        self._reason = reason
        if (error := self._last[0]) is not None:
            unmark(error)
        # An error would hold the frame that holds the loop that holds the error.
        self._last, self._waiting = (None, None), None
        if self.options.history is not None and reason is not None:
            self.options.history.record(self._attempts, reason)

    async def _sleep(self, event: RetryEvent) -> None:
        if self.options.sleep is not None:
            await self._ask(self.options.sleep, event.delay)
        elif self._awaits:
            await self._time.suspend(event.delay_ns)
        else:
            self._time.block(event.delay_ns)

    async def _ask(self, function: Callable[[Any], object] | None, argument: object) -> object:
        """What a function of the caller answers, awaited if the loop can."""
        if function is None:
            return None
        answer = function(argument)
        if self._awaits and inspect.isawaitable(answer):
            return await answer
        if inspect.iscoroutine(answer):
            answer.close()
            raise TypeError(f"{function!r} is a coroutine function, {NOT_AWAITED}")
        return answer
