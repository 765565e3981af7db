"""The adapters of HTTP clients, beyond what test_http_cases.py plays with each."""

import asyncio
import contextlib
import copy
import gc
import io
import pickle

import aiohttp
import anyio
import httpx
import pytest
import requests
import urllib3
from backoff_rs import Budget, PolicyError, RetryError, SharedBudget, retrying
from backoff_rs.adapters import _http, _http_parts
from backoff_rs.adapters import aiohttp as aiohttp_adapter
from backoff_rs.adapters import httpx as httpx_adapter
from backoff_rs.adapters import requests as requests_adapter
from backoff_rs.adapters.redis import RedisStore
from http_clients import CLIENTS, Aiohttp, AsyncHttpx, Httpx, Requests, files_of_a_process, get
from processes import FULL_100MS
from redis import Redis
from server import BUSY, OK, Server, reset, response

POLICY = "full:base=100ms,max_retries=3,retry_after_max=10s"
JOB = {"policy": POLICY, "seed": 42, "key": "job-1"}
#: Enough time to drain a body. Nothing waits for so long.
SLOW = {"policy": "constant:base=60s,max_retries=3"}


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = files_of_a_process()
    yield
    if files_of_a_process() > before:
        # Errors of requests refer to their sockets in circles.
        gc.collect()
    assert files_of_a_process() <= before


def close(_connection):
    """Without a response."""


@pytest.mark.parametrize(
    ("replies", "waits"),
    [
        ([response(503, "Retry-After: 7200\r\n"), OK], [10]),
        # On a connection that was used before.
        ([OK, reset, OK], FULL_100MS[:1]),
        # A redirect is no failure; what follows has retries of its own.
        ([response(302, "Location: /b\r\n"), response(500), OK], FULL_100MS[:1]),
        ([response(500), response(302, "Location: /b\r\n"), OK], FULL_100MS[:1]),
    ],
)
def test_waits(kind, replies, waits):
    client = kind(**JOB)
    with Server(*replies) as server:
        asked = [get(server.url)] * (2 if replies[0] is OK and len(replies) > 1 else 1)
        assert client.fetch(*asked)[-1] == (200, "ready")
        assert len(server.requests) == len(replies)
        server.wait_until_closed()
    assert client.slept == waits


def test_the_timeouts_of_the_client_stay(kind):
    timeout = aiohttp.ClientTimeout(sock_read=0.6) if kind is Aiohttp else 0.6
    retries = []

    def reply(connection):
        # On a slow machine the server may see none of the attempts that take too long.
        if retries:
            connection.sendall(OK)
        else:
            server.hang(connection)

    client = kind(policy="immediate:max_retries=99", on_retry=retries.append)
    with Server(reply) as server:
        assert client.fetch(get(server.url, timeout=timeout)) == [(200, "ready")]
        server.wait_until_closed()
    assert {event.outcome for event in retries} == {"timeout"}


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_bodies(kind, method):
    """Each attempt sends the same bytes. A file begins where it was."""
    file = io.BytesIO(b"0123456789")
    # httpx counts what is before, too.
    begin = 0 if kind is Httpx else 3
    file.seek(begin)
    contents = [({"content": b"bytes"}, b"bytes"), ({"json": {"a": 1}}, None)]
    if kind not in {AsyncHttpx, CLIENTS[2]}:
        contents.append(({"content": file}, b"0123456789"[begin:]))
    if kind is not Aiohttp:
        contents.append(({"files": {"file": b"form"}}, None))
    headers = {"Idempotency-Key": "k-1"}
    for content, expected in contents:
        with Server(BUSY, reset, OK) as server:
            kind(**JOB).fetch((method, server.url, {"headers": headers, **content}))
            first, *others = [body for _, _, _, body in server.requests]
        assert others == [first, first]
        assert first
        assert expected in {None, first}


@pytest.mark.parametrize("kind", [Requests, Aiohttp])
@pytest.mark.parametrize("body", [bytearray(b"bytes"), memoryview(b"bytes"), "text"])
def test_a_body_of_bytes_is_sent_again(kind, body):
    with Server(BUSY, OK) as server:
        assert kind(**JOB).fetch(("PUT", server.url, {"content": body})) == [(200, "ready")]
        first, second = [body for _, _, _, body in server.requests]
        assert first == second == (b"text" if body == "text" else b"bytes")


@pytest.mark.parametrize(("length", "connections"), [(10, 1), (60_000, 1), (5_000_000, 2)])
def test_a_connection_is_used_again_after_a_short_body(kind, length, connections):
    client = kind(**SLOW)
    with Server(response(503, body="x" * length), OK) as server:
        client.fetch(get(server.url))
        assert server.accepted == connections


def test_a_body_without_an_end_is_not_read(kind):
    """Also if there is a minute to do so."""
    sent = []

    def endless(connection):
        connection.sendall(b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            sent.append(4096)

    client = kind(**SLOW)
    with Server(endless, OK) as server:
        assert client.fetch(get(server.url)) == [(200, "ready")]
        server.wait_until_closed()
    # What the client read, and the buffers of the sockets.
    assert sum(sent) < 30_000_000


def test_each_origin_has_a_budget(kind):
    client = kind(**JOB, budget="quota:max_tokens=5,cost=5")
    with Server(BUSY) as first, Server(BUSY) as second:
        client.fetch(get(first.url), get(second.url), get(first.url))
        assert (len(first.requests), len(second.requests)) == (3, 2)


def test_one_budget_for_all_or_none(kind):
    with Server(BUSY) as first, Server(BUSY) as second:
        shared = Budget.parse("quota:max_tokens=5,cost=5")
        kind(**JOB, budget=shared).fetch(get(first.url), get(second.url))
        assert (len(first.requests), len(second.requests)) == (2, 1)
        kind(**JOB, budget=None).fetch(*[get(first.url)] * 9)
        assert len(first.requests) == 2 + 9 * 4


def test_hooks_and_functions_of_the_request(kind):
    events = []
    options = {
        "policy": POLICY,
        "seed": 42,
        "key": lambda request: f"job-{str(request.url)[-1]}",
        "on_retry": lambda event: events.append((event.attempts, str(event.outcome))),
        "on_stop": lambda event: events.append(str(event.reason)),
    }
    client = kind(**options)
    with Server(BUSY, response(504), OK) as server:
        client.fetch(get(server.url + "1"))
    assert client.slept == FULL_100MS[:2]
    assert events == [(1, "throttled"), (2, "timeout"), "success"]


def fail(_event):
    raise LookupError("hook")


def give_up(_event):
    """A loop of its own gives up on its result."""
    retrying("off", on=(), on_result=lambda _: True, log=False).call(lambda: "hook")


@pytest.mark.parametrize(("hook", "error"), [(fail, LookupError), (give_up, RetryError)])
def test_a_hook_that_raises_leaves_nothing(kind, hook, error):
    # The garbage collector closes nothing that an event refers to.
    events = []

    def keep(event):
        events.append(event)
        hook(event)

    with Server(BUSY) as server:
        with pytest.raises(error, match="hook"):
            kind(**JOB, on_stop=keep).fetch(get(server.url))
        with pytest.raises(error, match="hook"):
            kind(**JOB, on_retry=keep).fetch(get(server.url))
        assert len(server.requests) == 5
        server.wait_until_closed()


ASYNC = [AsyncHttpx, CLIENTS[2], Aiohttp]


@pytest.mark.parametrize("kind", ASYNC)
def test_hooks_may_be_coroutine_functions(kind):
    events = []

    async def on_retry(event):
        await anyio.sleep(0)
        events.append(event.attempts)

    with Server(BUSY, OK) as server:
        kind(**JOB, on_retry=on_retry, on_stop=on_retry).fetch(get(server.url))
    assert events == [1, 2]


@pytest.mark.parametrize("kind", [AsyncHttpx, Aiohttp])
@pytest.mark.parametrize("place", ["call", "wait"])
def test_a_cancelled_request_leaves_nothing(kind, place):
    reply = BUSY if place == "wait" else lambda connection: server.hang(connection)

    async def run(send):
        task = asyncio.create_task(send)
        while not server.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def with_httpx():
        transport = httpx_adapter.AsyncRetryTransport("constant:base=1h", log=False)
        async with httpx.AsyncClient(transport=transport) as client:
            await run(client.get(server.url, timeout=None))

    async def with_aiohttp():
        retry = aiohttp_adapter.RetryMiddleware("constant:base=1h", log=False)
        async with aiohttp.ClientSession(middlewares=[retry]) as session:
            await run(session.request("GET", server.url))

    with Server(reply) as server:
        asyncio.run(with_httpx() if kind is AsyncHttpx else with_aiohttp())
        assert len(server.requests) == 1
        server.wait_until_closed()


ADAPTERS = [
    httpx_adapter.RetryTransport,
    httpx_adapter.AsyncRetryTransport,
    requests_adapter.RetryAdapter,
    aiohttp_adapter.RetryMiddleware,
]


def test_a_budget_of_many_processes(kind, redis):
    """Each client stands for a process."""
    store = RedisStore(Redis.from_url(redis.url))
    with Server(BUSY) as server:
        for requests in (3, 4):
            budget = SharedBudget(store, "server", "quota:max_tokens=10,cost=5", timeout=30)
            assert kind(**JOB, budget=budget).fetch(get(server.url)) == [(503, "busy")]
            assert (len(server.requests), budget.last_error) == (requests, None)
        server.wait_until_closed()
    store._client.close()


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"policy": "ful:base=1s"}, PolicyError, 'unknown name "ful"'),
        ({"budget": "quot"}, PolicyError, 'unknown name "quot"'),
        (
            {"budget": 5},
            TypeError,
            "budget must be a budget string, a Budget, a SharedBudget or None, not int",
        ),
        ({"key": "k"}, TypeError, "pass a seed too"),
        ({"attempt_timeout": "1s"}, TypeError, "attempt_timeout must be a number of seconds"),
        ({"attempt_timeout": True}, TypeError, "attempt_timeout must be a number of seconds"),
        ({"attempt_timeout": 0}, ValueError, "attempt_timeout 0 is not a positive number"),
        ({"attempt_timeout": float("nan")}, ValueError, "attempt_timeout nan is not"),
        ({"attempt_timeout": float("inf")}, ValueError, "attempt_timeout inf is not"),
        (
            {"retries": 5},
            TypeError,
            r"^retries is no option of this adapter; did you mean max_retries=N\? The options are "
            r"budget, .*, and the fields of policies: attempt_timeout, base, ",
        ),
        (
            {"methodes": []},
            TypeError,
            r"^methodes is no option.*; did you mean methods\? The options",
        ),
        ({"max_retries": "5"}, TypeError, "max_retries must be an int, not str"),
        # The adapter decides these.
        (
            {"methods": "POST"},
            TypeError,
            "methods must be a collection of names of methods, not str",
        ),
        ({"methods": ["post"]}, ValueError, 'methods has "post": write "POST"'),
        ({"methods": ["GET "]}, ValueError, 'methods has "GET ": write "GET"$'),
        ({"methods": [""]}, ValueError, 'methods has "": write one such as "GET"$'),
        ({"methods": ["GÉT"]}, ValueError, 'methods has "GÉT": write one such as "GET"$'),
        ({"methods": [5]}, TypeError, "methods must be names of methods, not int"),
        ({"statuses": 520}, TypeError, "statuses must be a collection of statuses, not int"),
        ({"statuses": ["520"]}, TypeError, "statuses must be ints, not str"),
        ({"statuses": [True]}, TypeError, "statuses must be ints, not bool"),
        ({"statuses": [99]}, ValueError, "statuses has 99; a status is from 100 to 999"),
        ({"statuses": [1000]}, ValueError, "statuses has 1000; a status is from 100 to 999"),
        (
            {"statuses": [409, 200]},
            ValueError,
            'statuses has 200, which is a success: write {200: "transient"} if it is to be repeated',
        ),
        (
            {"statuses": {520: "retry"}},
            ValueError,
            "statuses has 'retry' for 520; the outcomes are s",
        ),
        ({"may_repeat": True}, TypeError, "may_repeat must be callable, not bool"),
        ({"classify": "throttled"}, TypeError, "classify must be callable, not str"),
        ({"read_body": 1}, TypeError, "read_body must be a bool, not int"),
        ({"on": OSError}, TypeError, "on is no option"),
        ({"on_result": print}, TypeError, "on_result is no option"),
        ({"reraise": False}, TypeError, "reraise is no option"),
    ],
)
def test_invalid_options(adapter, options, error, message):
    with pytest.raises(error, match=message):
        adapter(**options)


@pytest.mark.parametrize("adapter", [httpx_adapter.RetryTransport, requests_adapter.RetryAdapter])
def test_a_blocking_client_awaits_nothing(adapter):
    async def hook(_event):
        """Would do nothing."""

    for option in ("on_retry", "on_stop", "sleep", "may_repeat", "classify"):
        with pytest.raises(TypeError, match=f"{option} is a coroutine function"):
            adapter(**{option: hook})


OTHER_ERRORS = [AttributeError(), OSError(24, "Too many open files")]
PERMANENT = {
    httpx_adapter: [
        *(httpx.UnsupportedProtocol(""), httpx.LocalProtocolError(""), httpx.TooManyRedirects("")),
        *OTHER_ERRORS,
    ],
    requests_adapter: [
        *(getattr(requests.exceptions, name)() for name in ("InvalidURL", "InvalidSchema")),
        *(getattr(requests.exceptions, name)() for name in ("TooManyRedirects", "RetryError")),
        *OTHER_ERRORS,
    ],
    aiohttp_adapter: [
        *(aiohttp.ServerFingerprintMismatch(b"", b"", "h", 443), aiohttp.InvalidURL("x")),
        *OTHER_ERRORS,
    ],
}


@pytest.mark.parametrize("adapter", PERMANENT)
def test_permanent_errors(adapter):
    outcomes = {error: adapter._failure(error).outcome for error in PERMANENT[adapter]}
    assert outcomes == dict.fromkeys(PERMANENT[adapter], "permanent")


def test_a_socks_proxy_that_does_not_reach_the_host():
    # It has no status.
    error = httpx.ProxyError("Proxy Server could not connect: Host unreachable.")
    assert httpx_adapter._failure(error) == ("transient", True)


def test_the_number_of_origins_is_bounded():
    client = _http.Client("default", {}, _http.Library(*[print] * 4, awaits=False))
    first = client.budget("http://0:1")
    for number in range(999):
        client.budget(f"http://{number}:2")
    assert client.budget("http://0:1") is first
    client.budget("http://new:1")
    assert client.budget("http://0:1") is first
    assert len(client._budgets) == 1000
    assert "http://0:2" not in client._budgets


BLOCKING, WAITING = httpx_adapter.RetryTransport, httpx_adapter.AsyncRetryTransport


@pytest.mark.parametrize(
    ("adapter", "other", "message"),
    [
        (BLOCKING, httpx.AsyncHTTPTransport(), "has no handle_request.*AsyncHTTPTransport"),
        (WAITING, httpx.HTTPTransport(), "has no handle_async_request.*HTTPTransport"),
        (BLOCKING, "http", "has no handle_request.*str"),
        (BLOCKING, httpx.HTTPTransport, "must be an instance, got the class HTTPTransport$"),
        (
            WAITING,
            httpx.AsyncHTTPTransport,
            "must be an instance, got the class AsyncHTTPTransport$",
        ),
        (BLOCKING, WAITING(), r"has no handle_request\(\): it is .*AsyncRetryTransport"),
        (WAITING, BLOCKING(), r"has no handle_async_request\(\): it is .*RetryTransport"),
    ],
)
def test_httpx_rejects_another_transport(adapter, other, message):
    with pytest.raises(TypeError, match=f"^transport {message}"):
        adapter(transport=other)


@pytest.mark.parametrize("adapter", [BLOCKING, WAITING])
def test_httpx_says_where_a_transport_goes(adapter):
    with pytest.raises(TypeError, match=r"^policy is a transport, .*: pass it as transport=$"):
        adapter(httpx.HTTPTransport())


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_httpx_says_which_transport_a_client_takes(backend):
    blocking, waiting = BLOCKING(), WAITING()
    wrong = r"^AsyncRetryTransport is no transport of httpx\.Client: pass it a RetryTransport$"
    for use in (httpx.Client.__enter__, httpx.Client.close, lambda each: each.get("http://0:1")):
        with pytest.raises(TypeError, match=wrong):
            use(httpx.Client(transport=waiting))

    async def uses():
        wrong = r"^RetryTransport is no transport of httpx\.AsyncClient: pass it an AsyncRetryTransport$"
        for use in (
            httpx.AsyncClient.__aenter__,
            httpx.AsyncClient.aclose,
            lambda each: each.get("http://0:1"),
        ):
            with pytest.raises(TypeError, match=wrong):
                await use(httpx.AsyncClient(transport=blocking))

    anyio.run(uses, backend=backend)


def test_httpx_closes_the_other_transport():
    class Inner(httpx.BaseTransport, httpx.AsyncBaseTransport):
        closed = 0

        def close(self):
            self.closed += 1

        async def aclose(self):
            self.closed += 1

    inner = Inner()
    httpx.Client(transport=BLOCKING(transport=inner)).close()
    assert inner.closed == 1
    anyio.run(httpx.AsyncClient(transport=WAITING(transport=inner)).aclose)
    assert inner.closed == 2


@pytest.mark.parametrize(
    ("adapter", "message"),
    [
        (
            {"max_retries": 3},
            'which is part of the policy: write RetryAdapter\\("default:max_retries=5"\\)$',
        ),
        (5, "adapter must be a dict of options of HTTPAdapter, not int"),
    ],
)
def test_requests_rejects_options_of_its_adapter(adapter, message):
    with pytest.raises(TypeError, match=message):
        requests_adapter.RetryAdapter(adapter=adapter)


def test_requests_says_where_an_option_of_its_adapter_goes():
    wanted = r'^pool_maxsize is an option of HTTPAdapter: write adapter=\{"pool_maxsize": \.\.\.\}$'
    with pytest.raises(TypeError, match=wanted):
        requests_adapter.RetryAdapter(pool_maxsize=20)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda session: pickle.loads(pickle.dumps(session))]
)
def test_requests_copies_a_session(copied):
    with requests.Session() as session, Server(BUSY, BUSY, OK) as server:
        session.trust_env = False
        options = {"policy": "constant:base=1ns,max_retries=2", "log": False}
        session.mount(
            "http://", requests_adapter.RetryAdapter(**options, adapter={"pool_block": 1})
        )
        with copied(session) as again:
            assert again.get(server.url).text == "ready"
            assert again.get_adapter(server.url)._pool_block == 1
        assert len(server.requests) == 3


def test_requests_bounds_a_timeout_of_urllib3():
    adapter = requests_adapter.RetryAdapter("default", attempt_timeout=2)
    for timeout, connect, total in [
        (urllib3.Timeout(5), 2, 2),
        (urllib3.Timeout(connect=1, read=9), 1, 2),
        (urllib3.Timeout(total=1), 1, 1),
        (urllib3.Timeout(), 2, 2),
    ]:
        bounded = adapter._bounded(timeout)
        assert (bounded.connect_timeout, bounded.total) == (connect, total)
        assert timeout.total != 2


@pytest.mark.parametrize(
    ("timeout", "bounded"),
    [(None, (2, 2)), (5, (2, 2)), (1, (1, 1)), ((1, 9), (1, 2)), ((None, 1), (2, 1))],
)
def test_requests_bounds_the_timeouts_of_a_request(timeout, bounded):
    adapter = requests_adapter.RetryAdapter("default", attempt_timeout=2)
    assert adapter._bounded(timeout) == bounded


@pytest.mark.parametrize(
    ("url", "shown", "origin"),
    [
        ("http://me:secret@Example.org/a?b#c", "http://Example.org/a", "http://example.org:80"),
        ("https://example.org", "https://example.org", "https://example.org:443"),
        ("HTTP://example.org:8080/", "HTTP://example.org:8080/", "http://example.org:8080"),
        ("http://[::1]:80/a", "http://[::1]:80/a", "http://::1:80"),
        # A client takes these, or says what is wrong with them.
        ("http://me:pw@Host:99999/a?b#c", "http://Host:99999/a", "http://host:99999"),
        ("http://me:pw@Host:x?b/@c", "http://Host:x", "http://host:x"),
        ("http://me:pw@[::1/a#b", "http://[::1/a", "http://[::1"),
        ("http://me:pw@a\u2100b/c?d", "http://a\u2100b/c", "http://a\u2100b"),
    ],
)
def test_the_parts_of_a_url(url, shown, origin):
    assert _http_parts.url_parts(url) == (shown.replace("HTTP:", "http:"), origin)


def test_aiohttp_sends_a_request_without_retries():
    client = Aiohttp(**JOB)
    with Server(BUSY) as server:
        client.fetch(get(server.url, middlewares=()))
        assert len(server.requests) == 1


def test_aiohttp_total_timeout_bounds_all_attempts():
    client = Aiohttp(policy="constant:base=1h", log=False)
    client.options.pop("sleep")
    with Server(BUSY) as server:
        with pytest.raises(asyncio.TimeoutError):
            client.fetch(get(server.url, timeout=aiohttp.ClientTimeout(total=0.6)))
        # On a slow machine it may see none.
        assert len(server.requests) <= 1
        server.wait_until_closed()


async def again(request, handler):
    """A middleware that repeats a request once that ended with an error."""
    with contextlib.suppress(aiohttp.ClientError):
        return await handler(request)
    return await handler(request)


@pytest.mark.parametrize(("method", "key"), [("POST", "k-1"), ("POST", None), ("GET", None)])
def test_aiohttp_sends_what_a_middleware_outside_repeats(method, key):
    async def fetch(url):
        inside = aiohttp_adapter.RetryMiddleware("off", budget=None, log=False)
        headers = {} if key is None else {"Idempotency-Key": key}
        async with (
            aiohttp.ClientSession(middlewares=[again, inside]) as session,
            session.request(method, url, headers=headers, data=b"text") as answer,
        ):
            return answer.status

    with Server(close, OK) as server:
        assert asyncio.run(fetch(server.url)) == 200
        assert [body for _, _, _, body in server.requests] == [b"text"] * 2
    with Server(close) as server:
        # aiohttp itself would repeat the GET, too.
        with pytest.raises(aiohttp.ServerDisconnectedError):
            asyncio.run(fetch(server.url))
        assert len(server.requests) == 2


@pytest.mark.parametrize("reply", [BUSY, close])
def test_the_attempts_of_two_middlewares_of_aiohttp_multiply(reply):
    async def fetch(url):
        policy = "constant:base=1ms,max_retries=3"
        both = [aiohttp_adapter.RetryMiddleware(policy, budget=None, log=False) for _ in range(2)]
        with contextlib.suppress(aiohttp.ClientError):
            async with aiohttp.ClientSession(middlewares=both) as session:
                await session.get(url)

    with Server(reply) as server:
        asyncio.run(fetch(server.url))
        assert len(server.requests) == 16


def test_fields_of_policies_are_options():
    adapter = requests_adapter.RetryAdapter("constant:base=1s", max_retries=2, attempt_timeout=3)
    assert str(adapter._client.options.policy) == "constant:base=1s,max_retries=2"
    assert adapter._client.rules.attempt_timeout == 3
    by_policy = requests_adapter.RetryAdapter("constant:base=1s,attempt_timeout=1500ms")
    assert by_policy._client.rules.attempt_timeout == 1.5
    assert by_policy._client.options.policy.attempt_timeout is None
    both = requests_adapter.RetryAdapter("constant:base=1s,attempt_timeout=9s", attempt_timeout=3)
    assert both._client.rules.attempt_timeout == 3
