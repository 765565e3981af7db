"""httpx: transports. `backoff-rs[httpx]` installs it.

with httpx.Client(transport=RetryTransport("full:base=100ms,cap=20s,max_retries=5")) as client:
    client.get(url)
"""

from __future__ import annotations

import contextlib
from typing import Any

import anyio
import httpx

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
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, Unpack

    from .._backoff import Policy
    from .._event import RetryEvent


def _verdict_of_error(error: Exception) -> Verdict:
    if isinstance(error, httpx.TimeoutException):
        return Verdict("timeout")
    # Refused, reset, or closed without a response.
    lost = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
    return Verdict("transient" if lost and not is_about_tls(error) else "permanent")


def _verdict_of_response(response: httpx.Response) -> Verdict:
    return http_verdict(response.status_code, response.headers)


def _origin(request: httpx.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii')}"


def _check_transport(transport: object, method: str) -> None:
    # One of the other kind would fail at the first request.
    if transport is not None and not callable(getattr(transport, method, None)):
        raise TypeError(f"transport has no {method}(): it is {_type_name(transport)}")


def _is_repeated(request: httpx.Request) -> bool:
    """Whether the request has retries at all."""
    is_on = request.extensions.get("retry", True)
    return bool(is_on) and may_be_repeated(request.method, request.headers.get("Idempotency-Key"))


def _rewinder(request: httpx.Request) -> Callable[[], object]:
    """What makes the body ready to be sent again. Raises TypeError for a stream that can be sent
    only once."""
    stream: Any = request.stream
    if isinstance(stream, httpx.ByteStream):
        return lambda: None
    # A stream of a file, of an iterable, or of the parts of a form.
    if hasattr(stream, "fields"):
        files = [getattr(field, "file", b"") for field in stream.fields]
        # httpx rewinds them.
        if all(isinstance(file, str | bytes) or _is_seekable(file) for file in files):
            return lambda: None
        raise TypeError(ONE_SHOT)
    source: Any = getattr(stream, "_stream", None)
    if _is_seekable(source):
        begin = source.tell()
        return lambda: source.seek(begin)
    if isinstance(source, list | tuple):
        return lambda: None
    raise TypeError(ONE_SHOT)


def _is_seekable(file: Any) -> bool:
    return bool(getattr(file, "seekable", lambda: False)())


def _is_long(response: httpx.Response) -> bool:
    length = response.headers.get("Content-Length", "")
    return length.isdecimal() and int(length) > LONGEST_DRAINED


def _with_timeout(request: httpx.Request, limit: float | None) -> None:
    """Bounds each step of an attempt."""
    if limit is not None:
        timeout = request.extensions.get("timeout", {})
        steps = ("connect", "read", "write", "pool")
        bounded = {step: min(limit, timeout.get(step) or limit) for step in steps}
        request.extensions = {**request.extensions, "timeout": bounded}


class RetryTransport(httpx.BaseTransport):
    """A transport that repeats requests as a policy says.

    policy     a Policy or a policy string.
    transport  what sends the requests; by default an httpx.HTTPTransport.
    options    the stream or seed and key, the budget and the hooks of retrying(). key and
               deadline_ns may be functions of the httpx.Request. budget is a budget string, of
               which each origin has a budget of its own (default: "grpc-retry"), a Budget for all,
               or None. attempt_timeout bounds, in seconds, each step of an attempt: to connect, to
               send, and each wait for a part of the response's head.

    A request is repeated if its method is idempotent, or if it has an Idempotency-Key;
    `extensions={"retry": False}` sends it once. When the retries end, the last response is
    returned with its body unread, or the last error of httpx is raised. Closing this transport
    closes the other.

    Raises PolicyError, ValueError and TypeError for invalid options, and TypeError for a request
    whose body can be sent only once.
    """

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        transport: httpx.BaseTransport | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._client = Client(
            policy,
            options,
            on=_verdict_of_error,
            on_result=_verdict_of_response,
            before_wait=self._on_retry,
            awaits=False,
        )
        _check_transport(transport, "handle_request")
        self._transport = transport or httpx.HTTPTransport()

    def _on_retry(self, event: RetryEvent) -> None:
        if isinstance(event.value, httpx.Response):
            _drain(event.value)
        if self._client.on_retry is not None:
            self._client.on_retry(event)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not _is_repeated(request):
            return self._transport.handle_request(request)
        rewind = _rewinder(request)
        _with_timeout(request, self._client.attempt_timeout)
        last: httpx.Response | None = None

        def attempt(request: httpx.Request) -> httpx.Response:
            nonlocal last
            last = None
            rewind()
            last = self._transport.handle_request(request)
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

    def __enter__(self) -> Self:
        self._transport.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self._transport.__exit__(exc_type, exc_value, traceback)

    def close(self) -> None:
        self._transport.close()


def _drain(response: httpx.Response) -> None:
    """Reads the rest of a short body, so that the connection can be used again."""
    stream: Any = response.stream
    # A server that ends its body early has failed already.
    with contextlib.suppress(httpx.TransportError):
        try:
            left = LONGEST_DRAINED
            if not _is_long(response):
                for chunk in stream:
                    left -= len(chunk)
                    if left < 0:
                        break
        finally:
            stream.close()


class AsyncRetryTransport(httpx.AsyncBaseTransport):
    """The same for httpx.AsyncClient, on asyncio and trio: by default over an
    httpx.AsyncHTTPTransport. attempt_timeout is exact: it bounds an attempt until the head of the
    response has arrived. Hooks may be coroutine functions.
    """

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._client = Client(
            policy,
            options,
            on=_verdict_of_error,
            on_result=_verdict_of_response,
            before_wait=self._on_retry,
            awaits=True,
        )
        _check_transport(transport, "handle_async_request")
        self._transport = transport or httpx.AsyncHTTPTransport()

    async def _on_retry(self, event: RetryEvent) -> None:
        if isinstance(event.value, httpx.Response):
            await _drain_async(event.value)
        if self._client.on_retry is not None:
            result = self._client.on_retry(event)
            if hasattr(result, "__await__"):
                await result

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not _is_repeated(request):
            return await self._transport.handle_async_request(request)
        rewind = _rewinder(request)
        last: httpx.Response | None = None

        async def attempt(request: httpx.Request) -> httpx.Response:
            nonlocal last
            last = None
            rewind()
            last = await self._send(request)
            return last

        try:
            return await self._client.loop(_origin(request)).call(attempt, request)
        except RetryError as error:
            if last is None or error.result is not last:
                raise
            return last
        except BaseException:
            if last is not None:
                with anyio.CancelScope(shield=True):
                    await last.aclose()
            raise

    async def _send(self, request: httpx.Request) -> httpx.Response:
        limit = self._client.attempt_timeout
        if limit is None:
            return await self._transport.handle_async_request(request)
        with anyio.move_on_after(limit):
            return await self._transport.handle_async_request(request)
        raise httpx.ReadTimeout(f"no response within {limit} s", request=request)

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self._transport.__aexit__(exc_type, exc_value, traceback)

    async def aclose(self) -> None:
        await self._transport.aclose()


async def _drain_async(response: httpx.Response) -> None:
    stream: Any = response.stream
    with contextlib.suppress(httpx.TransportError):
        try:
            left = LONGEST_DRAINED
            if not _is_long(response):
                async with contextlib.aclosing(aiter(stream)) as chunks:
                    async for chunk in chunks:
                        left -= len(chunk)
                        if left < 0:
                            break
        finally:
            await stream.aclose()
