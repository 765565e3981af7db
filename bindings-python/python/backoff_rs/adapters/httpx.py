"""httpx: transports. `backoff-rs[httpx]` installs it.

with httpx.Client(transport=RetryTransport("full:base=100ms,cap=20s,max_retries=5")) as client:
    client.get(url)
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import Any

import anyio
import httpx

from .._backoff import _type_name
from ._http import Client, Library, Request
from ._http_parts import MAX_DRAINED, Failure, checked_switch, is_long, refused_tunnel
from ._tls import behind, is_about_tls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Never, Self, Unpack

    from .._backoff import Policy
    from ._http_options import HttpOptions


def _failure(error: Exception) -> Failure:
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Failure("timeout", never_sent=True)
    if isinstance(error, httpx.TimeoutException):
        return Failure("timeout")
    if is_about_tls(error):
        return Failure("permanent")
    if isinstance(error, httpx.ProxyError):
        # "403 Forbidden", or the text of a SOCKS proxy.
        return refused_tunnel(str(error)[:3])
    # Reset, closed without a response, or no HTTP.
    lost = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
    # httpx calls it an error of the caller if a stream of HTTP/2 is reset while its body is sent.
    lost = lost or any(type(part).__name__ == "StreamClosedError" for part in behind(error))
    return Failure("transient" if lost else "permanent", isinstance(error, httpx.ConnectError))


def _head(response: httpx.Response) -> tuple[int, Mapping[str, str]]:
    return response.status_code, response.headers


def _check_policy(policy: object) -> None:
    if hasattr(policy, "handle_request") or hasattr(policy, "handle_async_request"):
        raise TypeError(f"policy is a transport, {_type_name(policy)}: pass it as transport=")


def _check_transport(transport: object, method: str, other: type) -> None:
    # A class, and one of the other kind, would fail at the first request.
    if isinstance(transport, type):
        raise TypeError(f"transport must be an instance, got the class {transport.__name__}")
    is_other = isinstance(transport, other)
    if transport is not None and (is_other or not callable(getattr(transport, method, None))):
        raise TypeError(f"transport has no {method}(): it is {_type_name(transport)}")


def _request(client: Client, request: httpx.Request) -> tuple[Request, Callable[[], object]]:
    """The request, and what makes its body ready to be sent."""
    switch = request.extensions.get("retry")
    rewind = _rewinder(request)
    made = Request(
        client,
        request,
        str(request.url),
        switch=None if switch is None else checked_switch(switch),
        can_be_sent_again=rewind is not None,
    )
    return made, rewind or (lambda: None)


def _rewinder(request: httpx.Request) -> Callable[[], object] | None:
    """What makes the body ready to be sent again; None if it can be sent only once."""
    stream: Any = request.stream
    if isinstance(stream, httpx.ByteStream):
        return lambda: None
    # A stream of a file, of an iterable, or of the parts of a form.
    if hasattr(stream, "fields"):
        files = [getattr(field, "file", b"") for field in stream.fields]
        # httpx rewinds them.
        are_again = all(isinstance(file, str | bytes) or _is_seekable(file) for file in files)
        return (lambda: None) if are_again else None
    source: Any = getattr(stream, "_stream", None)
    if _is_seekable(source):
        begin = source.tell()
        return lambda: source.seek(begin)
    return (lambda: None) if isinstance(source, list | tuple) else None


def _is_seekable(file: Any) -> bool:
    return bool(getattr(file, "seekable", lambda: False)())


def _timeouts(request: httpx.Request) -> dict[str, float | None]:
    """The timeouts of the request, as its connection sees them."""
    timeouts: dict[str, float | None] = request.extensions.setdefault("timeout", {})
    return timeouts


class RetryTransport(httpx.BaseTransport):
    """A transport that repeats requests as a policy says (SPEC 19).

    policy     a Policy or a policy string.
    transport  what sends the requests; by default an httpx.HTTPTransport.
    options    see HttpOptions. attempt_timeout bounds each step of an attempt: to connect, to send,
               and each wait for a part of the response.

    A request is repeated if its method is one of methods, or if it has an Idempotency-Key, and if
    its body can be sent again. `extensions={"retry": True}` repeats any request, and
    `extensions={"retry": False}` sends it once. When the retries end, the last response is returned
    with its body unread, or the last error of httpx is raised. Closing this transport closes the
    other.

    Raises PolicyError, ValueError and TypeError for invalid options.
    """

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        transport: httpx.BaseTransport | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        _check_policy(policy)
        self._client = Client(
            policy, options, Library(_head, _failure, _drain, httpx.Response.close, awaits=False)
        )
        _check_transport(transport, "handle_request", AsyncRetryTransport)
        self._transport = transport or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        made, rewind = _request(self._client, request)
        rules = self._client.rules
        limit = rules.attempt_timeout or math.inf
        if limit < math.inf:
            timeout = _timeouts(request)
            for step in ("connect", "read", "write", "pool"):
                kept = timeout.get(step)
                timeout[step] = limit if kept is None else min(limit, kept)

        def attempt() -> httpx.Response:
            end = time.monotonic() + limit
            rewind()
            response = self._transport.handle_request(request)
            if rules.read_body:
                made.reads(response)
                _read(response, request, end)
            return response

        response: httpx.Response = made.run(attempt)
        return response

    def __enter__(self) -> Self:
        self._transport.__enter__()
        return self

    def __exit__(self, *exception: Any, **named: Any) -> None:
        self._transport.__exit__(*exception, **named)

    def close(self) -> None:
        self._transport.close()

    def handle_async_request(self, *_: object) -> Never:
        """Says that an httpx.AsyncClient needs the other transport."""
        wanted = "pass it an AsyncRetryTransport"
        raise TypeError(f"RetryTransport is no transport of httpx.AsyncClient: {wanted}")

    def aclose(self) -> Never:
        self.handle_async_request()

    __aenter__ = handle_async_request


def _read(response: httpx.Response, request: httpx.Request, end: float) -> None:
    """Reads the body into memory, until this time."""
    stream: Any = response.stream
    chunks = []
    try:
        for chunk in stream:
            chunks.append(chunk)
            if time.monotonic() > end:
                raise httpx.ReadTimeout("no whole body in time", request=request)
    finally:
        stream.close()
    response.stream = httpx.ByteStream(b"".join(chunks))


def _drain(request: httpx.Request, response: httpx.Response, seconds: float) -> None:
    """Reads the rest of a short body, so that the connection can be used again."""
    stream: Any = response.stream
    timeout = _timeouts(request)
    kept = timeout.get("read")
    # No read begins after half of the wait, or takes longer than the other half.
    end = time.monotonic() + seconds / 2
    timeout["read"] = min(seconds / 2, kept or math.inf)
    left = MAX_DRAINED
    # A server that ends its body early has failed already.
    with contextlib.suppress(httpx.TransportError):
        try:
            if not is_long(response.headers.get("Content-Length")):
                for chunk in stream:
                    left -= len(chunk)
                    if left < 0 or time.monotonic() > end:
                        break
        finally:
            timeout["read"] = kept
            stream.close()


class AsyncRetryTransport(httpx.AsyncBaseTransport):
    """The same for httpx.AsyncClient, on asyncio and trio: by default over an
    httpx.AsyncHTTPTransport. attempt_timeout is exact: it bounds a whole attempt. Hooks may be
    coroutine functions.
    """

    def __init__(
        self,
        policy: Policy | str = "default",
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        _check_policy(policy)
        self._client = Client(
            policy, options, Library(_head, _failure, _drain_async, _close_async, awaits=True)
        )
        _check_transport(transport, "handle_async_request", RetryTransport)
        self._transport = transport or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        made, rewind = _request(self._client, request)
        rules = self._client.rules

        async def attempt() -> httpx.Response:
            rewind()
            with anyio.move_on_after(rules.attempt_timeout):
                response = await self._transport.handle_async_request(request)
                if rules.read_body:
                    made.reads(response)
                    await _read_async(response)
                return response
            limit = f"no response within {rules.attempt_timeout} s"
            raise httpx.ReadTimeout(limit, request=request)

        response: httpx.Response = await made.run_async(attempt)
        return response

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(self, *exception: Any, **named: Any) -> None:
        await self._transport.__aexit__(*exception, **named)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def handle_request(self, *_: object) -> Never:
        """Says that an httpx.Client needs the other transport."""
        wanted = "pass it a RetryTransport"
        raise TypeError(f"AsyncRetryTransport is no transport of httpx.Client: {wanted}")

    def close(self) -> Never:
        self.handle_request()

    __enter__ = handle_request


async def _close_async(response: httpx.Response) -> None:
    stream: Any = response.stream
    with anyio.CancelScope(shield=True):
        await stream.aclose()


async def _read_async(response: httpx.Response) -> None:
    stream: Any = response.stream
    try:
        chunks = [chunk async for chunk in stream]
    finally:
        await _close_async(response)
    response.stream = httpx.ByteStream(b"".join(chunks))


@contextlib.asynccontextmanager
async def _closing(chunks: AsyncIterator[bytes]) -> AsyncIterator[AsyncIterator[bytes]]:
    """Closes an iterator at the end, if it can be closed. Generators can."""
    try:
        yield chunks
    finally:
        if hasattr(chunks, "aclose"):
            await chunks.aclose()


async def _drain_async(_request: object, response: httpx.Response, seconds: float) -> None:
    stream: Any = response.stream
    left = MAX_DRAINED
    with contextlib.suppress(httpx.TransportError):
        try:
            if not is_long(response.headers.get("Content-Length")):
                with anyio.move_on_after(seconds):
                    async with _closing(aiter(stream)) as chunks:
                        async for chunk in chunks:
                            left -= len(chunk)
                            if left < 0:
                                break
        finally:
            await _close_async(response)
