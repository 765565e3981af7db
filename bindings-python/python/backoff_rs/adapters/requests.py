"""requests: an HTTPAdapter. `backoff-rs[requests]` installs it.

session = requests.Session()
session.mount("https://", RetryAdapter("full:base=100ms,cap=20s,max_retries=5"))
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Mapping

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import rewind_body

from .._backoff import _type_name
from ._drain import drain
from ._http import Client, Library, Request
from ._http_parts import (
    MAX_DRAINED,
    Failure,
    can_go_back,
    holds_its_bytes,
    refused_tunnel,
    status_of_tunnel,
    switch,
    switched,
)
from ._tls import behind, is_about_tls, is_of_a_handshake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Unpack

    from .._backoff import Policy
    from ._http_options import HttpOptions

__all__ = ["RetryAdapter", "switch"]

_OF_HTTP_ADAPTER: Final = {"pool_connections", "pool_maxsize", "pool_block"}


def _failure(error: Exception) -> Failure:
    if isinstance(error, requests.ConnectTimeout):
        return Failure("timeout", never_sent=True)
    parts = list(behind(error))
    late = requests.Timeout | urllib3.exceptions.ReadTimeoutError
    if any(isinstance(part, late) for part in parts):
        return Failure("timeout")
    if is_about_tls(error, requests.exceptions.SSLError):
        return Failure("permanent")
    if status := status_of_tunnel(error):
        return refused_tunnel(status)
    # Reset, closed without a response, or no HTTP.
    lost = isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError)
    # A field of the response. requests has an error of the same name for a field of the request.
    lost = lost or any(isinstance(part, urllib3.exceptions.InvalidHeader) for part in parts)
    refused = any(isinstance(part, urllib3.exceptions.NewConnectionError) for part in parts)
    return Failure("transient" if lost else "permanent", refused or is_of_a_handshake(error))


def _head(response: requests.Response) -> tuple[int, Mapping[str, str]]:
    return response.status_code, response.headers


def _can_be_sent_again(request: requests.PreparedRequest) -> bool:
    body: Any = request.body
    is_file = isinstance(_begin(request), int) and can_go_back(body)
    return body is None or holds_its_bytes(body) or is_file


def _begin(request: requests.PreparedRequest) -> Any:
    """Where the body begins, if it is a file; something else if it cannot be sent again."""
    return getattr(request, "_body_position", None)


class RetryAdapter(HTTPAdapter):
    """An HTTPAdapter that repeats requests as a policy says (SPEC 19).

    policy   a Policy or a policy string.
    adapter  the options of HTTPAdapter, except max_retries.
    options  see HttpOptions. attempt_timeout bounds, in seconds, the time to connect and each wait
             for a part of the response, besides the timeout of the request.

    A request is repeated if its method is one of methods, or if it has an Idempotency-Key, and if
    its body can be sent again. `with switch(retry=True):` repeats any request, and
    `with switch(retry=False):` sends it once. When the retries end, the last response is returned,
    or the last error of requests is raised.

    Raises PolicyError, ValueError and TypeError for invalid options.
    """

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        adapter: dict[str, Any] | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        if not isinstance(adapter, Mapping | None):
            raise TypeError(
                f"adapter must be a dict of options of HTTPAdapter, not {_type_name(adapter)}"
            )
        if adapter is not None and "max_retries" in adapter:
            advice = 'write RetryAdapter("default:max_retries=5")'
            raise TypeError(f"adapter has max_retries, which is part of the policy: {advice}")
        if theirs := sorted(_OF_HTTP_ADAPTER & options.keys()):
            advice = f'write adapter={{"{theirs[0]}": ...}}'
            raise TypeError(f"{theirs[0]} is an option of HTTPAdapter: {advice}")
        super().__init__(**(adapter or {}))
        self._made = policy, options
        self._client = Client(
            policy, options, Library(_head, _failure, _drain, requests.Response.close, awaits=False)
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
        made = Request(
            self._client,
            request,
            request.url or "",
            switch=switched(),
            can_be_sent_again=_can_be_sent_again(request),
        )
        rules = self._client.rules
        begun = False

        def attempt() -> requests.Response:
            nonlocal begun
            end = time.monotonic() + (rules.attempt_timeout or math.inf)
            if begun and isinstance(_begin(request), int):
                rewind_body(request)
            begun = True
            response = super(RetryAdapter, self).send(request, *rest)
            if rules.read_body:
                made.reads(response)
                _read(response, end)
            return response

        response: requests.Response = made.run(attempt)
        return response

    def _bounded(self, timeout: Any) -> Any:
        limit = self._client.rules.attempt_timeout
        if limit is None:
            return timeout
        if isinstance(timeout, urllib3.Timeout):
            bounded = timeout.clone()
            total = bounded.total
            bounded.total = min(limit, total) if isinstance(total, int | float) else limit
            return bounded
        try:
            connect, read = timeout if isinstance(timeout, tuple) else (timeout, timeout)
            return _shorter(limit, connect), _shorter(limit, read)
        except (TypeError, ValueError):
            # requests says what is wrong with it.
            return timeout


def _shorter(limit: float, timeout: Any) -> Any:
    """The limit, or the timeout of a step that ends before it."""
    if timeout is None:
        return limit
    if isinstance(timeout, bool) or timeout <= 0:
        raise ValueError("no timeout of requests")
    return min(limit, timeout)


class _Body(io.BytesIO):
    """A body in memory. urllib3 asks whether it has ended, as it asks http.client."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self._length = len(body)

    def isclosed(self) -> bool:
        return self.closed or self.tell() >= self._length


def _read(response: requests.Response, end: float) -> None:
    """Reads the body into memory, until this time. A function that reads raw, or the body in parts, finds
    it there as it was sent."""
    body, chunks = response.raw, []
    try:
        while chunk := body.read1(MAX_DRAINED, decode_content=False):
            chunks.append(chunk)
            if time.monotonic() > end:
                raise requests.ReadTimeout("no whole body in time", response=response)
    # As Response.iter_content() does.
    except urllib3.exceptions.ProtocolError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from error
    except urllib3.exceptions.SSLError as error:
        raise requests.exceptions.SSLError(error) from error
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.ConnectionError(error) from error
    finally:
        response.close()
    response.raw = urllib3.HTTPResponse(
        _Body(b"".join(chunks)),
        body.headers,
        status=body.status,
        version=body.version,
        version_string=body.version_string,
        reason=body.reason,
        preload_content=False,
        decode_content=body.decode_content,
        # Of which requests takes the cookies.
        original_response=body._original_response,
        msg=body.msg,
        retries=body.retries,
        request_method=response.request.method,
        request_url=body.url,
    )


def _drain(_request: object, response: requests.Response, seconds: float) -> None:
    read: Any = response
    # urllib3 refuses to read on after it has decoded a part for a function of the caller.
    if not read._content_consumed:
        drain(response.raw, seconds)
    response.close()
