"""The limit of an attempt in an async loop (SPEC 18.2): a timeout of asyncio, or a cancel scope of trio."""

from __future__ import annotations

import sys

from ._context import MARK
from ._types import Outcome
from ._verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_TIMEOUT: Final = Verdict(Outcome.TIMEOUT)


class AttemptLimit:
    """Cancels what its task does after this long, until end() is called. No step of it suspends."""

    def __init__(self, limit_ns: int, library: Any, attempt: int) -> None:
        self._seconds = limit_ns / 10**9
        self._attempt = attempt
        if library is None:
            raise RuntimeError(
                "neither asyncio nor trio runs this task: nothing can end an attempt after its "
                "attempt_timeout"
            )
        self._is_asyncio = library is sys.modules.get("asyncio")
        if self._is_asyncio:
            self._timeout = library.timeout(self._seconds)
            _step(self._timeout.__aenter__())
        else:
            self._timeout = library.CancelScope(deadline=library.current_time() + self._seconds)
            self._timeout.__enter__()

    def end(self, error: BaseException | None) -> TimeoutError | None:
        """The attempt has ended, with this error. Returns the failure in its place, if it met its limit; a
        value counts, however late it is."""
        if self._is_asyncio:
            met = self._ends_asyncio(error)
        else:
            swallowed = self._timeout.__exit__(error and type(error), error, _traceback(error))
            met = swallowed or (self._timeout.cancel_called and isinstance(error, Exception))
        if not met or error is None:
            return None
        late = TimeoutError(f"attempt {self._attempt} met its limit of {self._seconds:g} s")
        late.__dict__[MARK] = _TIMEOUT
        return late

    def _ends_asyncio(self, error: BaseException | None) -> bool:
        try:
            _step(self._timeout.__aexit__(error and type(error), error, _traceback(error)))
        except TimeoutError:
            return True
        # A task that was cancelled from outside at the same time stays cancelled.
        return isinstance(error, Exception) and self._timeout.expired()


def _traceback(error: BaseException | None) -> Any:
    return None if error is None else error.__traceback__


def _step(coroutine: Any) -> None:
    """Runs a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise RuntimeError("a step of a timeout has suspended")
