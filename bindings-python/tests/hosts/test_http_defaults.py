"""The default budget: short failures pass unnoticed, and a dead server is spared (SPEC 19.8)."""

from collections import Counter

import pytest
from server import BUSY, OK, Server

#: That of most examples, but quick.
POLICY = "full:base=1ms,cap=20ms,max_retries=5"


class Paths(Server):
    """Fails the first requests of each path: as many as the path says, /down always."""

    def __init__(self):
        super().__init__()
        self.seen = Counter()

    def _answer(self, connection, stream):
        while request := self._read(stream):
            path = request[1]
            with self._lock:
                self.seen[path] += 1
                failures = int(path.split("-")[1]) if "-" in path else 10**9
                reply = BUSY if self.seen[path] <= failures else OK
            connection.sendall(reply)


@pytest.fixture
def server():
    with Paths() as server:
        yield server


def fetch(kind, server, paths, *, at_once=False):
    """The statuses of requests of one client, whose clock stands still: nothing recovers."""
    client = kind(policy=POLICY, clock_ns=lambda: 0)
    asked = [("GET", f"{server.url}{path}", {}) for path in paths]
    return [status for status, _ in client.fetch(*asked, at_once=at_once)]


def test_100_concurrent_requests_that_fail_once(kind, server):
    paths = [f"{number}-1" for number in range(100)]
    assert fetch(kind, server, paths, at_once=True) == [200] * 100


def test_a_dead_server_gets_a_fifth_more(kind, server):
    """Beside the reserve: 10 retries a second for 10 s."""
    assert fetch(kind, server, ["down"] * 300) == [503] * 300
    assert 300 < server.seen["/down"] <= 300 * 1.2 + 100
