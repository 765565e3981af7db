"""The clock, the waits and the default streams of loops, which tests can replace."""

from __future__ import annotations

import contextlib
import sys
import time
from types import BuiltinFunctionType, FunctionType

from ._backoff import _next_loop_stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractContextManager
    from typing import Any, Final, TypeVar

    from ._backoff import Policy, RandomStream

    _T = TypeVar("_T")


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine that never suspends, and returns its result."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: _T = done.value
        return value
    raise RuntimeError("a blocking loop has suspended")


def _now_ns(clock: Callable[[], int] = time.monotonic_ns) -> int:
    # A default argument: a test that patches the module's clock must not freeze a wait.
    return clock()


#: Longer sleeps overflow on some platforms.
_LONGEST_SLEEP: Final = 86400.0


class Time:
    """The environment of a loop: the platform's clock and timers. A subclass replaces them."""

    #: Whether its waits also replace the `sleep` of a loop that has no clock of its own.
    replaces_sleep = False

    def now_ns(self) -> int:
        """The time of one monotonic clock for the whole process."""
        return _now_ns()

    def block(self, delay_ns: int) -> None:
        """Blocks this thread for at least this long."""
        end_ns, sleep = self.now_ns() + delay_ns, time.sleep
        sleep(self._until(end_ns))
        # Timers may fire early by the resolution of their clock.
        while _is_genuine(sleep) and (left := self._until(end_ns)) > 0:
            sleep(left)

    async def suspend(self, delay_ns: int) -> None:
        """Suspends this task for at least this long."""
        end_ns, sleep = self.now_ns() + delay_ns, async_library().sleep
        # Also for a delay of 0: a task that never suspends cannot be cancelled.
        await sleep(self._until(end_ns))
        while _is_genuine(sleep) and (left := self._until(end_ns)) > 0:
            await sleep(left)

    def _until(self, end_ns: int) -> float:
        """The seconds until then, or the longest sleep."""
        left_ns = max(0, end_ns - self.now_ns())
        return min(left_ns / 10**9, _LONGEST_SLEEP)

    def policy(self, policy: Policy) -> Policy:
        """The policy to use in place of a loop's own, or that one."""
        return policy

    def stream(self) -> RandomStream:
        """The stream of a loop that has none of its own."""
        return _next_loop_stream()


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
    with contextlib.suppress(RuntimeError):
        return asyncio and asyncio.current_task()
    return None


def _trio() -> Any:
    """trio, if a trio task runs here."""
    trio = sys.modules.get("trio")
    return trio if trio is not None and trio.lowlevel.in_trio_task() else None


def async_library() -> Any:
    """The module whose sleep suspends this task: asyncio or trio.

    asyncio comes first: a trio-asyncio task runs within a trio task, and in guest mode trio's
    tasks are not asyncio tasks."""
    if (library := find_async_library()) is None:
        raise RuntimeError("neither asyncio nor trio runs this task: pass sleep=")
    return library


def find_async_library() -> Any:
    """The same, or None."""
    return sys.modules["asyncio"] if asyncio_task() is not None else _trio()


async def checkpoint_if_cancelled() -> None:
    """Raises the cancellation of this task, if one is pending."""
    if (task := asyncio_task()) is not None:
        if task.cancelling():
            # It does not raise in a task that already received it and is cleaning up.
            await sys.modules["asyncio"].sleep(0)
    elif (trio := _trio()) is not None:
        await trio.lowlevel.checkpoint_if_cancelled()


def trio_scope_is_cancelled() -> bool:
    """Whether the next await of this task raises trio.Cancelled."""
    trio = _trio()
    return trio is not None and bool(trio.current_effective_deadline() == -float("inf"))


def shield(awaits: bool) -> AbstractContextManager[object]:
    """A context in which a hook can be awaited although trio has cancelled the loop."""
    if awaits and asyncio_task() is None and (trio := _trio()) is not None:
        scope: AbstractContextManager[object] = trio.CancelScope(shield=True)
        return scope
    return contextlib.nullcontext()


_platform: Final = Time()
_replaced: list[Time] = []


def current() -> Time:
    """The environment of loops that begin now."""
    return _replaced[-1] if _replaced else _platform


def is_replaced() -> bool:
    """Whether that is not the platform's."""
    return bool(_replaced)


def replace(time: Time) -> None:
    """Replaces the environment of loops that begin from now on."""
    _replaced.append(time)


def restore(time: Time) -> None:
    """Undoes replace()."""
    _replaced.remove(time)
