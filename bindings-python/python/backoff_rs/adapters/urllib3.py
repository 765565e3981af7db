"""urllib3: a Retry. `backoff-rs[urllib3]` installs it. requests takes it, too:
HTTPAdapter(max_retries=Retry(...)).

    http = urllib3.PoolManager(retries=Retry("full:base=100ms,cap=20s,max_retries=5"))
"""

from __future__ import annotations

import sys

import urllib3

from .. import _time
from .._backoff import RandomStream
from .._http import http_verdict
from .._types import Outcome
from .._verdict import Verdict
from ._decisions import (
    checked_policy_of_host,
    checked_stream,
    decision_after,
    warn_if_unlimited,
    with_advice,
)
from ._drain import drain
from ._http_parts import can_go_back, holds_its_bytes, refused_tunnel, status_of_tunnel
from ._tls import is_about_tls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Final, Self, SupportsIndex

    from urllib3.connectionpool import ConnectionPool
    from urllib3.response import BaseHTTPResponse

    from .._backoff import Decision, Policy

#: The statuses of failures that may pass (SPEC 14.4).
_STATUSES: Final = frozenset(
    status
    for status in range(100, 600)
    if Outcome.of_http_status(status) not in {Outcome.SUCCESS, Outcome.PERMANENT}
)

_MAX_DRAIN_S: Final = 1.0


class Retry(urllib3.Retry):
    """A urllib3.Retry that waits and stops as a policy says.

    policy     a Policy or a policy string, without max_elapsed.
    stream     the RandomStream of every request; or
    seed, key  the same as RandomStream(seed, key). Without any of the three, each request has a
               random stream of its own.
    options    those of urllib3.Retry. The statuses that are repeated are those that the core calls
               transient, throttled or timeout; total is None, because the policy has the limit; there
               are at most 10 redirects. backoff_factor, backoff_max and backoff_jitter do nothing.

    A server's retry-after-ms, Retry-After or RateLimit-Reset changes a wait as the policy says,
    within its bounds. In fake_time() nothing waits; its policy and its seed change loops only.

    Raises PolicyError, ValueError and TypeError for invalid arguments.
    """

    @with_advice
    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        stream: RandomStream | None = None,
        seed: SupportsIndex | None = None,
        key: str | bytes | None = None,
        **options: Any,
    ) -> None:
        defaults = {"total": None, "redirect": 10, "status_forcelist": _STATUSES}
        super().__init__(**{**defaults, **options})
        self._given, self._policy = policy, checked_policy_of_host(policy)
        if self._policy.max_elapsed is not None:
            raise ValueError(
                "max_elapsed needs the time at which a request began, which urllib3 does not keep: "
                "use max_retries and a timeout"
            )
        self._stream = checked_stream(stream, seed, key)

    def new(self, **options: Any) -> Self:
        made = super().new(**options)
        made._given, made._policy = self._given, self._policy
        # The first failure of a request draws its stream.
        made._stream = self._stream or RandomStream.from_entropy()
        return made

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """urllib3's method. A certificate that is not valid, a proxy that refuses a tunnel for good,
        and the failure of a request whose body can be sent only once, raise MaxRetryError at once."""
        if (
            error is not None
            and _pool is not None
            and self.total is not False
            and (
                is_about_tls(error, urllib3.exceptions.SSLError)
                or _is_refused_for_good(error)
                or _is_sent_once()
            )
        ):
            raise urllib3.exceptions.MaxRetryError(_pool, url, error) from error
        try:
            made = super().increment(method, url, response, error, _pool, _stacktrace)
        except urllib3.exceptions.MaxRetryError:
            if response is not None and self._raises_after(response):
                drain(response, 0)
            raise
        if response is not None:
            # urllib3 would read the rest of the body, which may be endless. The wait comes on top.
            drain(response, min(_MAX_DRAIN_S, made._decide(made._verdict(response)).delay))
        return made

    def _raises_after(self, response: BaseHTTPResponse) -> bool:
        """Whether urllib3 raises an error in place of the last response, whose body it reads then."""
        is_redirect = response.get_redirect_location()
        return bool(self.raise_on_redirect if is_redirect else self.raise_on_status)

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        """urllib3's method."""
        is_listed = super().is_retry(method, status_code, has_retry_after)
        return is_listed and not _is_sent_once()

    def get_backoff_time(self) -> float:
        """The next wait in seconds, unless the server asks for another."""
        return self._decide(Verdict("transient")).delay

    def is_exhausted(self) -> bool:
        failed = any(request.redirect_location is None for request in self.history)
        return super().is_exhausted() or (failed and not self._decide(Verdict("transient")))

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:
        """Waits before the next attempt."""
        counts = (self.connect, self.read, self.status, self.other)
        if self.total is None and None in counts:
            warn_if_unlimited(self._policy, self._given)
        _wait(self._decide(self._verdict(response)))

    def sleep_for_retry(self, response: BaseHTTPResponse) -> bool:
        """Waits before a redirect, if the server asks for it."""
        verdict = self._verdict(response)
        if verdict.retry_after is None:
            return False
        _wait(self._decide(Verdict("throttled", verdict.retry_after)))
        return True

    def _verdict(self, response: BaseHTTPResponse | None) -> Verdict:
        if response is None:
            return Verdict("transient")
        verdict = http_verdict(response.status, response.headers)
        is_heard = self.respect_retry_after_header
        return verdict if is_heard else Verdict(verdict.outcome)

    def _decide(self, verdict: Verdict) -> Decision:
        failures = sum(request.redirect_location is None for request in self.history)
        stream = self._stream or RandomStream.from_entropy()
        # A status that the caller lists may be permanent to the core.
        is_final = verdict.outcome in {Outcome.SUCCESS, Outcome.PERMANENT}
        outcome = Outcome.TRANSIENT if is_final else verdict.outcome
        retries = max(0, failures - 1)
        return decision_after(
            self._policy, stream, retries, 0, Verdict(outcome, verdict.retry_after)
        )


def _wait(decision: Decision) -> None:
    """Waits as a blocking loop does."""
    _time.current().block(decision.delay_ns)


def _is_refused_for_good(error: Exception) -> bool:
    """Whether a proxy refused a tunnel with a status after which no retry helps, such as 403."""
    status = status_of_tunnel(error)
    return status != "" and refused_tunnel(status).outcome == "permanent"


def _is_sent_once() -> bool:
    """Whether urllib3 is sending a body that it cannot send again: the second time it would be
    empty, and the server would take that for the body. urllib3 tells a Retry only the method."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "urlopen" or "body" not in frame.f_locals:
        if frame.f_back is None:
            return False
        frame = frame.f_back
    body = frame.f_locals["body"]
    # urllib3 goes back to where a file was, if it could tell.
    can_be_rewound = isinstance(frame.f_locals.get("body_pos"), int) and can_go_back(body)
    is_again = body is None or isinstance(body, list | tuple) or holds_its_bytes(body)
    return not (is_again or can_be_rewound)
