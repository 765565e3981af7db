"""aiohttp: a client middleware. `backoff-rs[aiohttp]` installs it.

retry = RetryMiddleware("full:base=100ms,cap=20s,max_retries=5")
async with aiohttp.ClientSession(middlewares=[retry]) as session: ...
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
from contextvars import ContextVar

import aiohttp

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

    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

    from .._backoff import Policy
    from .._event import RetryEvent

#: Errors that are about the certificate or the address of the server.
_PERMANENT = (
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ServerFingerprintMismatch,
    aiohttp.InvalidURL,
)

#: aiohttp itself sends a request again, once, that ended with one of these. This is the request
#: that is to end, by its timer, and how.
_ENDED: ContextVar[tuple[object, Exception] | None] = ContextVar("ended", default=None)
_REPEATED_BY_AIOHTTP = (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError)


def _verdict_of_error(error: Exception) -> Verdict:
    if isinstance(error, _PERMANENT) or is_about_tls(error):
        return Verdict("permanent")
    if isinstance(error, TimeoutError):
        return Verdict("timeout")
    # Refused, reset, or closed without a response.
    lost = isinstance(error, aiohttp.ClientConnectionError | ConnectionError)
    return Verdict("transient" if lost else "permanent")


def _verdict_of_response(response: ClientResponse) -> Verdict:
    return http_verdict(response.status, response.headers)


class RetryMiddleware:
    """A client middleware that repeats requests as a policy says.

    policy   a Policy or a policy string.
    options  the stream or seed and key, the budget and the hooks of retrying(). key and
             deadline_ns may be functions of the aiohttp.ClientRequest. budget is a budget string,
             of which each origin has a budget of its own (default: "grpc-retry"), a Budget for all,
             or None. attempt_timeout bounds, in seconds, an attempt until the head of the response
             has arrived.

    A request is repeated if its method is idempotent, or if it has an Idempotency-Key;
    `session.get(url, middlewares=())` sends it once. When the retries end, the last response is
    returned with its body unread, or the last error of aiohttp is raised. The session's total
    timeout holds for all attempts and waits together.

    Raises PolicyError, ValueError and TypeError for invalid options, and TypeError for a request
    whose body can be sent only once.
    """

    def __init__(self, policy: Policy | str = "default", **options: Unpack[Options]) -> None:
        self._client = Client(
            policy,
            options,
            on=_verdict_of_error,
            on_result=_verdict_of_response,
            before_wait=self._on_retry,
            awaits=True,
        )

    async def _on_retry(self, event: RetryEvent) -> None:
        if isinstance(event.value, aiohttp.ClientResponse):
            await _drain(event.value)
        if self._client.on_retry is not None:
            result = self._client.on_retry(event)
            if hasattr(result, "__await__"):
                await result

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        timer = getattr(request, "_timer", None)
        ended = _ENDED.get()
        _ENDED.set(None)
        if ended is not None and ended[0] is timer:
            raise ended[1]
        if not may_be_repeated(request.method, request.headers.get("Idempotency-Key")):
            return await handler(request)
        if not _can_be_sent_again(request.body):
            raise TypeError(ONE_SHOT)
        last: ClientResponse | None = None

        async def attempt(request: ClientRequest) -> ClientResponse:
            nonlocal last
            last = None
            last = await self._send(request, handler)
            return last

        try:
            return await self._client.loop(str(request.url.origin())).call(attempt, request)
        except RetryError as error:
            if last is None or error.result is not last:
                raise
            return last
        except BaseException as error:
            if last is not None:
                last.close()
            if isinstance(error, _REPEATED_BY_AIOHTTP):
                # Without the traceback, which holds the request.
                _ENDED.set((timer, copy.copy(error)))
            raise

    async def _send(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        limit = self._client.attempt_timeout
        if limit is None:
            return await handler(request)
        try:
            async with asyncio.timeout(limit) as scope:
                return await handler(request)
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise aiohttp.ServerTimeoutError(f"no response within {limit} s") from error


def _can_be_sent_again(body: Any) -> bool:
    """Whether this body of a request is bytes, or a payload that aiohttp can rewind."""
    if isinstance(body, bytes | tuple):
        return True
    if isinstance(body, aiohttp.payload.IOBasePayload):
        return bool(body._value.seekable())
    if isinstance(body, aiohttp.MultipartWriter):
        return all(_can_be_sent_again(part) for part, _, _ in body._parts)
    return isinstance(body, aiohttp.payload.BytesPayload)


async def _drain(response: ClientResponse) -> None:
    """Reads the rest of a short body, so that the connection can be used again."""
    left = LONGEST_DRAINED
    # A server that ends its body early has failed already.
    with contextlib.suppress(aiohttp.ClientError, TimeoutError):
        if (response.content_length or 0) <= left:
            while left > 0 and (chunk := await response.content.read(left)):
                left -= len(chunk)
    if response.content.at_eof():
        response.release()
    else:
        response.close()
