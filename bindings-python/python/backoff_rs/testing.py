"""For tests of code that retries: no waiting, and the same delays in each run."""

import threading
import time as _clock
from collections.abc import Iterator
from contextlib import contextmanager

from . import _time
from ._backoff import Policy, RandomStream

__all__ = ["FakeTime", "fake_time"]


class FakeTime:
    """A clock that only waits advance, for all loops of the process; see fake_time().

    It starts at time.monotonic_ns(), so deadlines of the code under test keep their meaning. A
    loop with a sleep of its own does not advance it.
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
        """The time since the clock started, in nanoseconds."""
        return self._now_ns - self._begun_ns

    def advance_ns(self, time_ns: int) -> None:
        """Advances the clock, like a call that takes this long."""
        with self._lock:
            self._now_ns += time_ns

    def now_ns(self) -> int:
        """The time, in nanoseconds."""
        return self._now_ns

    def block(self, delay_ns: int) -> None:
        """Records a wait of a blocking loop and advances the clock."""
        with self._lock:
            self._slept_ns.append(delay_ns)
            self._now_ns += delay_ns

    async def suspend(self, delay_ns: int) -> None:
        """The same in an async loop. Other tasks run, and a cancellation is raised."""
        self.block(delay_ns)
        await _time.async_library().sleep(0)

    def policy(self, policy: Policy) -> Policy:
        """The policy that replaces a loop's own, or that one."""
        return self._policy or policy

    def stream(self) -> RandomStream:
        """The stream of a loop that has none of its own, the same in each run."""
        with self._lock:
            self._streams += 1
            return RandomStream(self._seed, f"loop-{self._streams}")


@contextmanager
def fake_time(*, policy: Policy | str | None = None, seed: int = 0) -> Iterator[FakeTime]:
    """A FakeTime for the loops that begin in this context, in all threads and tasks, blocking,
    asyncio and trio.

    A policy or policy string replaces that of each loop: "constant:base=1ns,max_retries=0" turns
    retries off. Loops without a stream or seed draw from the seed.

    Raises PolicyError for an invalid policy string.
    """
    time = FakeTime(Policy.parse(policy) if isinstance(policy, str) else policy, seed)
    _time.replace(time)
    try:
        yield time
    finally:
        _time.restore(time)
