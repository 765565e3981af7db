"""requests: an HTTPAdapter. `backoff-rs[requests]` installs it.

session = requests.Session()
session.mount("https://", RetryAdapter("full:base=100ms,cap=20s,max_retries=5"))
"""

from __future__ import annotations

import contextlib
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import rewind_body

from .._http import http_verdict
from .._retry_error import RetryError
from .._verdict import Verdict
from ._http import LONGEST_DRAINED, ONE_SHOT, Client, Options, may_be_repeated

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
    is_about_certificate = isinstance(error, requests.exceptions.SSLError)
    return Verdict("transient" if lost and not is_about_certificate else "permanent")


def _verdict_of_response(response: requests.Response) -> Verdict:
    return http_verdict(response.status_code, response.headers)


def _may_be_repeated(request: requests.PreparedRequest) -> bool:
    return may_be_repeated(request.method or "", request.headers.get("Idempotency-Key"))


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
        super().__init__(**(adapter or {}))
        self._client = Client(
            policy, _verdict_of_error, _verdict_of_response, self._on_retry, False, **options
        )

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

        parts = urlsplit(request.url or "")
        try:
            return self._client.loop(f"{parts.scheme}://{parts.netloc}").call(attempt, request)
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
        if limit is None or isinstance(timeout, urllib3.Timeout):
            return timeout
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
