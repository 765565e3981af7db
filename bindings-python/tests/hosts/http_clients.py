"""One way to send a request with each HTTP client and its adapter."""

import contextlib
import ssl
from concurrent.futures import ThreadPoolExecutor

import aiohttp
import anyio
import httpx
import requests
from backoff_rs.adapters.aiohttp import RetryMiddleware
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from backoff_rs.adapters.requests import RetryAdapter, switch

#: It takes longer to make than most tests.
TLS = httpx.create_ssl_context(trust_env=False)


class Client:
    """A client with an adapter, and what the tests need to know about it."""

    #: Its error of a connection that was lost, and the others of failures that may pass.
    lost: type[Exception] = httpx.TransportError
    errors: tuple[type[Exception], ...] = ()

    def __init__(self, *, proxy=None, trusted=None, **options):
        #: The URL of a proxy, and the file of an authority.
        self.proxy, self.trusted = proxy, trusted
        self.tls = ssl.create_default_context(cafile=trusted) if trusted else TLS
        #: The waits.
        self.slept = []
        self.now_ns = 0
        self.options = {"sleep": self._sleep, "clock_ns": lambda: self.now_ns, "log": False}
        self.options |= options

    def _sleep(self, seconds):
        self.slept.append(seconds)
        self.now_ns += round(seconds * 10**9)

    async def _sleep_async(self, seconds):
        self._sleep(seconds)

    def fetch(self, *asked, at_once=False):
        """Sends requests (method, url, options) by one client: one after the other, or all at once.
        The option retry is the switch of the request. Returns the status and the body of each."""
        with self._opened() as session:
            if at_once:
                with ThreadPoolExecutor(len(asked)) as pool:
                    return list(pool.map(lambda request: self._send(session, *request), asked))
            return [self._send(session, *request) for request in asked]

    def _opened(self):
        """A client with the adapter."""
        raise NotImplementedError

    def _send(self, session, method, url, rest):
        raise NotImplementedError


class AsyncClient(Client):
    """The same for async code."""

    backend = "asyncio"

    def __init__(self, **options):
        super().__init__(**{"sleep": self._sleep_async, **options})

    def fetch(self, *asked, at_once=False):
        results = [None] * len(asked)

        async def send(session, at):
            results[at] = await self._send(session, *asked[at])

        async def run():
            async with self._opened() as session:
                if not at_once:
                    for at in range(len(asked)):
                        await send(session, at)
                    return
                async with anyio.create_task_group() as group:
                    for at in range(len(asked)):
                        group.start_soon(send, session, at)

        anyio.run(run, backend=self.backend)
        return results


def of_httpx(rest):
    """The options of a request of httpx."""
    if "retry" in rest:
        rest = {**rest, "extensions": {"retry": rest["retry"]}}
        del rest["retry"]
    return rest


def of_others(rest):
    """Those of a request of requests and aiohttp, with the context to send it in."""
    rest = dict(rest)
    if "content" in rest:
        rest["data"] = rest.pop("content")
    retry = rest.pop("retry", None)
    return rest, contextlib.nullcontext() if retry is None else switch(retry=retry)


HTTPX = {"follow_redirects": True, "trust_env": False, "timeout": 60}


class Httpx(Client):
    def _opened(self):
        inner = httpx.HTTPTransport(verify=self.tls, proxy=self.proxy)
        return httpx.Client(transport=RetryTransport(**self.options, transport=inner), **HTTPX)

    def _send(self, session, method, url, rest):
        response = session.request(method, url, **of_httpx(rest))
        return response.status_code, response.text


class AsyncHttpx(AsyncClient):
    def _opened(self):
        inner = httpx.AsyncHTTPTransport(verify=self.tls, proxy=self.proxy)
        transport = AsyncRetryTransport(**self.options, transport=inner)
        return httpx.AsyncClient(transport=transport, **HTTPX)

    async def _send(self, session, method, url, rest):
        response = await session.request(method, url, **of_httpx(rest))
        return response.status_code, response.text


class TrioHttpx(AsyncHttpx):
    backend = "trio"


class Requests(Client):
    lost = requests.ConnectionError
    errors = (requests.Timeout, requests.exceptions.ChunkedEncodingError)

    def _opened(self):
        session = requests.Session()
        session.trust_env = False
        session.proxies = {"https": self.proxy}
        session.verify = str(self.trusted) if self.trusted else True
        for scheme in ("http://", "https://"):
            session.mount(scheme, RetryAdapter(**self.options))
        return session

    def _send(self, session, method, url, rest):
        options, context = of_others(rest)
        with context:
            response = session.request(method, url, **options)
        return response.status_code, response.text


class Aiohttp(AsyncClient):
    lost = aiohttp.ClientConnectionError
    errors = (TimeoutError, aiohttp.ClientPayloadError, aiohttp.ClientResponseError)

    def _opened(self):
        return aiohttp.ClientSession(middlewares=[RetryMiddleware(**self.options)])

    async def _send(self, session, method, url, rest):
        options, context = of_others(rest)
        with context:
            async with session.request(
                method, url, proxy=self.proxy, ssl=self.tls, **options
            ) as response:
                return response.status, await response.text()


def get(url, **rest):
    """A request for Client.fetch()."""
    return ("GET", url, rest)


CLIENTS = [Httpx, AsyncHttpx, TrioHttpx, Requests, Aiohttp]


def files_of_a_process():
    """How many file descriptors this process has open."""
    import os

    with contextlib.suppress(FileNotFoundError):
        return len(os.listdir("/proc/self/fd"))
    return 0
