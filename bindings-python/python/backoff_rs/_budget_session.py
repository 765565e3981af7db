"""The part of one operation in a shared budget."""

from __future__ import annotations

import contextlib
import threading

from ._types import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._budget_queue import Request
    from ._budget_worker import BudgetWorker
    from ._shared_budget import SharedBudget


class SharedBudgetSession:
    """What an operation reports to a shared budget, and asks of it, by the rules of SPEC 13.4."""

    __slots__ = ("_budget", "_held", "_holds_locally", "is_local")

    def __init__(self, budget: SharedBudget) -> None:
        self._budget = budget
        self._held = 0
        #: Whether the local budget granted the last retry.
        self._holds_locally = False
        #: Whether the local budget made the last decision.
        self.is_local = False
        budget._worker.note("operation_began")

    def attempt_ended(self, outcome: str) -> None:
        """Reports how an attempt ended."""
        self.is_local = False
        if outcome == Outcome.SUCCESS:
            self._budget._worker.note("operation_succeeded", self._held, self._holds_locally)
        elif outcome != Outcome.PERMANENT:
            self._budget._worker.note("attempt_failed")

    async def ask(self, outcome: str, library: Any) -> bool:
        """Whether a retry is granted. It waits at most for the timeout of the budget: in a blocking
        loop it blocks the thread, in an async one it suspends the task of this library."""
        worker = self._budget._worker
        if library is None:
            answered = threading.Event()
            request = worker.request(Outcome(outcome), answered.set)
            with worker.withdrawing(request):
                if request.answer is None:
                    answered.wait(request.timeout)
        elif library.__name__ == "asyncio":
            request = await _ask_in_asyncio(worker, Outcome(outcome), library)
        else:
            request = await _ask_in_trio(worker, Outcome(outcome), library)
        granted, held, self.is_local = worker.answer(request)
        if granted:
            self._held, self._holds_locally = held, self.is_local
        return granted


async def _ask_in_asyncio(worker: BudgetWorker, outcome: Outcome, asyncio: Any) -> Request:
    loop = asyncio.get_running_loop()
    arrived = loop.create_future()

    def arrive() -> None:
        if not arrived.done():
            arrived.set_result(None)

    def wake() -> None:
        # The loop may have been closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(arrive)

    request = worker.request(outcome, wake)
    with worker.withdrawing(request):
        if request.answer is None:
            timer = loop.call_later(request.timeout, arrive)
            try:
                await arrived
            finally:
                timer.cancel()
    return request


async def _ask_in_trio(worker: BudgetWorker, outcome: Outcome, trio: Any) -> Request:
    token = trio.lowlevel.current_trio_token()
    arrived = trio.Event()

    def wake() -> None:
        # The run may have ended: trio's error for that is a RuntimeError.
        with contextlib.suppress(RuntimeError):
            token.run_sync_soon(arrived.set)

    request = worker.request(outcome, wake)
    with worker.withdrawing(request):
        if request.answer is None:
            with trio.move_on_after(request.timeout):
                await arrived.wait()
    return request
