"""The clock and the waits of loops: the platform's, unless a test replaces them."""

import contextlib
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, cast

from ._backoff import Policy, Stream


class Time(Protocol):
    """What loops ask of the world."""

    def now_ns(self) -> int:
        """The time of one clock for the whole process, which never goes back."""

    def block(self, delay_ns: int) -> None:
        """Waits in this thread, never shorter."""

    async def suspend(self, delay_ns: int) -> None:
        """Waits in this task, never shorter."""

    def policy(self, given: Policy) -> Policy:
        """The policy of a loop that was given this one."""

    def stream(self) -> Stream:
        """The stream of a loop that was given none."""


#: Longer sleeps overflow somewhere below.
_LONGEST_SLEEP: Final = 86400.0


class PlatformTime:
    """The world as it is."""

    def now_ns(self, clock: Callable[[], int] = time.monotonic_ns) -> int:
        # Bound here: a test that freezes the clock of the module must not freeze a wait.
        return clock()

    def block(self, delay_ns: int) -> None:
        end_ns, sleep = self.now_ns() + delay_ns, time.sleep
        sleep(self._until(end_ns))
        # Timers may fire early by the resolution of their clock.
        while _is_genuine(sleep) and (left := self._until(end_ns)) > 0:
            sleep(left)

    async def suspend(self, delay_ns: int) -> None:
        end_ns, sleep = self.now_ns() + delay_ns, async_library().sleep
        # At least once: a task that never suspends could not be cancelled.
        await sleep(self._until(end_ns))
        while _is_genuine(sleep) and (left := self._until(end_ns)) > 0:
            await sleep(left)

    def _until(self, end_ns: int) -> float:
        """The seconds until then, as far as one sleep may go."""
        left_ns = max(0, end_ns - self.now_ns())
        return min(left_ns / 10**9, _LONGEST_SLEEP)

    def policy(self, given: Policy) -> Policy:
        return given

    def stream(self) -> Stream:
        return Stream.from_entropy()


def _is_genuine(sleep: object) -> bool:
    """Whether it sleeps: a test that has patched it means not to."""
    module = str(getattr(sleep, "__module__", ""))
    return module.partition(".")[0] in {"time", "asyncio", "trio"}


def _asyncio_task() -> Any:
    """The task of asyncio that runs here, if one does."""
    asyncio = sys.modules.get("asyncio")
    with contextlib.suppress(RuntimeError):
        return asyncio and asyncio.current_task()
    return None


def _trio() -> Any:
    """trio, if a task of it runs here."""
    trio = sys.modules.get("trio")
    return trio if trio is not None and trio.lowlevel.in_trio_task() else None


def async_library() -> Any:
    """The module whose sleep suspends this task: asyncio or trio.

    An asyncio task comes first: with trio-asyncio it runs within one of trio; where trio is
    asyncio's guest, its tasks are none of asyncio."""
    library = sys.modules["asyncio"] if _asyncio_task() is not None else _trio()
    if library is None:
        raise RuntimeError("neither asyncio nor trio runs this task: give sleep=")
    return library


async def checkpoint_if_cancelled() -> None:
    """Raises the cancellation of this task, if there is one that it has not got yet."""
    if (task := _asyncio_task()) is not None:
        if task.cancelling():
            # It raises nothing if the task got it before, and goes on to clean up.
            await sys.modules["asyncio"].sleep(0)
    elif (trio := _trio()) is not None:
        await trio.lowlevel.checkpoint_if_cancelled()


def cancellations() -> int:
    """How often this task of asyncio was cancelled, less what was taken back. trio cancels each
    await, and needs no count."""
    task = _asyncio_task()
    return 0 if task is None else int(task.cancelling())


def shield(awaits: bool) -> AbstractContextManager[object]:
    """Where a hook of a loop may be awaited although trio has cancelled it, which would end it
    at its first await."""
    if awaits and _asyncio_task() is None and (trio := _trio()) is not None:
        return cast(AbstractContextManager[object], trio.CancelScope(shield=True))
    return contextlib.nullcontext()


_platform: Final = PlatformTime()
_replaced: list[Time] = []


def current() -> Time:
    """The time of loops that begin now."""
    return _replaced[-1] if _replaced else _platform


def replace(time: Time) -> None:
    """Hands another time to the loops that begin from now on."""
    _replaced.append(time)


def restore(time: Time) -> None:
    """Ends that."""
    _replaced.remove(time)
