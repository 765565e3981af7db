"""The clock, the waits and the default streams of loops, which tests can replace."""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock
from types import BuiltinFunctionType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, Final

    from ._backoff import RandomStream
    from ._limit import AttemptLimit
    from ._options import Options


def run(coroutine: Coroutine[Any, Any, object]) -> None:
    """Runs a coroutine that never suspends. It returns nothing: the StopIteration of a result
    would take longer than a step of a loop. A StopIteration that a function of the caller raised
    leaves as itself."""
    try:
        for _ in coroutine.__await__():
            raise RuntimeError("a blocking loop has suspended")
        return
    except RuntimeError as error:
        # A coroutine that raises StopIteration raises this in its place.
        stopped = error.__cause__
        if str(error) != "coroutine raised StopIteration" or not isinstance(stopped, StopIteration):
            raise
    raise stopped


#: Longer sleeps overflow on some platforms.
_MAX_SLEEP_NS: Final = 86_400 * 10**9


class Time:
    """The environment of a loop: the platform's clock and timers. A subclass replaces them."""

    #: What changes the options of each loop that begins, if anything does.
    changes: Callable[[Options], Options] | None = None

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        #: The time of one monotonic clock for the whole process. A default argument: a test that
        #: patches the module's clock must not freeze a wait.
        self.now_ns = now_ns
        #: Whether it numbers the loops, and its waits also replace the `sleep` of a loop that has
        #: no clock of its own.
        self.is_fake = False

    def block(self, delay_ns: int) -> None:
        """Blocks this thread for at least this long."""
        now_ns, sleep = self.now_ns, time.sleep
        if not delay_ns:
            # By any clock it is over.
            sleep(0)
            return
        end_ns = now_ns() + delay_ns
        sleep(_seconds(delay_ns))
        # Timers may fire early by the resolution of their clock.
        while (left_ns := end_ns - now_ns()) > 0 and _is_genuine(sleep):
            sleep(_seconds(left_ns))

    def suspend(self, delay_ns: int, library: Any) -> Coroutine[Any, Any, object]:
        """Suspends this task, of asyncio or trio, for at least this long."""
        if delay_ns or library is None:
            return self._suspend(delay_ns, library)
        # A task that never suspends cannot be cancelled.
        asleep: Coroutine[Any, Any, object] = library.sleep(0)
        return asleep

    async def _suspend(self, delay_ns: int, library: Any) -> None:
        if library is None:
            raise RuntimeError("neither asyncio nor trio runs this task: pass sleep=")
        now_ns, sleep = self.now_ns, library.sleep
        end_ns = now_ns() + delay_ns
        await sleep(_seconds(delay_ns))
        while (left_ns := end_ns - now_ns()) > 0 and _is_genuine(sleep):
            await sleep(_seconds(left_ns))

    def limit(self, limit_ns: int, library: Any, attempt: int) -> AttemptLimit:
        """What ends the attempt of this task, of asyncio or trio, after this long."""
        # It imports this module.
        from ._limit import AttemptLimit

        return AttemptLimit(limit_ns, library, attempt)

    def stream(self) -> RandomStream | None:
        """The stream of a loop that has none of its own; None for the next of the process."""
        return None


def _seconds(delay_ns: int) -> float:
    """The delay, or the longest sleep."""
    return (delay_ns if delay_ns < _MAX_SLEEP_NS else _MAX_SLEEP_NS) / 10**9


def _is_genuine(sleep: object) -> bool:
    """Whether it is the platform's sleep. A test that patched it does not want to wait. The module
    that functools.wraps gave to a fake says nothing."""
    module = ""
    if isinstance(sleep, FunctionType):
        module = sleep.__globals__.get("__name__", "")
    elif isinstance(sleep, BuiltinFunctionType):
        module = sleep.__module__ or ""
    return module.partition(".")[0] in {"time", "asyncio", "trio"}


def asyncio_task() -> Any:
    """The current asyncio task, if there is one."""
    asyncio = sys.modules.get("asyncio")
    # Without a running loop current_task() raises an exception, which takes as long as an attempt.
    if asyncio is None or asyncio._get_running_loop() is None:
        return None
    return asyncio.current_task()


def current_trio() -> Any:
    """trio, if a trio task runs here."""
    trio = sys.modules.get("trio")
    return trio if trio is not None and trio.lowlevel.in_trio_task() else None


async def checkpoint_if_cancelled() -> None:
    """Raises the cancellation of this task, if one is pending."""
    if (task := asyncio_task()) is not None:
        if task.cancelling():
            # It does not raise in a task that already received it and is cleaning up.
            await sys.modules["asyncio"].sleep(0)
    elif (trio := current_trio()) is not None:
        await trio.lowlevel.checkpoint_if_cancelled()


def trio_scope_is_cancelled() -> bool:
    """Whether the next await of this task raises trio.Cancelled."""
    trio = current_trio()
    return trio is not None and bool(trio.current_effective_deadline() == -float("inf"))


async def shielded(awaits: bool, call: Coroutine[Any, Any, object]) -> None:
    """Awaits a call of a hook, also if trio has cancelled the loop."""
    if awaits and asyncio_task() is None and (trio := current_trio()) is not None:
        with trio.CancelScope(shield=True):
            await call
    else:
        await call


#: For changes of the environment and of the defaults of the program.
lock = allocate_lock()


def _renew_lock() -> None:
    """In a forked child: another thread of its parent may have held it, and would never release it."""
    global lock
    lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)

#: The environment outside of tests.
platform: Final = Time()
_replaced: list[Time] = []


def current() -> Time:
    """The environment of loops that begin now."""
    return _replaced[-1] if _replaced else platform


def is_replaced() -> bool:
    """Whether that is not the platform's."""
    return bool(_replaced)


def replace(time: Time) -> None:
    """Replaces the environment of loops that begin from now on."""
    _replaced.append(time)


def restore(time: Time) -> None:
    """Undoes replace()."""
    _replaced.remove(time)
