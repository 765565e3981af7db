"""Requests of HTTP adapters at their edges: what says nothing, what never begins, and what is left behind."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import anyio
import httpx
import pytest
from backoff_rs import PolicyError
from backoff_rs.adapters._http_options import HttpRules
from backoff_rs.adapters._http_parts import is_long
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from http_clients import get
from server import OK, Server

POLICY = "immediate:max_retries=2"


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a response, which knows whether it was closed."""

    is_closed = False

    def __iter__(self):
        yield b"busy"

    async def __aiter__(self):
        yield b"busy"

    def close(self):
        self.is_closed = True

    async def aclose(self):
        self.is_closed = True


def sent_once(headers=None, **options):
    """Why a POST that is answered with 503 is sent once."""
    ends = []
    inner = httpx.MockTransport(lambda _request: httpx.Response(503))
    transport = RetryTransport(POLICY, transport=inner, on_stop=ends.append, log=False, **options)
    with httpx.Client(transport=transport) as client:
        client.post("http://host", content=b"text", headers=headers)
    (end,) = ends
    assert end.attempts == (3 if end.sent_once is None else 1)
    return end.sent_once


@pytest.mark.parametrize("name", ["Idempotency-Key", "X-Idempotency-Key"])
@pytest.mark.parametrize(("value", "why"), [("k", None), ("", "method"), (" \t", "method")])
def test_a_key_without_a_value_is_none(name, value, why):
    """The blanks around a value are no part of it."""
    assert sent_once({name: value}) == why


def test_a_may_repeat_that_says_nothing_leaves_it_to_the_method():
    assert sent_once(may_repeat=lambda _request: None) == "method"
    assert sent_once(may_repeat=lambda _request: None, methods=["POST"]) is None


def test_a_request_whose_loop_cannot_begin(kind):
    """Its event has no response, and nothing is sent."""
    ends = []
    options = {"policy": POLICY, "deadline_ns": lambda _request: 2**63, "on_stop": ends.append}
    with Server(OK) as server:
        with pytest.raises(PolicyError, match=f"^deadline_ns {2**63} is more than"):
            kind(**options).fetch(get(server.url))
        assert server.requests == []
    (end,) = ends
    assert (end.reason, end.attempts, end.status, end.value) == ("cancelled", 0, None, None)


@pytest.mark.parametrize("hook", ["on_retry", "on_stop"])
@pytest.mark.parametrize("adapter", [RetryTransport, AsyncRetryTransport])
def test_a_hook_that_raises_closes_the_response(adapter, hook):
    def fail(_event):
        raise LookupError("hook")

    body = Body()
    inner = httpx.MockTransport(lambda _request: httpx.Response(503, stream=body))
    transport = adapter(POLICY, transport=inner, log=False, **{hook: fail})

    async def send_async():
        async with httpx.AsyncClient(transport=transport) as client:
            await client.get("http://host")

    def send():
        with httpx.Client(transport=transport) as client:
            client.get("http://host")

    with pytest.raises(LookupError, match="hook"):
        send() if adapter is RetryTransport else anyio.run(send_async)
    assert body.is_closed


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        # SPEC 19.5: at most 64 KiB.
        ("65536", False),
        ("65537", True),
        ("0", False),
        ("", False),
        (None, False),
        # No Content-Length of HTTP.
        ("-1", False),
        ("99999 bytes", False),
    ],
)
def test_a_body_of_more_than_64_kib_is_long(length, expected):
    assert is_long(length) is expected


def test_the_first_and_the_last_status_have_outcomes():
    rules = HttpRules({"statuses": {100: "transient", 999: "timeout"}}, awaits=False)
    assert rules.statuses == {100: "transient", 999: "timeout"}


@pytest.mark.parametrize(
    "timeout", [timedelta(milliseconds=1500), Decimal("1.5"), Fraction(3, 2), 1.5]
)
def test_an_attempt_timeout_of_each_type(timeout):
    seconds = HttpRules({"attempt_timeout": timeout}, awaits=False).attempt_timeout
    assert (seconds, type(seconds)) == (1.5, float)
