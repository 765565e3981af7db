"""The steps of a loop in full: with predicates, hooks, logs and cancellations (SPEC 18).

They are written once, as coroutines, for blocking and async callers alike. In a blocking loop they
never suspend, and run() runs each to its end.

What a failure needs is imported with this module, not by the first failure: that could wait for ever
for the import lock of a thread that a fork has left behind, meet modules that another thread is
importing, or find no file descriptor left.
"""

from __future__ import annotations

import sys

from . import _time
from ._backoff import Decision, _begin, _checked_delays
from ._context import add_note, may_be_marked
from ._limit import AttemptLimit
from ._log import log_blocking, log_retry, log_unlimited
from ._loop_state import GIVES_FALLBACK, LoopState, reject_lost
from ._options import NO_FALLBACK, reject_distant_deadline
from ._retry_error import RetryError
from ._time import run
from ._verdict import mark_of, verdict_by_type, verdict_of_error, verdict_of_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ._aliases import Duration, OutcomeOrName
    from ._backoff import Operation
    from ._event import RetryEvent


class Steps(LoopState):
    """What is done before, between and after the attempts of an operation."""

    __slots__ = ()

    async def _begin(self) -> None:
        """Begins the operation and its first attempt. It raises a pending cancellation of this
        task."""
        try:
            if self.awaits:
                await _time.checkpoint_if_cancelled()
            self._began_ns = self._now_ns()
            if self._deadline_ns is not None:
                reject_distant_deadline(self._deadline_ns, self._began_ns)
            # A budget counts operations, fake time numbers loops, and a limit is of an operation.
            options = self.options
            if options.budget is not None or self._time.is_fake or options.limits_attempts:
                self._operation = self._new_operation()
            if self.options.shared_budget is not None:
                from ._budget_session import SharedBudgetSession

                self._session = SharedBudgetSession(self.options.shared_budget)
        except BaseException as error:
            await self._cancel_because(error)
            raise
        if self._is_async:
            self._begin_call()
        self._attempts = 1

    def _new_operation(self) -> Operation:
        time, options, stream = self._time, self.options, self._stream
        if stream is None and time.is_fake:
            stream = time.stream()
        return _begin(options.policy, stream, self._began_ns, self._deadline_ns, options.budget)

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
        if self.options.fallback is not NO_FALLBACK:
            self._reason = GIVES_FALLBACK
        if event.reason == "permanent" or self.options.reraise:
            add_note(error, event)
            return
        raise RetryError(event) from error

    async def _returned(self) -> None:
        outcome, retry_after = await self._verdict()
        if outcome != "success" and self._was_cancelled(None):
            library = self._library()
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
            if self.options.fallback is not NO_FALLBACK:
                self._reason = GIVES_FALLBACK
            raise RetryError(event)

    def fallback(self, raised: BaseException) -> Any:
        """What the loop returns in place of this exception: a coroutine, if it is to be awaited."""
        fallback = self.options.fallback
        if not callable(fallback):
            return fallback
        result = fallback(raised)
        if not self.awaits:
            reject_lost(fallback, result)
        return result

    async def fallback_async(self, raised: BaseException) -> Any:
        """The same for an async loop."""
        result = self.fallback(raised)
        if callable(self.options.fallback) and hasattr(type(result), "__await__"):
            return await result
        return result

    def begin_limit(self) -> AttemptLimit:
        """Begins the limit of an attempt."""
        assert self._operation is not None
        now_ns = self._now_ns()
        limit_ns = self._operation.attempt_limit_ns(now_ns)
        assert limit_ns is not None
        self._limit_ends_ns = now_ns + limit_ns
        return self._time.limit(limit_ns, self._library(), self._attempts)

    async def _limited(self, call: Any) -> Any:
        try:
            limit = self.begin_limit()
        except BaseException:
            # Nothing will await it.
            if hasattr(call, "close"):
                call.close()
            raise
        try:
            value = await self._watch(call)
        except BaseException as error:
            if (late := limit.end(error)) is not None:
                raise late from error
            raise
        limit.end(None)
        return value

    def time_left_ns(self) -> int | None:
        """How long the last attempt may still take, by any limit of the loop; None without one."""
        if self._reason is not None:
            return None
        now_ns = self._now_ns()
        if self._operation is None:
            self._operation = self._new_operation()
        ends = [self._operation._time_left_ns(now_ns)]
        if self.options.limits_attempts:
            ends.append(max(0, self._limit_ends_ns - now_ns))
        return min((left for left in ends if left is not None), default=None)

    async def _wait(self, decision: Decision) -> None:
        """Logs the retry, calls on_retry, and waits."""
        options = self.options
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
        began_ns = self._now_ns()
        assert self.options.drain is not None
        await self._call(self.options.drain, decision.delay)
        left_ns = decision.delay_ns - max(0, self._now_ns() - began_ns)
        return Decision(max(0, left_ns))

    def _log(self, event: RetryEvent) -> None:
        """Logs the retry, and what a newcomer may have missed."""
        log = self.options.log
        log_retry(log, event, self.options.log_levels)
        policy = self.options.policy
        if policy.max_retries is None and policy.max_elapsed is None and self._deadline_ns is None:
            log_unlimited(log, policy, self.options.policy_text)
        if not (self.awaits or self._time.is_fake) and _time.asyncio_task() is not None:
            log_blocking(log, event)

    def _suspend(self, decision: Decision) -> Coroutine[Any, Any, object]:
        """Waits in an async loop."""
        sleep = self.options.sleep
        if sleep is not None and not self._replaces_sleep():
            return self._sleep(sleep, decision.delay)
        return self._time.suspend(decision.delay_ns, self._library())

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
                reject_lost(sleep, result)
        except BaseException as error:
            run(self._break_off(error))
            raise

    async def _verdict(self) -> tuple[OutcomeOrName, Duration | None]:
        """The outcome and retry_after of the last call, according to its mark or the caller."""
        error, options = self._error, self.options
        try:
            if error is None:
                if options.on_result is None:
                    return "success", None
                verdict = verdict_of_value(await self._call(options.on_result, self._value))
                return verdict.outcome, verdict.retry_after
            if may_be_marked(error) and (mark := mark_of(error)) is not None:
                return mark.outcome, mark.retry_after
            if isinstance(options.on, tuple):
                return verdict_by_type(error, options.on)
            verdict = verdict_of_error(await self._call(options.on, error))
            return verdict.outcome, verdict.retry_after
        except BaseException as raised:
            await self._break_off(raised)
            raise

    def _decide(self, outcome: OutcomeOrName, retry_after: Duration | None = None) -> Decision:
        """Takes the time, and the decision after the last call."""
        operation = self._operation
        try:
            if operation is None:
                operation = self._operation = self._new_operation()
            self._outcome = outcome
            self._decided_ns = now_ns = self._now_ns()
            if self.options.delays is None:
                decision = operation._decide(outcome, now_ns, retry_after)
            else:
                own = self._own_delay(operation.retry_index(now_ns), outcome)
                decision = operation._decide(outcome, now_ns, retry_after, own)
            if self._session is not None:
                self._session.attempt_ended(outcome)
        except Exception as error:
            self.broken_off(error)
            raise
        self.decision: Decision | None = decision
        return decision

    def _own_delay(self, index: int, outcome: OutcomeOrName) -> Duration | None:
        """The caller's delay of this index (SPEC 18.9)."""
        delays = self.options.delays
        if delays is None or outcome in {"success", "permanent"}:
            return None
        if isinstance(delays, tuple):
            return delays[index] if index < len(delays) else None
        own = delays(index, self._value if self._error is None else self._error)
        reject_lost(delays, own)
        return None if own is None else _checked_delays((own,))[0]

    async def _ask(self, decision: Decision) -> Decision:
        """The decision after a shared budget, if there is one, was asked for the retry."""
        if self._session is None or not decision:
            return decision
        try:
            library = self._library() if self.awaits else None
            if await self._session.ask(self._outcome, library):
                return decision
        except BaseException as error:
            await self._break_off(error)
            raise
        assert self._operation is not None
        return Decision(decision.delay_ns, self._operation.refuse_retry())
