"""The iterators over the attempts of a loop, for `for` and `async for`."""

from __future__ import annotations

from ._time import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Final, Never

    from ._limit import AttemptLimit
    from ._loop import Loop, _Rest

#: The value of an attempt that has none.
_UNSET: Final = object()


class Attempt:
    """One attempt of a loop, a context manager around the call.

        for attempt in retrying(on=ConnectionError):
            with attempt:
                ...

    The `with` statement suppresses a failure that may be repeated, and the loop goes on; any other
    exception passes through. Set value in the statement for on_result and the hooks. In an
    `async for`, `async with attempt` also awaits predicates and hooks.

    A `return` or `break` in the statement counts as a success. With on_result, set value first:
    an attempt that is left without an exception and without a value raises RuntimeError.
    """

    __module__ = "backoff_rs"
    __slots__ = (
        "__weakref__",
        "_ended",
        "_entered",
        "_limit",
        "_loop",
        "_number",
        "_value",
    )

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._entered = self._ended = False
        self._number = loop.attempts
        self._limit: AttemptLimit | None = None
        self._value: object = _UNSET

    @classmethod
    def _running(cls, loop: Loop) -> Attempt:
        """The attempt whose call a loop makes."""
        attempt = cls(loop)
        attempt._entered = True
        return attempt

    @property
    def number(self) -> int:
        """The number of the attempt, 1 for the first."""
        return self._number

    @property
    def last_error(self) -> BaseException | None:
        """The failure of the attempt before; None for the first attempt, after a value, and once the
        loop has stopped."""
        return self._loop.last_error

    @property
    def time_left(self) -> float | None:
        """The time until the attempt_timeout, max_elapsed or the deadline ends, whichever is first, in
        seconds: a timeout for what the attempt calls. 0 once that is over; None without any."""
        left_ns = self._loop.time_left_ns()
        return None if left_ns is None else left_ns / 10**9

    @property
    def value(self) -> object:
        """The result of the call, for on_result and the hooks; set it in the statement. None if
        it is not set."""
        return None if self._value is _UNSET else self._value

    @value.setter
    def value(self, value: object) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"<Attempt {self._number}>"

    def __reduce__(self) -> Never:
        raise TypeError("an attempt cannot be copied or pickled")

    def __enter__(self) -> Attempt:
        try:
            # `async for` awaits these two.
            self._loop.options.reject_coroutine_functions(but=("on_retry", "sleep"))
            if self._loop.awaits and self._loop.options.shared_budget is not None:
                raise TypeError("a SharedBudget waits for its store: use `async with attempt`")
        except TypeError as error:
            if not self._loop.stopped:
                self._loop.broken_off(error)
            raise
        return self._enter()

    def _enter(self) -> Attempt:
        if self._entered or self._loop.stopped:
            raise RuntimeError("an attempt is entered once, in the loop that yielded it")
        self._entered = True
        self._loop.enter()
        if self._loop.options.limits_attempts:
            self._limit = self._loop.begin_limit()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        error, late = self._failure(error)
        if rest := self._end(error):
            self._loop.run_blocking(rest)
        return self._suppresses(error, late)

    async def __aenter__(self) -> Attempt:
        if not self._loop.awaits:
            raise TypeError("`async with attempt` needs `async for attempt`")
        return self._enter()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        error, late = self._failure(error)
        if rest := self._end(error):
            await rest
        return self._suppresses(error, late)

    def _failure(
        self, error: BaseException | None
    ) -> tuple[BaseException | None, BaseException | None]:
        """The failure of the attempt, and what it stands for if the attempt met its limit."""
        if self._limit is None or (late := self._limit.end(error)) is None:
            return error, None
        late.__cause__ = error
        return late, error

    def _end(self, error: BaseException | None) -> _Rest:
        self._ended = True
        if self._loop.stopped:
            # A nested `with attempt:` was rejected, or the loop was dropped.
            return None
        if error is not None:
            return self._loop.failed(error)
        if self._value is _UNSET and self._loop.options.on_result is not None:
            # Python runs this before a `return` or `break` takes effect, and does not tell them
            # from the end of the statement.
            missing = RuntimeError("with on_result, set attempt.value before the attempt ends")
            self._loop.broken_off(missing)
            raise missing
        return self._loop.returned(self.value)

    def _suppresses(self, error: BaseException | None, late: BaseException | None) -> bool:
        """Whether to suppress this failure: to wait and attempt again."""
        suppresses = error is not None and bool(self._loop.decision)
        if late is not None and error is not None and not suppresses:
            raise error
        return suppresses


class Attempts:
    """The attempts of a blocking loop, each after its wait. Leaving the loop early, as by `break`,
    cancels it."""

    __slots__ = ("_last", "_loop")

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._last: Attempt | None = None

    def __iter__(self) -> Attempts:
        return self

    def __next__(self) -> Attempt:
        if self._loop.stopped:
            raise StopIteration
        try:
            if rest := self._wait():
                run(rest)
            if rest := self._loop.attempt():
                run(rest)
        except StopIteration as error:
            # It would end the `for` as if all was well, and hide the failure.
            raise RuntimeError("a hook or a sleep raised StopIteration") from error
        self._last = Attempt(self._loop)
        return self._last

    def _wait(self) -> _Rest:
        """Waits after the last attempt."""
        if self._last is None:
            return None
        if not self._last._ended:
            raise RuntimeError("the attempt was not made: use `with attempt:`")
        return self._loop.wait()

    def __reduce__(self) -> Never:
        # The loop of a copy would be the same, and end with the copy.
        raise TypeError("the attempts of a loop cannot be copied or pickled")

    def __del__(self) -> None:
        self._loop.dropped()


class AsyncAttempts(Attempts):
    """The attempts of an async loop."""

    __slots__ = ()

    def __aiter__(self) -> AsyncAttempts:
        return self

    async def __anext__(self) -> Attempt:
        if self._loop.stopped:
            raise StopAsyncIteration
        rest = self._wait()
        try:
            if rest:
                await rest
            if rest := self._loop.attempt():
                await rest
        except BaseException as error:
            if rest := self._loop.left(error):
                await rest
            if isinstance(error, StopAsyncIteration):
                # It would end the `async for` likewise.
                raise RuntimeError("a hook or a sleep raised StopAsyncIteration") from error
            raise
        self._last = Attempt(self._loop)
        return self._last
