"""What the adapters share: checked options, verdicts, and decisions about operations whose state
their hosts keep."""

from __future__ import annotations

import functools
import time

from .._backoff import Operation, Policy, RandomStream, _type_name
from .._functions import is_coroutine_function
from .._log import log_unlimited
from .._retrying import _checked_failures
from .._verdict import Verdict, mark_of, verdict_of_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, SupportsIndex, TypeVar

    from .._backoff import Decision
    from .._retrying import _Failures

    _F = TypeVar("_F", bound=Callable[..., Any])


def with_advice(function: _F) -> _F:
    """The function, or the class of this __init__. It says where a limit goes, which is an argument
    in many libraries."""
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        if "max_retries" in options:
            example = f'{name}("default:max_retries=5")'
            raise TypeError(f"max_retries is part of the policy: write {example}")
        return function(*args, **options)

    decorated: Any = checked
    return decorated  # type: ignore[no-any-return]


def checked_policy(policy: object) -> Policy:
    """The policy, or that of a policy string."""
    if isinstance(policy, str):
        return Policy.parse(policy)
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy or a policy string, not {_type_name(policy)}")
    return policy


def checked_policy_of_host(policy: object, *, keeps_operations: bool = False) -> Policy:
    """The policy for a host that runs the loop, which cannot end an attempt. keeps_operations: whether
    it knows when an attempt began, and the first failure."""
    checked = checked_policy(policy)
    refused: dict[str, object] = {"attempt_timeout": checked.attempt_timeout}
    if not keeps_operations:
        refused["reset_after"] = checked.reset_after
        if checked.elapsed_from == "failure":
            refused["elapsed_from"] = checked.elapsed_from
    for field, value in refused.items():
        if value is not None:
            advice = (
                ", and limit the time of a call in the host" if field == "attempt_timeout" else ""
            )
            raise ValueError(
                f"{field} {value} of the policy {checked} needs a loop of this library, and here the "
                f"host runs the loop: leave it out{advice}"
            )
    return checked


def warn_if_unlimited(policy: Policy, given: Policy | str) -> None:
    """Warns before a wait, as a loop does, of a policy without a limit. given is what the caller
    passed."""
    if policy.max_retries is None and policy.max_elapsed is None:
        log_unlimited(True, policy, given if isinstance(given, str) else None)


def checked_stream(
    stream: RandomStream | None, seed: SupportsIndex | None, key: str | bytes | None
) -> RandomStream | None:
    """The stream, or that of the seed and the key, if one of them is set."""
    if stream is not None:
        if not isinstance(stream, RandomStream):
            raise TypeError(f"stream must be a RandomStream, not {_type_name(stream)}")
        if seed is not None:
            raise TypeError("pass a stream or a seed, not both: a seed makes a stream")
    if seed is None:
        if key is not None:
            raise TypeError("key picks a stream under a seed: pass a seed too")
        return stream
    return RandomStream(seed) if key is None else RandomStream(seed, key)


def decision_after(
    policy: Policy, stream: RandomStream, retries: int, elapsed_ns: int, verdict: Verdict
) -> Decision:
    """The decision after an attempt of an operation whose host keeps its retries and its time."""
    operation = Operation.resume(policy, stream, retries, began_ns=0)
    return operation.decide(verdict.outcome, now_ns=elapsed_ns, retry_after=verdict.retry_after)


class Failures:
    """The failures that may be retried: the option `on` of a loop."""

    def __init__(self, on: _Failures) -> None:
        self._on = _checked_failures(on)
        if is_coroutine_function(self._on):
            raise TypeError("on is a coroutine function, which nothing awaits here")

    def verdict(self, error: Exception) -> Verdict:
        """How a call that raised this ended (SPEC 18.3)."""
        if (mark := mark_of(error)) is not None:
            return mark
        if isinstance(self._on, tuple):
            return Verdict("transient" if isinstance(error, self._on) else "permanent")
        return verdict_of_error(self._on(error))


class Calls:
    """Decides about the calls of a library of retries."""

    def __init__(
        self,
        policy: Policy | str,
        failures: Failures | None,
        stream: RandomStream | None,
        seed: SupportsIndex | None,
        key: str | bytes | None,
        *,
        keeps_operations: bool = False,
    ) -> None:
        """Without failures, all are transient, unless they are marked."""
        self.policy = checked_policy_of_host(policy, keeps_operations=keeps_operations)
        self._failures = failures
        self._stream = checked_stream(stream, seed, key)

    def stream(self) -> RandomStream:
        """The stream of the options, or one for a call."""
        return self._stream or RandomStream.from_entropy()

    def verdict(self, failure: object) -> Verdict:
        """How a call ended, with this exception or with a value that is to be repeated."""
        if isinstance(failure, Exception):
            if self._failures is not None:
                return self._failures.verdict(failure)
            if (mark := mark_of(failure)) is not None:
                return mark
        return Verdict("transient")

    def begin(self) -> Callable[[object], Decision]:
        """Begins an operation. Returns what decides after each failure."""
        operation = Operation(self.policy, self.stream(), now_ns=time.monotonic_ns())

        def decide(failure: object) -> Decision:
            verdict = self.verdict(failure)
            now_ns = time.monotonic_ns()
            return operation.decide(verdict.outcome, now_ns=now_ns, retry_after=verdict.retry_after)

        return decide


class Jobs:
    """Decides about the jobs of a queue, each with the stream of its id under the seed."""

    def __init__(
        self, policy: Policy | str, on: _Failures, seed: SupportsIndex, *, keeps_begin: bool = False
    ) -> None:
        """keeps_begin: whether the queue stores when a job began."""
        self._given, self._policy = policy, checked_policy_of_host(policy)
        self._failures = Failures(on)
        self._seed = seed
        RandomStream(seed)
        if self._policy.max_elapsed is not None and not keeps_begin:
            raise ValueError(
                "max_elapsed needs the time at which a job began, which a queue does not keep: "
                "use max_retries, and let the queue drop old jobs"
            )

    @property
    def max_retries(self) -> int | None:
        """The limit of the policy."""
        return self._policy.max_retries

    def warn_if_unlimited(self) -> None:
        """For a queue that does not limit this retry either."""
        warn_if_unlimited(self._policy, self._given)

    def after(self, error: Exception, job_id: str, retries: int, elapsed_ns: int = 0) -> Decision:
        """The decision after a job failed that has been retried this often."""
        return self.decide(self._failures.verdict(error), job_id, retries, elapsed_ns)

    def decide(self, verdict: Verdict, job_id: str, retries: int, elapsed_ns: int = 0) -> Decision:
        """The same, after this verdict."""
        stream = RandomStream(self._seed, job_id)
        return decision_after(self._policy, stream, retries, elapsed_ns, verdict)
