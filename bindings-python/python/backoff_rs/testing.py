"""For tests of code that retries: no waiting, and the same delays in each run."""

import threading
import time as _clock
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any
from weakref import WeakKeyDictionary

from . import _time
from ._backoff import Policy, RandomStream, _checked_time_ns, _type_name
from ._limit import AttemptLimit
from ._options import Options

__all__ = ["FakeTime", "fake_time"]

#: The last reading of a clock: two of the longest waits would pass it.
_LATEST_NS = 2**64 - 1


class FakeTime:
    """A fake clock. It advances when a loop waits and when you call advance_ns().

    It is the clock of all loops of the process; see fake_time(). It starts at the time of
    time.monotonic_ns(), which returns the time of this clock until the context ends, so deadlines
    of the code under test keep their meaning. Waits that begin at the same time overlap, as those of
    concurrent tasks do: after them the one clock shows all tasks the end of the longest.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now_ns = self._began_ns = _clock.monotonic_ns()
        self._slept_ns: list[int] = []
        self._limits: WeakKeyDictionary[_Limit, int] = WeakKeyDictionary()

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
        return self._now_ns - self._began_ns

    def advance_ns(self, time_ns: int) -> None:
        """Advances the clock, like a call that takes this long.

        Raises PolicyError for a negative time; TypeError if it is not an int.
        """
        time_ns = _checked_time_ns(time_ns)
        with self._lock:
            self._now_ns = min(self._now_ns + time_ns, _LATEST_NS)
            limits = [limit for limit, end_ns in self._limits.items() if end_ns < self._now_ns]
        for limit in limits:
            self._limits.pop(limit, None)
            limit.end_now()

    def _limit(self, limit: "_Limit", limit_ns: int) -> None:
        """Ends this attempt when the clock has advanced by more than that."""
        with self._lock:
            self._limits[limit] = self._now_ns + limit_ns

    def now_ns(self) -> int:
        """The time, in nanoseconds."""
        return self._now_ns

    def _begin_wait(self, delay_ns: int) -> int:
        """Records a wait, and returns when it ends."""
        with self._lock:
            self._slept_ns.append(delay_ns)
            return min(self._now_ns + delay_ns, _LATEST_NS)

    def _end_wait(self, end_ns: int) -> None:
        """Advances the clock to then, unless another wait has done so."""
        with self._lock:
            self._now_ns = max(self._now_ns, end_ns)


class _Limit(AttemptLimit):
    """The limit of an attempt that a fake clock can end, whichever thread advances it."""

    def __init__(self, limit_ns: int, library: Any, attempt: int) -> None:
        super().__init__(limit_ns, library, attempt)
        self._has_ended = False
        if self._is_asyncio:
            self._current = library._get_running_loop
            self._call_soon = self._current().call_soon_threadsafe
        else:
            lowlevel = library.lowlevel
            self._current = lambda: lowlevel.in_trio_run() and lowlevel.current_trio_token()
            self._call_soon = self._current().run_sync_soon
        self._own = self._current()

    def end_now(self) -> None:
        """Ends the attempt."""
        if self._current() is self._own:
            self._end_now()
            return
        # A loop that is closed has no attempts.
        with suppress(RuntimeError):
            self._call_soon(self._end_now)

    def _end_now(self) -> None:
        if self._has_ended:
            return
        if self._is_asyncio:
            # In the past, also for a loop whose clock has just started.
            self._timeout.reschedule(-1.0)
        else:
            self._timeout.cancel()

    def end(self, error: BaseException | None) -> TimeoutError | None:
        self._has_ended = True
        return super().end(error)


class _Environment(_time.Time):
    """The environment of loops in fake time."""

    def __init__(self, time: FakeTime, policy: Policy | None, seed: int) -> None:
        super().__init__(time.now_ns)
        self.is_fake = True
        self._policy = policy
        self._fake = time
        self._seed = seed
        self._lock = threading.Lock()
        self._streams = 0

    @property
    def changes(self) -> Callable[[Options], Options] | None:  # type: ignore[override]
        """A policy in place of that of each loop, and the defaults of the program."""
        return self._changed if self._policy is not None else _time.platform.changes

    def _changed(self, options: Options) -> Options:
        if _time.platform.changes is not None:
            options = _time.platform.changes(options)
        policy = self._policy
        if policy is not None and options.is_off:
            policy = policy.replace(max_retries=0)
        return options.changed(policy=policy, policy_text=None, policy_of=None, names_retries=True)

    def limit(self, limit_ns: int, library: Any, attempt: int) -> AttemptLimit:
        """The same, which also ends when the fake clock has advanced by as much."""
        limit = _Limit(limit_ns, library, attempt)
        self._fake._limit(limit, limit_ns)
        return limit

    def block(self, delay_ns: int) -> None:
        self._fake._end_wait(self._fake._begin_wait(delay_ns))

    async def suspend(self, delay_ns: int, library: Any) -> None:
        """Like block(), for an async loop. Lets other tasks run and raises a pending
        cancellation."""
        end_ns = self._fake._begin_wait(delay_ns)
        # There is none if this replaces the `sleep` of a loop that runs on another library.
        if library is not None:
            await library.sleep(0)
        self._fake._end_wait(end_ns)

    def stream(self) -> RandomStream:
        """The stream of a loop that has none of its own, the same in each run."""
        with self._lock:
            self._streams += 1
            return RandomStream(self._seed, f"loop-{self._streams}")


def fake_time(
    *, policy: Policy | str | None = None, seed: int = 0
) -> AbstractContextManager[FakeTime]:
    """A FakeTime for the loops that begin in this context, in all threads and tasks, blocking,
    asyncio and trio.

    None of them waits: a sleep= of a loop is replaced, too, unless the loop also has a clock_ns,
    because such a loop has a time of its own. time.monotonic_ns() returns the fake time. A policy or
    policy string replaces that of each loop: "off" turns retries off. Loops without a stream or seed
    draw from the seed. The Retry of the adapter of urllib3 waits in fake time, too, but is no loop: it
    keeps its policy and its stream.

    Raises PolicyError for an invalid policy string or seed; TypeError for other types.
    """
    replacement = Policy.parse(policy) if isinstance(policy, str) else policy
    if not isinstance(replacement, Policy | None):
        kinds = "a Policy or a policy string"
        raise TypeError(f"policy must be {kinds}, not {_type_name(policy)}")
    return _Replacement(replacement, RandomStream(seed).state)


class _Replacement(AbstractContextManager[FakeTime]):
    """What fake_time() returns. No decorator, which would do nothing for a coroutine function."""

    def __init__(self, policy: Policy | None, seed: int) -> None:
        self._policy = policy
        self._seed = seed
        self._environments: list[_Environment] = []

    def __enter__(self) -> FakeTime:
        time = FakeTime()
        self._environments.append(_Environment(time, self._policy, self._seed))
        _begin(self._environments[-1])
        return time

    def __exit__(self, *_exception: object) -> None:
        _end(self._environments.pop())


def _now_ns() -> int:
    """Stands for time.monotonic_ns(), from which code under test computes deadlines."""
    return _time.current().now_ns()


_replaced_clock: Callable[[], int] = _clock.monotonic_ns


def _begin(environment: _Environment) -> None:
    global _replaced_clock
    with _time.lock:
        _time.replace(environment)
        if _clock.monotonic_ns is not _now_ns:
            _replaced_clock = _clock.monotonic_ns
            vars(_clock)["monotonic_ns"] = _now_ns


def _end(environment: _Environment) -> None:
    with _time.lock:
        _time.restore(environment)
        if not _time.is_replaced() and _clock.monotonic_ns is _now_ns:
            vars(_clock)["monotonic_ns"] = _replaced_clock
