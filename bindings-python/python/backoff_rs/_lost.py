"""Coroutines that nothing awaits."""

from __future__ import annotations

from collections.abc import Coroutine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_lost(result: object) -> bool:
    """Whether the result of a call is a coroutine, which does nothing until it is awaited. It is
    closed, so that Python does not warn of it, too.

    Other awaitables, such as a Future, may run by themselves. Only the type is asked: a proxy
    would answer for the object it stands for, or fail if it has none.
    """
    kind = type(result)
    # The second question takes longer than an attempt.
    if not hasattr(kind, "send") or not issubclass(kind, Coroutine):
        return False
    coroutine: Any = result
    coroutine.close()
    return True
