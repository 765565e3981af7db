"""What only the middleware of aiohttp meets."""

import asyncio

import aiohttp
import pytest
from backoff_rs.adapters.aiohttp import RetryMiddleware
from http_clients import Aiohttp, get
from server import Server

HALF = b"Content-Length: 4\r\n\r\nbu"
UNENDING = {
    "head": ({}, b"HTTP/1.1 200 "),
    "head, attempt_timeout": ({"attempt_timeout": 60}, b"HTTP/1.1 200 "),
    "body": ({"read_body": True}, b"HTTP/1.1 200 OK\r\n" + HALF),
    "body of a failure": ({"read_body": True}, b"HTTP/1.1 503 Busy\r\n" + HALF),
    "body that is drained": ({}, b"HTTP/1.1 503 Busy\r\n" + HALF),
}


@pytest.mark.parametrize(("options", "head"), UNENDING.values(), ids=UNENDING)
def test_the_total_timeout_ends_the_loop(options, head):
    """Nothing is waited or sent after it, and the error is that of aiohttp without a middleware."""
    ends = []
    policy = "constant:base=1h,max_retries=3"
    client = Aiohttp(policy=policy, budget=None, on_stop=ends.append, **options)

    def begin(connection):
        connection.sendall(head)
        server.hang(connection)

    with Server(begin) as server:
        with pytest.raises(TimeoutError) as raised:
            client.fetch(get(server.url, timeout=aiohttp.ClientTimeout(total=0.5)))
        # On a slow machine it may see none.
        assert len(server.requests) <= 1
        server.wait_until_closed()
    assert type(raised.value) is TimeoutError
    assert client.slept == []
    assert [(end.reason, end.attempts) for end in ends] == [("cancelled", 1)]


class Refused(aiohttp.ClientOSError):
    """An error of another middleware, which cannot be made from its args."""

    made = 0

    def __init__(self, errno, text, *, why):
        super().__init__(errno, f"{text}, {why}")
        self.why = why
        Refused.made += 1


class Gone(aiohttp.ServerDisconnectedError):
    def __init__(self, *, why):
        super().__init__("gone")
        self.why = why


SERVER = aiohttp.client_reqrep.ConnectionKey("host", 80, False, True, None, None, None)
ERRORS = {
    "keyword": lambda: Refused(111, "refused", why="closed"),
    "keyword, no OSError": lambda: Gone(why="closed"),
    "files": lambda: aiohttp.ClientOSError(104, "reset", "a", None, "b"),
    "one argument": lambda: aiohttp.ClientOSError("reset"),
    "no argument": aiohttp.ServerDisconnectedError,
    "connector": lambda: aiohttp.ClientConnectorError(SERVER, OSError(111, "refused")),
    "path": lambda: aiohttp.client_exceptions.UnixClientConnectorError(
        "/none", SERVER, OSError(2, "no file")
    ),
}


@pytest.mark.parametrize("make", ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_error_stays_as_it_is(method, make):
    """aiohttp sends a GET again that failed so. The adapter raises the error once more, and does not
    call its class."""
    error, sent = make(), []
    made = Refused.made

    async def fail(_request, _handler):
        sent.append(method)
        raise error

    async def fetch():
        inside = [RetryMiddleware("off", budget=None, log=False), fail]
        async with aiohttp.ClientSession(middlewares=inside) as session:
            await session.request(method, "http://127.0.0.1:1/")

    with pytest.raises(type(error)) as raised:
        asyncio.run(fetch())
    assert (sent, Refused.made) == ([method], made)
    again = raised.value
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
    if isinstance(error, OSError):
        for name in ("errno", "strerror", "filename", "filename2"):
            assert getattr(again, name) == getattr(error, name)
