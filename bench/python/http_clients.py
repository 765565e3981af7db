"""HTTP clients that get a body of two bytes. The runner starts the server, ../server.py."""

from works import Work, library  # isort: split

import asyncio
import atexit
import os
from collections.abc import Callable
from typing import Any

import aiohttp
import httpx
import requests
from aiohttp_retry import ListRetry, RetryClient
from backoff_rs.adapters.aiohttp import RetryMiddleware
from backoff_rs.adapters.httpx import RetryTransport
from backoff_rs.adapters.requests import RetryAdapter
from httpx_retries import Retry
from httpx_retries import RetryTransport as HttpxRetries
from requests.adapters import HTTPAdapter
from urllib3.util import Retry as UrllibRetry

#: All make at most 6 attempts, without waits.
POLICY = "constant:base=0s,max_retries=5"
#: A bare client fails if the server is busy; its caller asks again.
BARE = "the bare client"

LOOP = asyncio.new_event_loop()

#: Returns the status and the body of a request.
Get = Callable[[str], tuple[int, bytes]]


def httpx_clients(**ours: Any) -> list[tuple[str, Get]]:
    """Clients of httpx."""
    transports = {
        "ours": RetryTransport(POLICY, log=False, **ours),
        BARE: httpx.HTTPTransport(),
        f"{library('httpx')} (retries)": httpx.HTTPTransport(retries=5),
        library("httpx-retries"): HttpxRetries(retry=Retry(total=5, backoff_factor=0)),
    }

    def get(transport: httpx.BaseTransport) -> Get:
        client = httpx.Client(transport=transport)

        def get(url: str) -> tuple[int, bytes]:
            response = client.get(url)
            return response.status_code, response.content

        return get

    return [(by, get(transport)) for by, transport in transports.items()]


def requests_clients(**ours: Any) -> list[tuple[str, Get]]:
    """Clients of requests."""
    retry = UrllibRetry(total=5, backoff_factor=0, status_forcelist=[503])
    adapters = {
        "ours": RetryAdapter(POLICY, log=False, **ours),
        BARE: HTTPAdapter(),
        f"{library('urllib3')} (Retry)": HTTPAdapter(max_retries=retry),
    }

    def get(adapter: HTTPAdapter) -> Get:
        session = requests.Session()
        session.mount("http://", adapter)

        def get(url: str) -> tuple[int, bytes]:
            response = session.get(url)
            return response.status_code, response.content

        return get

    return [(by, get(adapter)) for by, adapter in adapters.items()]


def aiohttp_clients(**ours: Any) -> list[tuple[str, Get]]:
    """Clients of aiohttp, all in one event loop."""
    retry = ListRetry(timeouts=[0] * 5, statuses={503})
    sessions: dict[str, Callable[[], Any]] = {
        "ours": lambda: aiohttp.ClientSession(
            middlewares=[RetryMiddleware(POLICY, log=False, **ours)]
        ),
        BARE: aiohttp.ClientSession,
        library("aiohttp-retry"): lambda: RetryClient(retry_options=retry),
    }

    def get(make: Callable[[], Any]) -> Get:
        session = None

        async def get(url: str) -> tuple[int, bytes]:
            nonlocal session
            if session is None:
                session = make()
                atexit.register(lambda: LOOP.run_until_complete(session.close()))
            async with session.get(url) as response:
                return response.status, await response.read()

        return lambda url: LOOP.run_until_complete(get(url))

    return [(by, get(make)) for by, make in sessions.items()]


def requests_to(url: str, get: Get) -> Callable[[], object]:
    """Gets the body."""

    def call() -> None:
        status, body = 0, b""
        while status != 200:
            status, body = get(url)
        assert body == b"ok", body

    return call


def works(server: str) -> list[Work]:
    """The works, each client of a library beside ours."""
    clients = {
        "httpx": httpx_clients,
        "aiohttp": aiohttp_clients,
        "requests": requests_clients,
    }
    return [
        Work(f"{name}, {what}", by, 1, requests_to(f"{server}/{path}", get))
        for name, made in clients.items()
        # The default budgets would refuse a retry of every request.
        for what, path, ours in (
            ("success at once", "", {}),
            ("one 503", "busy", {"budget": "envoy"}),
        )
        for by, get in made(**ours)
        # Its retries are only those of connections.
        if not (path and by.startswith("httpx "))
    ]


WORKS = works(os.environ["BENCH_SERVER"]) if "BENCH_SERVER" in os.environ else []
