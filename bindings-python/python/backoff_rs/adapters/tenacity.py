"""tenacity: `wait` and `stop` for its retry(). `backoff-rs[tenacity]` installs it.

retries = Retries("full:base=100ms,cap=20s,max_retries=5")

@retry(wait=retries.wait, stop=retries.stop, retry=retry_if_exception_type(ConnectionError))
def fetch(): ...
"""

from __future__ import annotations

from tenacity.stop import stop_base
from tenacity.wait import wait_base

from ._decisions import Calls, Failures, decision_after, with_advice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, SupportsIndex

    from tenacity import RetryCallState

    from .._backoff import Decision, Policy, RandomStream
    from .._retrying import _Failures

#: The attributes of tenacity's state of a call that hold its stream, and the last decision with the
#: number of its attempt: wait and stop ask for the same one.
_STREAM: Final = "_backoff_rs_stream"
_DECISION: Final = "_backoff_rs_decision"


class Retries:
    """The waits and the limits of a policy, for tenacity.

    policy     a Policy or a policy string.
    on         how the failures ended that tenacity is to repeat, as for retrying(): it may return
               a Verdict with the retry_after of a server. Without it they are transient. Marks
               come first: permanent() stops, and retry_after() waits.
    stream     the RandomStream of every call; or
    seed, key  the same as RandomStream(seed, key). Without any of the three, each call has a
               random stream of its own.

    wait and stop belong together: each also works alone, with the one of the other that tenacity
    has. Past the policy's limits, wait goes on with the delays of the policy. max_elapsed counts
    from the first attempt.

    Raises PolicyError and TypeError for invalid arguments.
    """

    @with_advice
    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        on: _Failures | None = None,
        stream: RandomStream | None = None,
        seed: SupportsIndex | None = None,
        key: str | bytes | None = None,
    ) -> None:
        self._calls = Calls(policy, None if on is None else Failures(on), stream, seed, key)
        self.wait: wait_base = _Wait(self)
        self.stop: stop_base = _Stop(self)

    def _stream_of(self, state: RetryCallState) -> RandomStream:
        kept: RandomStream | None = vars(state).get(_STREAM)
        if kept is None:
            kept = vars(state)[_STREAM] = self._calls.stream()
        return kept

    def _decide(self, state: RetryCallState) -> Decision:
        retries = state.attempt_number - 1
        # Both are of this object, in case that a call combines two.
        known: tuple[Retries, int, Decision] | None = vars(state).get(_DECISION)
        if known is not None and known[0] is self and known[1] == retries:
            return known[2]
        verdict = self._calls.verdict(None if state.outcome is None else state.outcome.exception())
        # Both times are of time.monotonic().
        elapsed_ns = round((state.seconds_since_start or 0) * 10**9)
        stream = self._stream_of(state)
        decision = decision_after(self._calls.policy, stream, retries, elapsed_ns, verdict)
        vars(state)[_DECISION] = self, retries, decision
        return decision

    def _delay(self, state: RetryCallState) -> float:
        decision = self._decide(state)
        if decision or decision.delay_ns:
            return decision.delay
        # Nothing says that tenacity stops, too.
        return self._calls.policy.delay_ns(self._stream_of(state), state.attempt_number - 1) / 10**9


class _Wait(wait_base):
    def __init__(self, retries: Retries) -> None:
        self._retries = retries

    def __call__(self, retry_state: RetryCallState) -> float:
        return self._retries._delay(retry_state)


class _Stop(stop_base):
    def __init__(self, retries: Retries) -> None:
        self._retries = retries

    def __call__(self, retry_state: RetryCallState) -> bool:
        return not self._retries._decide(retry_state)
