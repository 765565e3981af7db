"""Whether the task of a loop was cancelled during a call.

A task of trio knows whether its scope is cancelled. A task of asyncio counts its cancellations.
Before Python 3.13 the count also grows when a TaskGroup fails: the group cancels its own task to
end its wait, and does not take that back. These groups are found in two ways: where they catch this
cancellation, which is seen only if the loop itself awaits the call, and in the traceback of the
exception that the call raises.
"""

from __future__ import annotations

import sys

from . import _time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Generator, Iterator
    from types import FrameType
    from typing import Any, Final

_GROUPS_CANCEL_THEIR_TASK: Final = sys.version_info < (3, 13)


class Cancellations:
    """The cancellations of the current task during one call."""

    __slots__ = ("_before", "_counts", "_groups", "_has_scope", "_watched")

    def __init__(self) -> None:
        self._counts = self._has_scope = self._watched = False
        self._before = 0
        #: The failed groups, each of which cancelled its own task.
        self._groups: list[object] = []

    def begin(self) -> None:
        """Begins a call."""
        task = _time.asyncio_task()
        self._counts, self._watched = task is not None, False
        self._has_scope = task is None
        self._before = task.cancelling() if task is not None else 0
        self._groups.clear()

    def clear(self) -> None:
        """Releases the groups at the end of the loop."""
        self._groups.clear()

    def watch(self, call: Any) -> Awaitable[Any]:
        """The call to await."""
        watched: Awaitable[Any] = call
        if self._counts and _GROUPS_CANCEL_THEIR_TASK and hasattr(call, "__await__"):
            self._watched = True
            watched = _Watched(call, self)
        return watched

    def found(self, error: BaseException | None) -> bool:
        """Whether the task was cancelled during the call, which raised this error or returned. A
        timeout within the call takes back its own cancellation."""
        if self._has_scope:
            # After a value, the next wait raises the cancellation again.
            return error is not None and _time.trio_scope_is_cancelled()
        if not self._counts:
            return False
        task = _time.asyncio_task()
        more: int = task.cancelling() - self._before
        if more <= 0 or not _GROUPS_CANCEL_THEIR_TASK:
            return more > 0
        if error is None and not self._watched:
            # A group that failed within the attempt, and a cancellation that was suppressed
            # there, look alike. The group is no mistake.
            return False
        for frame in _frames(error):
            self.note_group(frame)
        return more > len(self._groups)

    def note_group(self, frame: FrameType) -> None:
        """Notes the group that waits in this frame, if it cancelled its own task there."""
        asyncio = sys.modules["asyncio"]
        if frame.f_code is not asyncio.TaskGroup.__aexit__.__code__:
            return
        # Private, but those versions of Python do not change any more.
        group, raised = frame.f_locals.get("self"), frame.f_locals.get("et")
        if (
            # A group whose body was cancelled has taken the cancellation back.
            raised is None
            and getattr(group, "_parent_cancel_requested", False)
            and getattr(group, "_parent_task", None) is _time.asyncio_task()
            and not any(known is group for known in self._groups)
        ):
            self._groups.append(group)


class _Watched:
    """A call that notes which groups catch a cancellation of its task."""

    __slots__ = ("_call", "_cancellations")

    def __init__(self, call: Awaitable[Any], cancellations: Cancellations) -> None:
        self._call = call
        self._cancellations = cancellations

    def __await__(self) -> Generator[Any, Any, Any]:
        """`yield from` the call."""
        steps: Any = self._call.__await__()
        thrown: BaseException | None = None
        sent: Any = None
        while True:
            try:
                if thrown is None:
                    item = next(steps) if sent is None else steps.send(sent)
                else:
                    item = self._throw(steps, thrown)
            except StopIteration as end:
                return end.value
            thrown = None
            try:
                sent = yield item
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as error:
                thrown = error

    def _throw(self, steps: Any, error: BaseException) -> Any:
        try:
            return steps.throw(error)
        finally:
            # The outermost frame that it reached is the one that caught it.
            if error.__traceback__ is not None:
                self._cancellations.note_group(error.__traceback__.tb_frame)
            del error


def _frames(error: BaseException | None) -> Iterator[FrameType]:
    """The frames that an error passed, and those of the errors behind it and in its groups."""
    seen: set[int] = set()
    left = [error]
    while left:
        error = left.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        traceback = error.__traceback__
        while traceback is not None:
            yield traceback.tb_frame
            traceback = traceback.tb_next
        left += [error.__cause__, error.__context__]
        if isinstance(error, BaseExceptionGroup):
            left += error.exceptions
