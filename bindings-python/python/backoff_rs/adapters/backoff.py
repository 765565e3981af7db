"""backoff: a wait generator. `backoff-rs[backoff]` installs it.

@backoff.on_exception(wait_gen("full:base=100ms,max_retries=5"), ConnectionError, jitter=None)
def fetch(): ...
"""

from __future__ import annotations

from ._decisions import Calls, Failures, with_advice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, Never, SupportsIndex

    from .._backoff import Policy, RandomStream
    from .._retrying import _Failures


@with_advice
def wait_gen(
    policy: Policy | str = "default",
    *,
    on: _Failures | None = None,
    stream: RandomStream | None = None,
    seed: SupportsIndex | None = None,
    key: str | bytes | None = None,
) -> Callable[[], Generator[float, Any, None]]:
    """A wait_gen for on_exception and on_predicate: the waits of a policy, until one of its limits
    is reached; then `backoff` gives up. Pass it with `jitter=None`: the policy has its own.

    policy     a Policy or a policy string.
    on         how the failures ended that are to be repeated, as for retrying(): it may return a
               Verdict with the retry_after of a server. Without it they are transient. Marks come
               first: permanent() gives up, and retry_after() waits.
    stream     the RandomStream of every call; or
    seed, key  the same as RandomStream(seed, key). Without any of the three, each call has a
               random stream of its own.

    Raises PolicyError and TypeError for invalid arguments.
    """
    failures = None if on is None else Failures(on)
    return _Waits(Calls(policy, failures, stream, seed, key, keeps_operations=True))


class _Waits:
    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def __call__(self, **misplaced: object) -> Generator[float, Any, None]:
        if misplaced:
            names = ", ".join(misplaced)
            raise TypeError(f"{names} is no option of backoff: pass it to wait_gen(), if it has it")
        return self._waits()

    def _waits(self) -> Generator[float, Any, None]:
        # `backoff` makes a generator for each call, and begins it before the first attempt.
        decide = self._calls.begin()
        decision = decide((yield 0.0))
        while decision:
            decision = decide((yield decision.delay))

    def send(self, _value: object) -> Never:
        """`backoff` has called wait_gen itself, and takes this for the generator."""
        raise TypeError('wait_gen was passed without a call: write wait_gen("default")')
