"""The loop (SPEC 18): attempts, decisions and waits, for blocking and async callers alike.

The steps that run no code of the caller are here. The others are coroutines, in _steps.py.
"""

from __future__ import annotations

from ._context import keep_context, may_be_marked
from ._steps import Steps
from ._time import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any, TypeAlias

    from ._backoff import Decision

    #: The rest of a step, to be run or awaited.
    _Rest: TypeAlias = Coroutine[Any, Any, object] | None


class Loop(Steps):
    """The attempts of one operation, without the calls themselves.

    Its driver repeats: attempt(), the call, failed() or returned() with the result of the call,
    and, while the decision is to wait, wait(). Each returns the rest of the step, if there is one.
    The driver calls left() if an exception leaves it.
    """

    __slots__ = ()

    def attempt(self) -> _Rest:
        """Begins an attempt."""
        may_be_cancelled = self._is_async and self._begin_call()
        if self._attempts:
            self._last = self._error
            self._error = self._value = None
        else:
            if may_be_cancelled or self.options.begins_in_full or self._time.is_fake:
                return self._begin()
            now_ns = self._now_ns
            self._began_ns = now_ns()
        self._attempts += 1
        return None

    def enter(self) -> None:
        """Enters the call of an attempt."""
        if self._is_async:
            self._enter_call()

    def failed(self, error: BaseException) -> _Rest:
        """Decides what to do after this failure. If it is not to wait, the driver raises it."""
        self._error = error
        if (
            isinstance(error, self.options.types)
            and not may_be_marked(error)
            and not (self._is_async and self._was_cancelled(error))
            and self._decide("transient")
        ):
            return None
        return self._failed(error)

    def returned(self, value: object) -> _Rest:
        """Decides what to do after this value. If it is not to wait, it is the result."""
        options = self.options
        if options.on_result is not None or options.on_stop is not None:
            self._value = value
            return self._returned()
        if options.decides_success:
            self._decide("success")
        self._end("success")
        return None

    def wait(self) -> _Rest:
        """Waits after a decision to do so."""
        decision = self.decision
        self.decision: Decision | None = None
        if decision is None:
            raise RuntimeError("two threads or tasks cannot share one loop over attempts")
        if self.options.reports_retries:
            return self._wait(decision)
        if self.awaits:
            return self._suspend(decision)
        self._block(decision)
        return None

    def run_blocking(self, step: Coroutine[Any, Any, object]) -> None:
        """Runs a step of an async loop where nothing can be awaited."""
        awaits = self.awaits
        self.awaits: bool = False
        try:
            run(step)
        finally:
            self.awaits = awaits

    def left(self, error: BaseException) -> _Rest:
        """Cancels the loop if this exception leaves it early, so that the budget gets back what it
        holds."""
        if self._reason is not None:
            return None
        keep_context(self._error, error)
        return self._cancel_because(error)

    def dropped(self) -> None:
        """Cancels the loop if nobody goes on with it."""
        if self._reason is None:
            run(self._cancel(can_await=False))
