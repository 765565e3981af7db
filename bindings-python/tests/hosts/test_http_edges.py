"""Requests of HTTP adapters at their edges: what says nothing, what never begins, and what is left behind."""

import gc
import io
import time
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import aiohttp
import anyio
import httpx
import pytest
import requests
from backoff_rs import PolicyError, RetryError, retrying
from backoff_rs.adapters import httpx as httpx_adapter
from backoff_rs.adapters import requests as requests_adapter
from backoff_rs.adapters._http_options import HttpRules
from backoff_rs.adapters._http_parts import can_go_back, is_long, switched
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from backoff_rs.adapters.requests import switch
from http_clients import Aiohttp, Requests, get
from server import OK, Server, response

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
        ("0" * 4300 + "65536", False),
        ("0" * 4300 + "65537", True),
        ("9" * 4301, True),
        (None, False),
        ("000065536", False),
        # More digits than int() takes.
        ("9" * 5000, True),
        # No Content-Length of HTTP.
        ("-1", False),
        ("99999 bytes", False),
    ],
)
def test_a_body_of_more_than_64_kib_is_long(length, expected):
    assert is_long(length) is expected


def test_a_closed_file_cannot_go_back():
    """The client says that it is closed."""
    file = io.BytesIO(b"text")
    assert can_go_back(file)
    file.close()
    assert not can_go_back(file)


def test_the_first_and_the_last_status_have_outcomes():
    rules = HttpRules({"statuses": {100: "transient", 999: "timeout"}}, awaits=False)
    assert rules.statuses == {100: "transient", 999: "timeout"}


def test_the_client_says_what_is_wrong_with_a_url(kind):
    """The error is that of the client without the adapter, also if the URL came from a server."""
    ends = []
    there = "http://me:secret@host.invalid:99999/a"
    expected = {Requests: requests.exceptions.InvalidURL, Aiohttp: aiohttp.InvalidURL}
    with Server(response(302, f"Location: {there}?token=secret\r\n")) as server:
        with pytest.raises(expected.get(kind, httpx.ConnectError)):
            kind(policy=POLICY, on_stop=ends.append).fetch(get(server.url))
        assert len(server.requests) == 1
    # The client of aiohttp refuses it before the adapter sees it.
    urls = [server.url] if kind is Aiohttp else [server.url, "http://host.invalid:99999/a"]
    assert [end.url for end in ends] == urls


@pytest.mark.parametrize(
    "timeout", [timedelta(milliseconds=1500), Decimal("1.5"), Fraction(3, 2), 1.5]
)
def test_an_attempt_timeout_of_each_type(timeout):
    seconds = HttpRules({"attempt_timeout": timeout}, awaits=False).attempt_timeout
    assert (seconds, type(seconds)) == (1.5, float)


def test_a_switch_ends_with_its_statement():
    with switch(retry=True):
        assert switched() is True
        with pytest.raises(LookupError), switch(retry=False):
            raise LookupError
        assert switched() is True
    assert switched() is None


def test_a_body_that_arrives_slowly_is_drained(kind):
    """The wait is long enough, and the connection is used again."""

    def slow(connection):
        connection.sendall(b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\n")
        time.sleep(0.2)
        connection.sendall(b"busy")
        assert connection.recv(65536).startswith(b"GET")
        connection.sendall(OK)

    client = kind(policy="constant:base=60s,max_retries=1")
    with Server(slow, OK) as server:
        assert client.fetch(get(server.url)) == [(200, "ready")]
        assert server.accepted == 1


# httpx leaves a generator, on trio.
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
@pytest.mark.parametrize("read_body", [False, True])
def test_a_body_that_cannot_be_decoded_is_not_repeated(kind, read_body):
    """It did not end early: the next would be the same."""
    error = {
        Requests: requests.exceptions.ContentDecodingError,
        Aiohttp: aiohttp.ClientPayloadError,
    }.get(kind, httpx.DecodingError)
    client = kind(policy=POLICY, read_body=read_body)
    with Server(response(200, "Content-Encoding: gzip\r\n", "busy"), OK) as server:
        with pytest.raises(error):
            client.fetch(get(server.url))
        assert len(server.requests) == 1
    gc.collect()


def test_the_error_of_a_loop_within_the_client_is_raised():
    """That loop had no response, as little as this one."""

    def lose(_request):
        raise OSError("lost")

    def give_up(request):
        retrying("off", on=OSError, reraise=False, log=False).call(lose, request)

    transport = RetryTransport(POLICY, transport=httpx.MockTransport(give_up), log=False)
    with httpx.Client(transport=transport) as client, pytest.raises(RetryError, match="lost"):
        client.get("http://host")


class Once(io.BytesIO):
    """A file that cannot go back."""

    def seekable(self):
        return False


@pytest.mark.parametrize(("file", "why"), [(io.BytesIO(b"file"), None), (Once(b"file"), "body")])
def test_a_form_with_a_file_that_cannot_go_back_is_sent_once(file, why):
    ends = []
    inner = httpx.MockTransport(lambda request: httpx.Response(503 if request.read() else 400))
    transport = RetryTransport(POLICY, transport=inner, on_stop=ends.append, log=False)
    with httpx.Client(transport=transport) as client:
        client.put("http://host", files={"file": file}, data={"name": "value"})
    assert [end.sent_once for end in ends] == [why]


@pytest.mark.parametrize("adapter", [RetryTransport, AsyncRetryTransport])
def test_a_body_that_was_read_is_closed(adapter):
    body = Body()
    inner = httpx.MockTransport(lambda _request: httpx.Response(200, stream=body))
    transport = adapter(POLICY, transport=inner, read_body=True)

    async def send_async():
        async with httpx.AsyncClient(transport=transport) as client:
            return (await client.get("http://host")).text

    def send():
        with httpx.Client(transport=transport) as client:
            return client.get("http://host").text

    assert (send() if adapter is RetryTransport else anyio.run(send_async)) == "busy"
    assert body.is_closed


@pytest.mark.parametrize(("timeout", "while_draining"), [(5, 5), (50, 30), (None, 30)])
def test_httpx_drains_with_timeouts_of_half_the_wait(timeout, while_draining):
    """The caller's own timeout holds if it is shorter, and for the next attempt."""
    reads, waits = [], []

    class Answer(Body):
        def __iter__(self):
            reads.append(request.extensions["timeout"]["read"])
            yield b"busy"

    def answer(sent):
        reads.append(sent.extensions["timeout"]["read"])
        return httpx.Response(503 if len(reads) == 1 else 204, stream=Answer())

    transport = RetryTransport(
        "constant:base=60s,max_retries=1",
        transport=httpx.MockTransport(answer),
        sleep=waits.append,
        log=False,
    )
    request = httpx.Request("GET", "http://host", extensions={"timeout": {"read": timeout}})
    transport.handle_request(request)
    assert reads == [timeout, while_draining, timeout]
    assert 0 < waits[0] <= 60


@pytest.mark.parametrize(
    ("adapter", "error", "never_sent"),
    [
        (httpx_adapter, httpx.ConnectTimeout(""), True),
        (httpx_adapter, httpx.PoolTimeout(""), True),
        (httpx_adapter, httpx.ReadTimeout(""), False),
        (requests_adapter, requests.ConnectTimeout(), True),
        (requests_adapter, requests.ReadTimeout(), False),
    ],
)
def test_a_timeout_before_there_is_a_connection_sends_nothing(adapter, error, never_sent):
    assert adapter._failure(error) == ("timeout", never_sent)
