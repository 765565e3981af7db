"""One exchange with the store of a shared budget: no lock, no thread and no clock."""

from __future__ import annotations

import time
from dataclasses import replace

from ._backoff import _type_name
from ._budget_store import BudgetExchange, ExchangeStep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ._budget_store import BudgetStore

    #: The text after the steps, whether it differs, and the steps.
    _Stepped: TypeAlias = tuple[str, bool, tuple[ExchangeStep, ...]]


def exchange(
    store: BudgetStore,
    key: str,
    step: Callable[[str | None, int], _Stepped],
    lost: Callable[[], int | None],
    timeout: float,
) -> BudgetExchange:
    """Loads the text, steps it and swaps it, until no other process is faster. After a lost swap,
    lost() returns the nanoseconds to wait, or None if the timeout is over."""
    while True:
        made = BudgetExchange(None, 0, (), "", "no")
        try:
            before, now_ns = checked_load(store.load(key))
            made = replace(made, before=before, now_ns=now_ns)
            after, is_changed, steps = step(before, now_ns)
        except BaseException as error:
            return replace(made, error=ordinary(error))
        made = replace(made, steps=steps, after=after)
        if not is_changed:
            return replace(made, stored="unchanged")
        try:
            is_stored = store.compare_and_swap(key, before, after)
            if not isinstance(is_stored, bool):
                kind = _type_name(is_stored)
                raise TypeError(f"compare_and_swap() must return a bool, not {kind}")
        except BaseException as error:
            return replace(made, stored="unknown", error=ordinary(error))
        if is_stored:
            return replace(made, stored="yes")
        wait_ns = lost()
        if wait_ns is None:
            why = f"other processes were faster for {timeout:g} s"
            return replace(made, stored="lost", error=TimeoutError(why))
        time.sleep(wait_ns / 1e9)


def ordinary(error: BaseException) -> Exception:
    """What code of the caller raised in the thread, which it must not end."""
    if isinstance(error, Exception):
        return error
    raised = RuntimeError(f"raised {error!r}")
    raised.__cause__ = error
    return raised


def checked_load(loaded: Any) -> tuple[str | None, int]:
    """Checks what `load` of the caller's store returned."""
    if not isinstance(loaded, tuple) or len(loaded) != 2:
        raise TypeError(f"load() must return a text or None, and the time, not {loaded!r}")
    before, now_ns = loaded
    if before is not None and not isinstance(before, str):
        raise TypeError(f"load() must return a str or None as its text, not {_type_name(before)}")
    if isinstance(now_ns, bool) or not hasattr(now_ns, "__index__"):
        raise TypeError(f"load() must return an int as its time, not {_type_name(now_ns)}")
    if not 0 <= (number := now_ns.__index__()) < 2**64:
        raise ValueError(f"load() returned the time {number}, which is not from 0 to {2**64 - 1}")
    return before, number
