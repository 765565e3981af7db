"""stamina: a backoff hook for its retry_context(). `backoff-rs[stamina]` installs it.

for attempt in stamina.retry_context(
    on=backoff_hook("full:base=100ms,max_retries=5", on=ConnectionError),
    attempts=None, timeout=None,
):
    with attempt: ...
"""

from __future__ import annotations

from ._decisions import Calls, Failures, with_advice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    from .._backoff import Policy, RandomStream
    from .._retrying import _Failures


@with_advice
def backoff_hook(
    policy: Policy | str = "default",
    *,
    on: _Failures,
    stream: RandomStream | None = None,
    seed: SupportsIndex | None = None,
    key: str | bytes | None = None,
) -> Callable[[Exception], bool | float]:
    """The option `on` of one stamina.retry_context(): the waits and the limits of a policy.

    A hook of stamina gets only the failure, so this one counts the failures itself: make one for
    each retry_context(). It cannot serve stamina.retry(), which shares a hook between calls.

    policy     a Policy or a policy string. Switch off stamina's own limits with `attempts=None` and
               `timeout=None`; otherwise both apply.
    on         the failures that may be retried, as for retrying().
    stream     the RandomStream of the call; or
    seed, key  the same as RandomStream(seed, key). Without any of the three it is random.

    Raises PolicyError and TypeError for invalid arguments. The hook raises RuntimeError if it is
    asked again after it gave up: it was passed to two retry_contexts.
    """
    decide = Calls(policy, Failures(on), stream, seed, key, keeps_operations=True).begin()
    has_stopped = False

    def hook(error: Exception) -> bool | float:
        nonlocal has_stopped
        if has_stopped:
            raise RuntimeError(
                "a backoff hook serves one stamina.retry_context(): make a new one for each"
            ) from error
        decision = decide(error)
        has_stopped = not decision
        return decision.delay if decision else False

    return hook
