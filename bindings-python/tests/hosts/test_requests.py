"""What only the adapter of requests meets: bodies and timeouts of requests."""

import mmap

import pytest
from http_clients import Aiohttp, Httpx, Requests
from once import ONCE
from server import BUSY, OK, Server

POLICY = "immediate:max_retries=2"


def mapped():
    """requests reads it as a file, and does not go back."""
    made = mmap.mmap(-1, 4)
    made[:] = b"once"
    return made


@pytest.mark.parametrize("once", [*ONCE.values(), mapped], ids=[*ONCE, "mmap"])
def test_a_body_that_can_be_sent_only_once_is_sent_once(once):
    ends = []
    with once() as body, Server(BUSY, OK) as server:
        asked = ("PUT", server.url, {"content": body})
        assert Requests(policy=POLICY, on_stop=ends.append).fetch(asked) == [(503, "busy")]
        assert [sent for _, _, _, sent in server.requests] == [b"once"]
    assert [end.sent_once for end in ends] == ["body"]


# httpx itself sends no pipe.
@pytest.mark.parametrize(
    ("kind", "name"), [(Httpx, "counting"), (Aiohttp, "pipe"), (Aiohttp, "counting")]
)
def test_other_clients_send_a_file_once_that_cannot_go_back(kind, name):
    with ONCE[name]() as body, Server(BUSY, OK) as server:
        assert kind(policy=POLICY).fetch(("PUT", server.url, {"content": body})) == [(503, "busy")]
        assert [sent for _, _, _, sent in server.requests] == [b"once"]
