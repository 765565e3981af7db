"""Tests of code that retries, without waiting and with the same delays each time."""

import threading
import time as _clock
from collections.abc import Iterator
from contextlib import contextmanager

from . import _time
from ._backoff import Policy, Stream

__all__ = ["FakeTime", "fake_time"]


class FakeTime:
    """A clock that only waits move, for all loops of the process: fake_time() gives one.

    It begins at time.monotonic_ns(), so that a deadline of the code under test still means what
    it says. The waits of a loop with a sleep of its own do not move it.
    """

    def __init__(self, policy: Policy | None, seed: int) -> None:
        self._lock = threading.Lock()
        self._now_ns = self._begun_ns = _clock.monotonic_ns()
        self._slept_ns: list[int] = []
        self._policy = policy
        self._seed = seed
        self._streams = 0

    @property
    def slept(self) -> list[float]:
        """The waits so far, in seconds."""
        return [delay_ns / 10**9 for delay_ns in self._slept_ns]

    @property
    def slept_ns(self) -> list[int]:
        """The waits so far, in nanoseconds."""
        return list(self._slept_ns)

    @property
    def elapsed_ns(self) -> int:
        """How far the clock went, in nanoseconds."""
        return self._now_ns - self._begun_ns

    def advance_ns(self, time_ns: int) -> None:
        """Moves the clock on, as a call would that takes that long."""
        with self._lock:
            self._now_ns += time_ns

    def now_ns(self) -> int:
        """The time, in nanoseconds."""
        return self._now_ns

    def block(self, delay_ns: int) -> None:
        """What a loop does in place of waiting."""
        with self._lock:
            self._slept_ns.append(delay_ns)
            self._now_ns += delay_ns

    async def suspend(self, delay_ns: int) -> None:
        """The same where a wait suspends: others get their turn, and a cancellation comes."""
        self.block(delay_ns)
        await _time.async_library().sleep(0)

    def policy(self, given: Policy) -> Policy:
        """The policy of a loop that was given this one."""
        return self._policy or given

    def stream(self) -> Stream:
        """The stream of a loop that was given none: one of its own, the same in each run."""
        with self._lock:
            self._streams += 1
            return Stream(self._seed, f"loop-{self._streams}")


@contextmanager
def fake_time(*, policy: Policy | str | None = None, seed: int = 0) -> Iterator[FakeTime]:
    """A FakeTime for the loops that begin in this context, in all threads and tasks: sync,
    asyncio and trio.

    A policy, or its line, replaces that of each loop: "constant:base=1ns,max_retries=0" retries
    nothing. The streams that loops would draw from the operating system come from the seed.

    Raises PolicyError for a line that is refused.
    """
    time = FakeTime(Policy.parse(policy) if isinstance(policy, str) else policy, seed)
    _time.replace(time)
    try:
        yield time
    finally:
        _time.restore(time)
