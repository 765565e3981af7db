"""The clock and the waits of loops: the platform's, unless a test replaces them."""

import contextlib
import sys
import time
from typing import Any, Final, Protocol

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

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def block(self, delay_ns: int) -> None:
        end = time.monotonic_ns() + delay_ns
        time.sleep(_until(end))
        # Timers may fire early by the resolution of their clock.
        while (left := _until(end)) > 0:
            time.sleep(left)

    async def suspend(self, delay_ns: int) -> None:
        sleep = async_library().sleep
        end = time.monotonic_ns() + delay_ns
        # At least once: a task that never suspends could not be cancelled.
        await sleep(_until(end))
        while (left := _until(end)) > 0:
            await sleep(left)

    def policy(self, given: Policy) -> Policy:
        return given

    def stream(self) -> Stream:
        return Stream.from_entropy()


def _until(end_ns: int) -> float:
    """The seconds until then, as far as one sleep may go."""
    left_ns = max(0, end_ns - time.monotonic_ns())
    return min(left_ns / 10**9, _LONGEST_SLEEP)


def _library() -> str | None:
    """The module of whatever runs this task, if it is one that is known."""
    sniffio, trio = sys.modules.get("sniffio"), sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_task():
        return "trio"
    if sniffio is not None:
        with contextlib.suppress(sniffio.AsyncLibraryNotFoundError):
            library = sniffio.current_async_library()
            return library if library in {"asyncio", "trio"} else None
    return "asyncio" if "asyncio" in sys.modules else None


def async_library() -> Any:
    """The module whose sleep suspends this task: asyncio or trio."""
    library = _library()
    if library is None:
        raise RuntimeError("neither asyncio nor trio runs this task: give sleep=")
    return sys.modules[library]


async def checkpoint_if_cancelled() -> None:
    """Raises the cancellation of this task, if there is one that it has not got yet."""
    library = _library()
    if library == "trio":
        await sys.modules[library].lowlevel.checkpoint_if_cancelled()
    elif library == "asyncio":
        task = sys.modules[library].current_task()
        if task is not None and task.cancelling():
            # It raises nothing if the task got it before, and goes on to clean up.
            await sys.modules[library].sleep(0)


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
