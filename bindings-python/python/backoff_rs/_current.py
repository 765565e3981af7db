"""The attempt that runs now."""

from __future__ import annotations

import sys

from ._attempts import Attempt
from ._wrap import RETRIED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def current_attempt() -> Attempt:
    """The attempt of the innermost retrying function that the caller runs in: the function that @retry
    decorates, or one that it calls or awaits. A task or thread that it starts is not in it.

    Its number, last_error and time_left tell what the attempt is; it cannot be entered. In a loop over
    attempts, ask the attempt of the loop.

    Raises RuntimeError if no such function runs here.
    """
    # It costs nothing until it is asked, which a context variable would.
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code in RETRIED:
            return Attempt._running(frame.f_locals["loop"])
        frame = frame.f_back
    raise RuntimeError("no retrying function runs here: call current_attempt() within one")
