"""requests: an HTTPAdapter. `backoff-rs[requests]` installs it.

session = requests.Session()
session.mount("https://", RetryAdapter("full:base=100ms,cap=20s,max_retries=5"))
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import rewind_body

from .._backoff import _type_name
from .._http import http_verdict
from .._retry_error import RetryError
from .._verdict import Verdict
from ._http import (
    LONGEST_DRAINED,
    ONE_SHOT,
    Client,
    Options,
    is_about_tls,
    may_be_repeated,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from .._backoff import Policy
    from .._event import RetryEvent


def _verdict_of_error(error: Exception) -> Verdict:
    if isinstance(error, requests.Timeout):
        return Verdict("timeout")
    # Refused, reset, or closed without a response.
    lost = isinstance(error, requests.ConnectionError)
    is_wrong = is_about_tls(error, requests.exceptions.SSLError)
    return Verdict("transient" if lost and not is_wrong else "permanent")


def _verdict_of_response(response: requests.Response) -> Verdict:
    return http_verdict(response.status_code, response.headers)


def _may_be_repeated(request: requests.PreparedRequest) -> bool:
    return may_be_repeated(request.method or "", request.headers.get("Idempotency-Key"))


def _origin(request: requests.PreparedRequest) -> str:
    """Without a name and a password, and with the port."""
    parts = urlsplit(request.url or "")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{parts.hostname}:{port}"


class RetryAdapter(HTTPAdapter):
    """An HTTPAdapter that repeats requests as a policy says.

    policy   a Policy or a policy string.
    adapter  the options of HTTPAdapter, except max_retries.
    options  the stream or seed and key, the budget and the hooks of retrying(). key and
             deadline_ns may be functions of the requests.PreparedRequest. budget is a budget
             string, of which each origin has a budget of its own (default: "grpc-retry"), a Budget
             for all, or None. attempt_timeout bounds, in seconds, the time to connect and each wait
             for a part of the response's head, besides the timeout of the request.

    A request is repeated if its method is idempotent, or if it has an Idempotency-Key. When the
    retries end, the last response is returned, or the last error of requests is raised.

    Raises PolicyError, ValueError and TypeError for invalid options, and TypeError for a request
    whose body can be sent only once.
    """

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        adapter: dict[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> None:
        if not isinstance(adapter, Mapping | None):
            raise TypeError(
                f"adapter must be a dict of options of HTTPAdapter, not {_type_name(adapter)}"
            )
        if adapter is not None and "max_retries" in adapter:
            raise TypeError("adapter has max_retries, but the policy says how often to repeat")
        super().__init__(**(adapter or {}))
        self._made = policy, options
        self._client = Client(
            policy,
            options,
            on=_verdict_of_error,
            on_result=_verdict_of_response,
            before_wait=self._on_retry,
            awaits=False,
        )

    def __getstate__(self) -> dict[str, Any]:
        # requests keeps only its own attributes in a copied or pickled session.
        base: Any = super()
        return {**base.__getstate__(), "_made": self._made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        policy, options = state.pop("_made")
        RetryAdapter.__init__(self, policy, **options)
        base: Any = super()
        base.__setstate__(state)

    def _on_retry(self, event: RetryEvent) -> None:
        if isinstance(event.value, requests.Response):
            _drain(event.value)
        if self._client.on_retry is not None:
            self._client.on_retry(event)

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: bool | str = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> requests.Response:
        """Sends a request, and repeats it."""
        rest = (stream, self._bounded(timeout), verify, cert, proxies)
        if not _may_be_repeated(request):
            return super().send(request, stream, timeout, verify, cert, proxies)
        body: Any = request.body
        begin: Any = getattr(request, "_body_position", None)
        if not (body is None or isinstance(body, str | bytes) or isinstance(begin, int)):
            raise TypeError(ONE_SHOT)
        last: requests.Response | None = None
        begun = False

        def attempt(request: requests.PreparedRequest) -> requests.Response:
            nonlocal last, begun
            last = None
            if begun and isinstance(begin, int):
                rewind_body(request)
            begun = True
            last = super(RetryAdapter, self).send(request, *rest)
            return last

        try:
            return self._client.loop(_origin(request)).call(attempt, request)
        except RetryError as error:
            if last is None or error.result is not last:
                raise
            return last
        except BaseException:
            if last is not None:
                last.close()
            raise

    def _bounded(self, timeout: Any) -> Any:
        limit = self._client.attempt_timeout
        if limit is None:
            return timeout
        if isinstance(timeout, urllib3.Timeout):
            bounded = timeout.clone()
            total = bounded.total
            bounded.total = min(limit, total) if isinstance(total, int | float) else limit
            return bounded
        connect, read = timeout if isinstance(timeout, tuple) else (timeout, timeout)
        return min(limit, connect or limit), min(limit, read or limit)


def _drain(response: requests.Response) -> None:
    """Reads the rest of a short body, so that the connection can be used again."""
    # A server that ends its body early has failed already.
    with contextlib.suppress(urllib3.exceptions.HTTPError, OSError):
        length = response.headers.get("Content-Length", "")
        if not (length.isdecimal() and int(length) > LONGEST_DRAINED):
            response.raw.read(LONGEST_DRAINED + 1, decode_content=False)
    response.close()
