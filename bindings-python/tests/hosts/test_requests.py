"""What only the adapter of requests meets: bodies and timeouts of requests."""

import gzip
import io
import mmap
import shutil

import pytest
import requests
import urllib3
from backoff_rs.adapters.requests import RetryAdapter
from http_clients import Aiohttp, Httpx, Requests, get
from once import ONCE
from requests.adapters import HTTPAdapter
from server import BUSY, OK, Server, response

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


PACKED = gzip.compress(b"ready")
GZIP = b"HTTP/1.1 200 Fine\r\nSet-Cookie: a=b\r\nContent-Encoding: gzip\r\n"
BODIES = {
    "plain": OK,
    "gzip": GZIP + b"Content-Length: %d\r\n\r\n%s" % (len(PACKED), PACKED),
    "gzip in chunks": GZIP
    + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PACKED), PACKED),
    "empty": response(204),
}
READERS = {
    "file": lambda answer: answer.raw.read(),
    "parts of a file": lambda answer: [answer.raw.read(3), answer.raw.read(100)],
    "decoded": lambda answer: answer.raw.read(decode_content=True),
    "stream": lambda answer: b"".join(answer.raw.stream(2, decode_content=True)),
    "stream of all": lambda answer: b"".join(answer.raw.stream(None, decode_content=True)),
    "iter_content": lambda answer: b"".join(answer.iter_content(2)),
    "iter_content of all": lambda answer: b"".join(answer.iter_content(None)),
    "lines": lambda answer: list(answer.iter_lines()),
    "content": lambda answer: answer.content,
    "twice": lambda answer: (answer.content, answer.text, answer.raw.read()),
    "copy": lambda answer: shutil.copyfileobj(answer.raw, io.BytesIO()) or answer.raw.tell(),
    "nothing": lambda answer: None,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_response_whose_body_was_read_is_as_without_the_adapter(body, read):
    def ask(url, adapter):
        with requests.Session() as session:
            session.trust_env = False
            session.mount("http://", adapter)
            with session.get(url, stream=True) as answer:
                seen = read(answer)
                raw, cookies = answer.raw, session.cookies.get_dict()
                about = raw.status, raw.reason, raw.version, raw.version_string, raw.url
                fields = raw.headers.items(), answer.headers.items()
            return seen, about, *map(list, fields), cookies, raw.closed

    with Server(body) as server:
        expected = ask(server.url, HTTPAdapter())
        assert ask(server.url, RetryAdapter("off", read_body=True)) == expected
        server.wait_until_closed()


def test_a_head_whose_body_was_read():
    with Server(b"HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n") as server:
        assert Requests(policy=POLICY, read_body=True).fetch(("HEAD", server.url, {})) == [
            (200, "")
        ]


def test_a_body_in_which_a_read_takes_too_long():
    """The error is that of requests without the adapter."""
    ends = []

    def begin(connection):
        connection.sendall(b"HTTP/1.1 200 Fine\r\nContent-Length: 4\r\n\r\nbu")
        server.hang(connection)

    client = Requests(policy="off", read_body=True, on_stop=ends.append)
    with Server(begin) as server, pytest.raises(requests.RequestException) as raised:
        client.fetch(get(server.url, timeout=(60, 2)))
    assert type(raised.value) is requests.ConnectionError
    assert [end.outcome for end in ends] == ["timeout"]


@pytest.mark.parametrize(
    "timeout", ["5", 0, -1, True, (1, "5"), (0, 1), (1, 2, 3), urllib3.Timeout, (None,)]
)
def test_requests_says_what_is_wrong_with_a_timeout(timeout):
    """attempt_timeout hides nothing of it."""

    def ask(adapter):
        with requests.Session() as session:
            session.trust_env = False
            session.mount("http://", adapter)
            session.get("http://127.0.0.1:1/", timeout=timeout)

    with pytest.raises(Exception, match=r".") as plain:
        ask(HTTPAdapter())
    with pytest.raises(type(plain.value)) as raised:
        ask(RetryAdapter("off", attempt_timeout=60))
    assert not isinstance(plain.value, requests.ConnectionError)
    assert str(raised.value) == str(plain.value)
