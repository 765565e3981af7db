"""aiohttp: a client middleware. `backoff-rs[aiohttp]` installs it.

retry = RetryMiddleware("full:base=100ms,cap=20s,max_retries=5")
async with aiohttp.ClientSession(middlewares=[retry]) as session: ...
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from contextvars import ContextVar
from typing import NamedTuple

import aiohttp
from aiohttp import ClientResponse

from ._http import Client, Library, Request
from ._http_parts import MAX_DRAINED, Failure, is_long, refused_tunnel, switch, switched
from ._tls import is_about_tls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from aiohttp import ClientHandlerType, ClientRequest

    from .._backoff import Policy
    from ._http_options import HttpOptions

__all__ = ["RetryMiddleware", "switch"]

#: Errors that are about the certificate or the address of the server.
_PERMANENT = (
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ServerFingerprintMismatch,
    aiohttp.InvalidURL,
)

_LOST = aiohttp.ClientConnectionError | aiohttp.ClientPayloadError

#: aiohttp itself sends a request again, once, that ended with one of these.
_REPEATED_BY_AIOHTTP = (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError)


class _Ended(NamedTuple):
    """A request that is to end, and how."""

    timer: object
    request: weakref.ref[ClientRequest]
    error: Exception

    def is_repeated_by(self, request: ClientRequest) -> bool:
        """Whether aiohttp itself repeats it: by a new request with the same timer. Another middleware
        that calls its handler again passes the same request."""
        return self.request() is not request


_ENDED: ContextVar[_Ended | None] = ContextVar("ended", default=None)


def _without_traceback(error: Exception) -> Exception:
    """The error without its traceback, which holds the request. Its class is not called: it may take
    other arguments than it keeps."""
    kind: type[Exception] = OSError if isinstance(error, OSError) else Exception
    made = kind.__new__(type(error))
    vars(made).update(vars(error))
    made.args = error.args
    # OSError keeps these outside of its dict. Setting one to None would change its text.
    for name in ("errno", "strerror", "filename", "filename2") if kind is OSError else ():
        if (value := getattr(error, name)) is not None:
            setattr(made, name, value)
    return made


class _TotalTimeout(asyncio.CancelledError):
    """Cancels the loop of a request whose total timeout has ended, and holds what the client raised.
    aiohttp cancels its task then, but turns that into a TimeoutError where it waits for a response."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _has_met_total(request: ClientRequest) -> bool:
    """Whether the total timeout of a request has ended, which its timer knows."""
    timer = getattr(request, "_timer", None)
    try:
        if timer is not None:
            timer.assert_timeout()
    except TimeoutError:
        return True
    return False


def _failure(error: Exception) -> Failure:
    if isinstance(error, _PERMANENT) or is_about_tls(error):
        return Failure("permanent")
    if isinstance(error.__cause__, aiohttp.http_exceptions.ContentEncodingError):
        # The body is complete, and it cannot be decoded.
        return Failure("permanent")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return refused_tunnel(error.status)
    if isinstance(error, TimeoutError):
        return Failure("timeout", isinstance(error, aiohttp.ConnectionTimeoutError))
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure("transient", never_sent=True)
    # Reset, closed without a response or within a body, or no HTTP.
    lost = isinstance(error, _LOST | ConnectionError) or isinstance(
        error.__cause__, aiohttp.http_exceptions.HttpProcessingError
    )
    return Failure("transient" if lost else "permanent")


def _head(response: ClientResponse) -> tuple[int, Mapping[str, str]]:
    return response.status, response.headers


class RetryMiddleware:
    """A client middleware that repeats requests as a policy says (SPEC 19).

    policy   a Policy or a policy string.
    options  see HttpOptions. attempt_timeout bounds, in seconds, a whole attempt.

    A request is repeated if its method is one of methods, or if it has an Idempotency-Key, and if
    its body can be sent again. `with switch(retry=True):` repeats any request, and
    `with switch(retry=False):` sends it once. When the retries end, the last response is returned
    with its body unread, or the last error of aiohttp is raised. The session's total timeout holds
    for all attempts and waits together.

    Raises PolicyError, ValueError and TypeError for invalid options.
    """

    def __init__(self, policy: Policy | str = "default", **options: Unpack[HttpOptions]) -> None:
        self._client = Client(
            policy, options, Library(_head, _failure, _drain, ClientResponse.close, awaits=True)
        )

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        timer = getattr(request, "_timer", None)
        ended = _ENDED.get()
        if ended is not None and ended.timer is timer is not None:
            if ended.is_repeated_by(request):
                raise _without_traceback(ended.error)
            _ENDED.set(None)
        made = Request(
            self._client,
            request,
            str(request.url),
            switch=switched(),
            can_be_sent_again=_can_be_sent_again(request.body),
        )
        try:
            return await self._run(made, request, handler)
        except _REPEATED_BY_AIOHTTP as error:
            _ENDED.set(_Ended(timer, weakref.ref(request), _without_traceback(error)))
            raise

    async def _run(
        self, made: Request, request: ClientRequest, handler: ClientHandlerType
    ) -> ClientResponse:
        try:
            return await made.run_async(lambda: self._send(made, request, handler))  # type: ignore[no-any-return]
        except _TotalTimeout as ended:
            error = ended.error
        try:
            # Outside of the handler: it is not the context of this error.
            raise error
        finally:
            del error

    async def _send(
        self, made: Request, request: ClientRequest, handler: ClientHandlerType
    ) -> ClientResponse:
        rules = self._client.rules
        try:
            async with asyncio.timeout(rules.attempt_timeout) as scope:
                response = await handler(request)
                if rules.read_body:
                    made.reads(response)
                    await response.read()
                return response
        except Exception as error:
            if _has_met_total(request):
                raise _TotalTimeout(error) from None
            if isinstance(error, TimeoutError) and scope.expired():
                limit = f"no response within {rules.attempt_timeout} s"
                raise aiohttp.ServerTimeoutError(limit) from error
            raise


def _can_be_sent_again(body: Any) -> bool:
    """Whether this body of a request is bytes, or a payload that aiohttp can rewind."""
    if isinstance(body, bytes | tuple):
        return True
    if isinstance(body, aiohttp.payload.IOBasePayload):
        return bool(body._value.seekable())
    if isinstance(body, aiohttp.MultipartWriter):
        return all(_can_be_sent_again(part) for part, _, _ in body._parts)
    return isinstance(body, aiohttp.payload.BytesPayload)


async def _drain(request: ClientRequest, response: ClientResponse, seconds: float) -> None:
    """Reads the rest of a short body, so that the connection can be used again."""
    left = MAX_DRAINED
    # A server that ends its body early has failed already.
    with contextlib.suppress(aiohttp.ClientError, TimeoutError):
        if not is_long(response.headers.get("Content-Length")):
            async with asyncio.timeout(seconds):
                while left > 0 and (chunk := await response.content.read(left)):
                    left -= len(chunk)
    if response.content.at_eof():
        response.release()
    else:
        response.close()
    if _has_met_total(request):
        raise _TotalTimeout(TimeoutError())
