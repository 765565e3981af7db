"""What the caller says about requests, and what events and logs say about them (SPEC 19)."""

import logging
import time
from types import SimpleNamespace

import httpx
import pytest
from backoff_rs import (
    HttpEvent,
    PolicyError,
    RetryEvent,
    RetryStats,
    Verdict,
)
from backoff_rs.adapters.httpx import RetryTransport
from http_clients import Httpx, Requests, get
from server import BUSY, OK, Server, reset, response

POLICY = {"policy": "constant:base=10ms,max_retries=2"}


def post(server, **rest):
    return ("POST", server.url, {"content": b"text", **rest})


class Later:
    """Something that must be awaited."""

    def __await__(self):
        yield


@pytest.mark.parametrize(
    ("answer", "switch", "count"),
    [
        (True, None, 2),
        (1, None, 2),
        (None, None, 2),
        (0, None, 1),
        (False, True, 2),
        (True, False, 1),
    ],
)
def test_may_repeat(kind, answer, switch, count):
    """It is above methods and keys, and a switch of the request is above it."""
    ends, asked = [], []

    def may_repeat(request):
        asked.append(request.method)
        return answer

    rest = {"headers": {"Idempotency-Key": "k"}} | ({} if switch is None else {"retry": switch})
    with Server(BUSY, OK) as server:
        kind(**POLICY, may_repeat=may_repeat, on_stop=ends.append).fetch(post(server, **rest))
        assert len(server.requests) == count
    assert asked == ([] if switch is not None else ["POST"])
    assert [end.sent_once for end in ends] == [None if count == 2 else "caller"]


@pytest.mark.parametrize("switch", [3, "no"])
def test_a_switch_that_is_no_bool(kind, switch):
    message = "^retry of a request must be True .* or False .*, not "
    with Server(OK) as server:
        with pytest.raises(TypeError, match=message):
            kind(**POLICY).fetch(post(server, retry=switch))
        assert server.requests == []


def test_a_switch_of_httpx_that_is_none_says_nothing():
    with Server(BUSY, OK) as server, Httpx(**POLICY)._opened() as session:
        answer = session.put(server.url, content=b"text", extensions={"retry": None})
        assert (answer.status_code, len(server.requests)) == (200, 2)


def test_what_may_repeat_raises_is_raised_before_anything_is_sent(kind):
    def may_repeat(_request):
        raise LookupError("no")

    with Server(OK) as server:
        with pytest.raises(LookupError, match="no"):
            kind(**POLICY, may_repeat=may_repeat).fetch(get(server.url))
        assert server.requests == []


def test_statuses_as_a_collection(kind):
    client = kind(policy="constant:base=10ms,max_retries=9", statuses=[409, 520])
    with Server(response(409), response(520), OK) as server:
        assert client.fetch(get(server.url)) == [(200, "ready")]


def test_classify(kind):
    """A verdict of the caller comes first; None leaves it to the adapter."""
    seen = []

    def classify(request, ended):
        status = getattr(ended, "status_code", None) or getattr(ended, "status", None)
        seen.append((request.method, status or type(ended).__mro__[-3].__name__))
        if status == 403:
            return Verdict("throttled", 2)
        return {404: "transient", 200: None, 500: "permanent"}.get(status)

    client = kind(policy="constant:base=10ms,max_retries=9", classify=classify)
    with Server(response(403), response(404), reset, response(500), OK) as server:
        assert client.fetch(get(server.url))[0][0] == 500
    assert client.slept[0] == 2
    assert len(client.slept) == 3
    assert [status for _, status in seen if isinstance(status, int)] == [403, 404, 500]
    # It does not make a request repeatable.
    with Server(BUSY, OK) as server:
        assert kind(**POLICY, classify=lambda *_: "transient").fetch(post(server))[0][0] == 503


@pytest.mark.parametrize("reply", [BUSY, reset])
@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ("transiant", PolicyError, "outcome 'transiant' is unknown"),
        (
            Verdict,
            TypeError,
            "classify returned <class 'backoff_rs.Verdict'>, which says neither yes",
        ),
        (iter([1]).__next__, TypeError, "classify returned <method-wrapper"),
        (Later(), TypeError, "classify returned .*Later, which nothing awaits here"),
    ],
)
def test_a_classify_that_returns_no_verdict(kind, reply, answer, error, message):
    with Server(reply) as server:
        with pytest.raises(error, match=message) as raised:
            kind(**POLICY, classify=lambda *_: answer).fetch(get(server.url))
        assert len(server.requests) == 1
        server.wait_until_closed()
    if error is PolicyError:
        assert raised.value.__notes__ == ["returned by classify"]


@pytest.mark.parametrize("answer", [Later(), print, NotImplemented])
def test_a_may_repeat_that_says_neither_yes_nor_no(kind, answer):
    with Server(OK) as server:
        with pytest.raises(
            TypeError, match=r"may_repeat returned .*, which (nothing|says neither)"
        ):
            kind(**POLICY, may_repeat=lambda _: answer).fetch(get(server.url))
        assert server.requests == []


def test_events_name_the_request(kind):
    events, stats = [], RetryStats()
    client = kind(**POLICY, on_retry=events.append, on_stop=events.append, stats=stats)
    with Server(BUSY, reset, OK, BUSY) as server:
        url = server.url.replace("http://", "http://me:secret@") + "a?token=secret"
        client.fetch(("GET", url, {}), post(server))
        shown = server.url + "a"
    of_get, of_post = events[:3], events[3]
    assert [event.status for event in of_get] == [503, None, 200]
    assert all(isinstance(event, HttpEvent) and isinstance(event, RetryEvent) for event in events)
    assert {(event.method, event.url, event.sent_once) for event in of_get} == {
        ("GET", shown, None)
    }
    assert {event.request.method for event in of_get} == {"GET"}
    assert of_get[1].error is not None
    assert "secret" not in str(of_get)
    assert (of_post.attempts, of_post.status, of_post.sent_once) == (1, 503, "method")
    assert (stats.operations, stats.stops["permanent"]) == (2, 1)


def test_logs_name_the_request(kind, caplog):
    client = kind(policy="constant:base=10ms,max_retries=1", log=True)
    with Server(BUSY) as server:
        client.fetch(get(server.url + "a?token=secret"))
        url = server.url
    retried, gave_up = caplog.records[-2:]
    assert (retried.levelno, gave_up.levelno) == (logging.WARNING, logging.WARNING)
    assert retried.message == (
        f"request: GET {url}a: attempt 1: throttled, status 503: waiting 0.010 s"
    )
    assert gave_up.message == (
        f"request: GET {url}a: attempt 2: throttled, status 503: "
        "gave up after 2 attempts in 0.010 s: max_retries"
    )
    assert (retried.backoff_method, retried.backoff_status) == ("GET", 503)
    assert "secret" not in caplog.text


@pytest.mark.parametrize("reply", [reset, b"SSH-2.0-OpenSSH_9.9\r\n\r\n", None])
def test_logs_of_errors_have_no_secrets(kind, reply, caplog):
    """The text of an error may have the query, and its repr the headers. The error stays as it is."""
    events: list[HttpEvent] = []
    client = kind(policy="constant:base=10ms,max_retries=1", log=True, on_stop=events.append)
    headers = {"Authorization": "secret"}
    with Server(reply) as server:
        if reply is None:
            # The connection is refused.
            server.close()
        url = server.url + "a?token=secret#secret"
        with pytest.raises(Exception, match=r".") as raised:
            client.fetch(("GET", url, {"headers": headers}))
    kind_of_error = type(raised.value).__name__
    assert f"url='{server.url}a', status=None" in str(events[0])
    assert f"error={kind_of_error}(" in str(events[0])
    assert "secret" not in str(events[0])
    for record in caplog.records[-2:]:
        assert f"GET {server.url}a: attempt" in record.message
        assert record.backoff_error.startswith(f"{kind_of_error}(")
        assert "secret" not in str(vars(record))
    if kind is Requests and reply is None:
        assert "/a?token=secret" in str(raised.value)
        assert "url: /a (Caused by" in record.backoff_error


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no URL?", "no URL"),
        ("http://me:a@b@h/c: me@h failed", "http://h/c: me@h failed"),
        ("url: /a?b=c&d='e (Caused by E('#1'))", "url: /a (Caused by E(''))"),
        ("url='http://h/a?b=c#d', it is #1", "url='http://h/a', it is #1"),
        (
            "to http://me:x@h:1/a?b=c@d, (URL('http://me@h?b'))",
            "to http://h:1/a, (URL('http://h'))",
        ),
    ],
)
def test_urls_in_the_text_of_an_error(text, shown):
    for error, expected in ((LookupError(text), repr(shown)), (LookupError(), "")):
        assert HttpEvent._failure(SimpleNamespace(error=error)) == f"LookupError({expected})"


def test_an_error_whose_text_fails(caplog):
    class Lost(httpx.NetworkError):
        def __str__(self):
            raise RuntimeError("no text")

    def lose(_request):
        raise Lost("lost")

    transport = RetryTransport("off", transport=httpx.MockTransport(lose))
    with httpx.Client(transport=transport) as client, pytest.raises(Lost):
        client.get("http://0:1")
    assert caplog.records[-1].backoff_error == "<Lost, whose text failed>"


def test_a_failure_of_a_request_that_is_sent_once_says_why(kind):
    with Server(reset) as server:
        with pytest.raises(kind.lost) as raised:
            kind(**POLICY).fetch(post(server))
        assert raised.value.__notes__[-1].endswith(": permanent, not repeatable (method)")


def test_draining_is_part_of_the_wait(kind):
    """A sleep of the caller gets what is left of it."""

    def slow(connection):
        connection.sendall(b"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\n")
        time.sleep(0.3)
        connection.sendall(b"busy")

    client = kind(policy="constant:base=60s,max_retries=1")
    client.options["clock_ns"] = time.monotonic_ns
    with Server(slow, OK) as server:
        assert client.fetch(get(server.url)) == [(200, "ready")]
    (slept,) = client.slept
    assert 0 < slept < 60


def test_read_body_leaves_a_response_that_can_be_read(kind):
    import gzip

    packed = gzip.compress(b"packed").decode("latin-1")
    head = "Content-Encoding: gzip\r\n"
    reply = response(200, head, "").replace(
        b"Content-Length: 0", b"Content-Length: %d" % len(packed)
    )
    reply += packed.encode("latin-1")
    with Server(reply.replace(b"200", b"503", 1), reply, OK) as server:
        client = kind(**POLICY, read_body=True)
        assert client.fetch(get(server.url), get(server.url)) == [(200, "packed"), (200, "ready")]
        assert len(server.requests) == 3


def test_trailers_without_an_end_hold_no_client(kind):
    """Nor any other body that goes on, in which each read brings something."""

    def endless(connection):
        connection.sendall(
            b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbusy\r\n0\r\n"
        )
        while True:
            connection.sendall(b"X-Trailer: value\r\n" * 1000)

    client = kind(policy="constant:base=1ms,max_retries=1")
    with Server(endless, OK) as server:
        assert client.fetch(get(server.url)) == [(200, "ready")]


def test_a_response_that_contradicts_itself_is_asked_for_again(kind):
    """requests calls it an invalid header field, as it does one of the request."""
    with Server(response(503, "Content-Length: 9\r\n"), OK) as server:
        assert kind(**POLICY).fetch(get(server.url)) == [(200, "ready")]


def test_the_raw_body_of_httpx_after_read_body():
    with Server(OK) as server, Httpx(**POLICY, read_body=True)._opened() as session:
        with session.stream("GET", server.url) as answer:
            assert b"".join(answer.iter_raw()) == b"ready"
        assert isinstance(answer, httpx.Response)


@pytest.mark.parametrize(
    ("status", "outcome", "attempts"),
    [(403, "permanent", 1), (429, "throttled", 3), (502, "transient", 3), (302, "permanent", 1)],
)
def test_a_proxy_that_refuses_a_tunnel(kind, status, outcome, attempts):
    ends = []
    with Server(response(status)) as proxy:
        client = kind(
            policy="immediate:max_retries=2", budget=None, proxy=proxy.url, on_stop=ends.append
        )
        # Nothing is sent to the host, so that a POST may be repeated, too.
        with pytest.raises(Exception, match=str(status)):
            client.fetch(("POST", "https://host.invalid/", {"content": b"text"}))
        assert [method for method, *_ in proxy.requests] == ["CONNECT"] * attempts
    assert [(str(end.outcome), end.attempts) for end in ends] == [(outcome, attempts)]
