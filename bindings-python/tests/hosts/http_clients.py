"""One way to send a request with each HTTP client and its adapter."""

import asyncio
import contextlib

import aiohttp
import anyio
import httpx
import requests
from backoff_rs.adapters.aiohttp import RetryMiddleware
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from backoff_rs.adapters.requests import RetryAdapter


class Client:
    """A client with an adapter, and what the tests need to know about it."""

    #: Its errors.
    lost: type[Exception] = httpx.TransportError
    timeout: type[Exception] = httpx.TimeoutException
    truncated: type[Exception] = httpx.RemoteProtocolError
    #: Whether attempt_timeout bounds the whole attempt.
    is_exact = False

    def __init__(self, **options):
        #: The waits.
        self.slept = []
        self.options = {"sleep": self._sleep, "log": False, **options}

    def _sleep(self, seconds):
        self.slept.append(seconds)

    async def _sleep_async(self, seconds):
        self.slept.append(seconds)

    def fetch(self, *requests):
        """Sends requests (method, url, options), one after the other, by one client. Returns the
        status and the body of each."""
        raise NotImplementedError


class Httpx(Client):
    def fetch(self, *requests):
        with httpx.Client(
            transport=RetryTransport(**self.options), follow_redirects=True, trust_env=False
        ) as client:
            responses = [client.request(method, url, **rest) for method, url, rest in requests]
        return [(response.status_code, response.text) for response in responses]


class AsyncHttpx(Client):
    is_exact = True
    backend = "asyncio"

    def __init__(self, **options):
        super().__init__(**{"sleep": self._sleep_async, **options})

    def fetch(self, *requests):
        async def run():
            transport = AsyncRetryTransport(**self.options)
            async with httpx.AsyncClient(
                transport=transport, follow_redirects=True, trust_env=False
            ) as client:
                return [await client.request(method, url, **rest) for method, url, rest in requests]

        responses = anyio.run(run, backend=self.backend)
        return [(response.status_code, response.text) for response in responses]


class TrioHttpx(AsyncHttpx):
    backend = "trio"


class Requests(Client):
    lost = requests.ConnectionError
    timeout = requests.Timeout
    truncated = requests.exceptions.ChunkedEncodingError

    def fetch(self, *asked):
        results = []
        with requests.Session() as session:
            session.trust_env = False
            session.mount("http://", RetryAdapter(**self.options))
            for method, url, rest in asked:
                if "content" in rest:
                    rest = {**rest, "data": rest["content"]}
                    del rest["content"]
                response = session.request(method, url, **rest)
                results.append((response.status_code, response.text))
        return results


class Aiohttp(Client):
    lost = aiohttp.ClientConnectionError
    timeout = asyncio.TimeoutError
    truncated = aiohttp.ClientPayloadError
    is_exact = True

    def __init__(self, **options):
        super().__init__(**{"sleep": self._sleep_async, **options})

    def fetch(self, *asked):
        async def run():
            results = []
            async with aiohttp.ClientSession(
                middlewares=[RetryMiddleware(**self.options)]
            ) as session:
                for method, url, rest in asked:
                    if "content" in rest:
                        rest = {**rest, "data": rest["content"]}
                        del rest["content"]
                    async with session.request(method, url, **rest) as response:
                        results.append((response.status, await response.text()))
            return results

        return asyncio.run(run())


CLIENTS = [Httpx, AsyncHttpx, TrioHttpx, Requests, Aiohttp]


def files_of_a_process():
    """How many file descriptors this process has open."""
    import os

    with contextlib.suppress(FileNotFoundError):
        return len(os.listdir("/proc/self/fd"))
    return 0
