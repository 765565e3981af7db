"""The Retry of urllib3, alone and below requests."""

import io
import mmap
import time

import pytest
import requests
import urllib3
from backoff_rs import PolicyError, RandomStream, _log
from backoff_rs.adapters import urllib3 as urllib3_adapter
from backoff_rs.adapters.urllib3 import Retry
from backoff_rs.testing import fake_time
from nasty import CASES
from nasty import POLICY as CASE_POLICY
from once import ONCE
from processes import FULL_100MS, UNLIMITED, told
from requests.adapters import HTTPAdapter
from server import OK, Server, reset, response

POLICY = "full:base=100ms,max_retries=3,retry_after_max=10s"
JOB = {"seed": 42, "key": "job-1"}


@pytest.fixture
def slept(monkeypatch):
    """The waits, which take no time."""
    slept = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def test_the_wait_before_a_redirect_is_bounded(slept):
    """Only a pool of one server waits there."""
    reply = response(302, "Location: /b\r\nRetry-After: 7200\r\n")
    with (
        Server(reply, response(302, "Location: /c\r\n"), OK) as server,
        urllib3.HTTPConnectionPool("127.0.0.1", server.port) as pool,
    ):
        assert pool.request("GET", "/", retries=Retry(POLICY, **JOB)).status == 200
    assert slept == [10]


def test_redirects(slept):
    """They are no failures, but limited."""
    redirect = response(302, "Location: /b\r\n")
    with Server(redirect, response(500), OK) as server, urllib3.PoolManager() as http:
        answer = http.request("GET", server.url, retries=Retry(POLICY, **JOB))
        assert (answer.status, slept, len(server.requests)) == (200, FULL_100MS[:1], 3)
    with Server(response(302, "Location: /\r\n")) as server, urllib3.PoolManager() as http:
        with pytest.raises(urllib3.exceptions.MaxRetryError, match="too many redirects"):
            http.request("GET", server.url, retries=Retry(POLICY))
        assert len(server.requests) == 11


def test_it_gives_up(slept):
    with Server(response(503)) as server, urllib3.PoolManager() as http:
        with pytest.raises(urllib3.exceptions.MaxRetryError, match="too many 503"):
            http.request("GET", server.url, retries=Retry(POLICY, **JOB))
        assert (slept, len(server.requests)) == (FULL_100MS, 4)
        slept.clear()
        retry = Retry(POLICY, raise_on_status=False, **JOB)
        assert http.request("GET", server.url, retries=retry).status == 503
        assert (slept, len(server.requests)) == (FULL_100MS, 8)


def test_a_body_without_an_end_holds_no_client(slept):
    def endless(connection):
        connection.sendall(b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"1000\r\n" + bytes(0x1000) + b"\r\n")

    for max_retries in (0, 1):
        retry = Retry(f"constant:base=1ms,max_retries={max_retries}")
        with Server(endless, OK) as server, urllib3.PoolManager(retries=retry) as http:
            try:
                answer = http.request("GET", server.url, preload_content=False)
            except urllib3.exceptions.MaxRetryError:
                assert max_retries == 0
            else:
                assert (answer.status, max_retries) == (200, 1)


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        ({}, True),
        ({"connect": 5}, True),
        ({"total": 5}, False),
        (dict.fromkeys(["connect", "read", "status", "other"], 5), False),
    ],
)
def test_a_policy_without_a_limit_says_so_once(slept, monkeypatch, caplog, options, is_told):
    monkeypatch.setattr(_log, "_told", set())
    text = "constant:base=1ms"
    replies = [response(302, "Location: /b\r\n"), OK, response(503), response(503), OK]
    with Server(*replies) as server, urllib3.PoolManager() as http:
        for policy in (f"{text},max_retries=3", text):
            assert caplog.records == []
            http.request("GET", server.url, retries=Retry(policy, **options))
        assert len(server.requests) == 5
    assert told(caplog) == [UNLIMITED] * is_told


class Plain:
    """A file with little more than urllib3 needs."""

    def __init__(self):
        file = io.BytesIO(b"again")
        self.read, self.tell, self.seek = file.read, file.tell, file.seek


@pytest.mark.parametrize("reply", [response(503), reset])
@pytest.mark.parametrize("once", ONCE.values(), ids=ONCE)
def test_a_body_that_can_be_sent_only_once_is_sent_once(slept, reply, once):
    """The second time it would be empty."""
    retry = Retry(POLICY)
    with once() as body, Server(reply, OK) as server, urllib3.PoolManager(retries=retry) as http:
        try:
            assert http.request("PUT", server.url, body=body).status == 503
        except urllib3.exceptions.MaxRetryError:
            assert reply is reset
        assert [sent for _, _, _, sent in server.requests] == [b"once"]


@pytest.mark.parametrize("reply", [response(503), reset])
def test_a_body_that_can_be_sent_again_is_sent_again(slept, reply):
    mapped = mmap.mmap(-1, 5)
    mapped[:] = b"again"
    bodies = (b"again", bytearray(b"again"), [b"again"], io.BytesIO(b"again"), Plain(), mapped)
    for body in bodies:
        with Server(reply, OK) as server, urllib3.PoolManager(retries=Retry(POLICY)) as http:
            assert http.request("PUT", server.url, body=body).status == 200
            assert [body for _, _, _, body in server.requests] == [b"again"] * 2


def test_a_header_that_is_not_respected(slept):
    retry = Retry(POLICY, respect_retry_after_header=False, **JOB)
    replies = [response(503, "Retry-After: 2\r\n"), OK]
    with Server(*replies) as server, urllib3.PoolManager(retries=retry) as http:
        http.request("GET", server.url)
    assert slept == FULL_100MS[:1]


def test_each_request_has_a_stream_of_its_own(slept):
    with Server(response(500)) as server:
        retry = Retry("full:base=1h,max_retries=3")
        with urllib3.PoolManager(retries=retry) as http:
            for _ in range(2):
                with pytest.raises(urllib3.exceptions.MaxRetryError):
                    http.request("GET", server.url)
    assert len({*slept}) == 6


def test_requests(slept):
    with Server(response(503, "Retry-After: 2\r\n"), response(500), OK) as server:
        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(max_retries=Retry(POLICY, **JOB)))
            assert session.get(server.url).text == "ready"
        assert (slept, len(server.requests)) == ([2, FULL_100MS[1]], 3)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_retries": 3}, TypeError, r'policy: write Retry\("default:max_retries=5"\)$'),
        ({"policy": "ful:base=1s"}, PolicyError, 'unknown name "ful"'),
        ({"policy": 5}, TypeError, "policy must be a Policy or a policy string, not int"),
        ({"policy": "cenkalti-v4"}, ValueError, "max_elapsed needs the time"),
        ({"policy": "default:attempt_timeout=2s"}, ValueError, "attempt_timeout 2.0 of the policy"),
        ({"policy": "default:reset_after=2m"}, ValueError, "reset_after 120.0 of the policy"),
        (
            {"policy": "default:elapsed_from=failure"},
            ValueError,
            "elapsed_from failure of the policy",
        ),
        ({"seed": -1}, PolicyError, "seed -1 is below 0"),
        ({"key": "k"}, TypeError, "pass a seed too"),
        ({"stream": RandomStream(1), "seed": 1}, TypeError, "not both"),
    ],
)
def test_invalid_options(options, error, message):
    with pytest.raises(error, match=message):
        Retry(**options)


CUT = "urllib3 tells a Retry no head of a response whose body it cannot read"
#: Cases of SPEC 19 in which urllib3 does something else with a Retry, and why.
DIFFERENT = {
    "key": "urllib3 tells a Retry no headers",
    "key-x": "urllib3 tells a Retry no headers",
    "methods-none": "urllib3 takes no methods for all methods",
    "read-body-503": CUT,
    "read-body-503-always": CUT,
    "read-body-404": CUT,
    "read-body-404-post": CUT,
    "read-body-404-hang": CUT,
    "read-body-statuses": CUT,
}
#: Cases that take as long as the server likes: urllib3 bounds each read, and not a body.
UNBOUNDED = {"drain-drip", "drain-hang", "read-body-drip"}
PLAYED = [case for case in CASES if case["id"] not in UNBOUNDED]


def play(case, nasty):
    """Sends the request of a case. Returns the status and the body, or the error."""
    options, request = dict(case["options"]), case["request"]
    rules = {"raise_on_status": False}
    if "statuses" in options:
        outcomes = {int(status): outcome for status, outcome in options["statuses"].items()}
        wanted = {status for status, outcome in outcomes.items() if outcome != "permanent"}
        rules["status_forcelist"] = (urllib3_adapter._STATUSES - {*outcomes}) | wanted
    if "methods" in options:
        rules["allowed_methods"] = options["methods"]
    if request["switch"]:
        rules["allowed_methods"] = None
    retries = Retry(CASE_POLICY.format(options["max_retries"]), **rules)
    bodies = {None: None, "empty": b"", "text": b"text", "once": iter([b"once"])}
    with urllib3.PoolManager(retries=False if request["switch"] is False else retries) as http:
        try:
            answer = http.request(
                request["method"],
                nasty.url(case, "urllib3"),
                body=bodies[request["body"]],
                headers=dict(line.split(": ", 1) for line in request["fields"]),
                preload_content="read_body" in options,
                timeout=options.get("attempt_timeout_ms", 60_000) / 1000,
            )
            return answer.status, answer.read().decode() or answer.data.decode()
        except urllib3.exceptions.HTTPError as error:
            return None, error


@pytest.mark.filterwarnings("ignore:Using an empty collection:FutureWarning")
@pytest.mark.parametrize("case", PLAYED, ids=lambda case: case["id"])
def test_a_case(case, slept, nasty):
    status, text = play(case, nasty)
    done = (len(slept) + 1, [str(round(seconds * 10**9)) for seconds in slept], status)
    is_as_expected = done == (case["attempts"], case["delays"], case["status"])
    assert is_as_expected is (case["id"] not in DIFFERENT), (done, text)
    if is_as_expected and case["target"] == "http" and "attempt_timeout_ms" not in case["options"]:
        assert len(nasty.seen(case, "urllib3")) == case["attempts"]
        assert {body for _, body in nasty.seen(case, "urllib3")} <= {"", "text", "once"}


@pytest.mark.parametrize(("status", "attempts"), [(403, 1), (302, 1), (429, 3), (502, 3)])
def test_a_proxy_that_refuses_a_tunnel(status, attempts, slept):
    with Server(response(status)) as proxy, urllib3.ProxyManager(proxy.url) as http:
        with pytest.raises(urllib3.exceptions.MaxRetryError, match=str(status)):
            http.request("GET", "https://host.invalid/", retries=Retry("immediate:max_retries=2"))
        assert [method for method, *_ in proxy.requests] == ["CONNECT"] * attempts
    assert len(slept) == attempts - 1


def test_nothing_waits_in_fake_time():
    with Server(response(503, "Retry-After: 7\r\n"), response(500), OK) as server:
        retry = Retry("constant:base=5s,max_retries=3")
        with fake_time() as clock, urllib3.PoolManager(retries=retry) as http:
            assert http.request("GET", server.url).status == 200
    assert clock.slept == [7, 5]


def test_the_wait_before_a_redirect_in_fake_time():
    reply = response(302, "Location: /b\r\nRetry-After: 7\r\n")
    with (
        Server(reply, OK) as server,
        urllib3.HTTPConnectionPool("127.0.0.1", server.port) as pool,
        fake_time() as clock,
    ):
        assert pool.request("GET", "/", retries=Retry("default")).status == 200
    assert clock.slept == [7]
