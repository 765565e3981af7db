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
from ._backoff import _Watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator
    from types import FrameType
    from typing import Any, Final

    from ._options import Options

_GROUPS_CANCEL_THEIR_TASK: Final = sys.version_info < (3, 13)


class Cancellations:
    """What a loop knows of the cancellations of its task during a call."""

    # A part of the loop: an object of its own takes longer than what it does.
    __slots__ = ("_before", "_groups", "_is_async", "_task", "_watched", "awaits", "options")

    options: Options

    #: Whether the loop is one of tasks, and whether its hooks and predicates may be awaited now.
    _is_async: bool
    awaits: bool
    #: The task of asyncio, and how often it was cancelled before the call.
    _task: Any
    _before: int
    #: The failed groups, each of which cancelled its own task, and whether all are noted.
    _groups: tuple[object, ...]
    _watched: bool

    def _forget_calls(self) -> None:
        """Begins and ends an async loop. A blocking one has no task."""
        self._task, self._groups, self._watched = None, (), False

    def _begin_call(self) -> bool:
        """Begins a call. Returns whether the task may be cancelled already."""
        task = self._task
        if task is None:
            task = self._task = _time.asyncio_task()
            if task is None:
                return True
        if self._groups:
            self._groups = ()
        before: int = task.cancelling()
        self._before = before
        return before > 0

    def _enter_call(self) -> None:
        """Begins a call in a task that need not be that of the call before."""
        self._task, self._groups = None, ()
        self._begin_call()

    def _library(self) -> Any:
        """The module whose sleep suspends the task: asyncio or trio; None for another library.

        asyncio comes first: a trio-asyncio task runs within a trio task, and in guest mode trio's
        tasks are not asyncio tasks."""
        return _time.current_trio() if self._task is None else sys.modules["asyncio"]

    def watch(self, call: Any) -> Awaitable[Any]:
        """The call of an async loop, to be awaited."""
        if self.options.limits_attempts:
            return self._limited(call)
        return self._watch(call)

    def _limited(self, call: Any) -> Awaitable[Any]:
        """The same with the limit of its attempt."""
        raise NotImplementedError

    def _watch(self, call: Any) -> Awaitable[Any]:
        awaited: Awaitable[Any] = call
        if _GROUPS_CANCEL_THEIR_TASK and self._task is not None and hasattr(call, "__await__"):
            self._watched, awaited = True, _Watched(call, self)
        return awaited

    def _was_cancelled(self, error: BaseException | None) -> bool:
        """Whether the task was cancelled during the call, which raised this error or returned. A
        timeout within the call takes back its own cancellation."""
        if not self._is_async:
            return False
        task = self._task
        if task is None:
            # After a value, only an await can raise the cancellation of trio.
            return (error is not None or self.awaits) and _time.trio_scope_is_cancelled()
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
            and getattr(group, "_parent_task", None) is self._task
            and not any(known is group for known in self._groups)
        ):
            self._groups = (*self._groups, group)


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
