"""What only the middleware of aiohttp meets."""

import aiohttp
import pytest
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
