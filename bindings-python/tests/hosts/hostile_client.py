"""Sends requests by the adapters, for tests/hostile: a request for each line of JSON, and a line for how it ended."""

import asyncio
import json
import sys

import aiohttp
import httpx
import requests
import urllib3
from backoff_rs.adapters.aiohttp import RetryMiddleware
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from backoff_rs.adapters.requests import RetryAdapter
from backoff_rs.adapters.urllib3 import Retry

LOOP = asyncio.new_event_loop()


class Client:
    """A client that is opened once. It reads no body but that of a success."""

    def __init__(self, options):
        self.open(options)


class Httpx(Client):
    def open(self, options):
        made = httpx.HTTPTransport(http1=self.http1, http2=not self.http1)
        transport = RetryTransport(transport=made, **options)
        self.client = httpx.Client(transport=transport, follow_redirects=True)

    http1 = True

    def send(self, method, url, fields, upload):
        with self.client.stream(method, url, headers=fields, content=upload) as response:
            return response.status_code, response.read() if response.is_success else b""


class Httpx2(Httpx):
    http1 = False


class HttpxAsync(Httpx):
    def open(self, options):
        made = httpx.AsyncHTTPTransport(http1=self.http1, http2=not self.http1)
        transport = AsyncRetryTransport(transport=made, **options)
        self.client = httpx.AsyncClient(transport=transport, follow_redirects=True)

    def send(self, method, url, fields, upload):
        async def sent():
            async with self.client.stream(method, url, headers=fields, content=upload) as response:
                return response.status_code, await response.aread() if response.is_success else b""

        return LOOP.run_until_complete(sent())


class HttpxAsync2(HttpxAsync):
    http1 = False


class Requests(Client):
    def open(self, options):
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.mount("http://", RetryAdapter(**options))

    def send(self, method, url, fields, upload):
        with self.session.request(
            method, url, headers=fields, data=upload, stream=True
        ) as response:
            return response.status_code, response.content if response.ok else b""


class Urllib3(Client):
    """A Retry, over which urllib3 runs the loop. It has no hooks and no limit of an attempt."""

    def open(self, options):
        self.limit = options.pop("attempt_timeout", None)
        retry = Retry(options["policy"], raise_on_status=False)
        self.pool = urllib3.PoolManager(retries=retry)

    def send(self, method, url, fields, upload):
        response = self.pool.request(
            method, url, headers=fields, body=upload, preload_content=False, timeout=self.limit
        )
        try:
            return response.status, response.read() if response.status == 200 else b""
        finally:
            response.close()


class Aiohttp(Client):
    def open(self, options):
        async def opened():
            return aiohttp.ClientSession(middlewares=[RetryMiddleware(**options)])

        self.session = LOOP.run_until_complete(opened())

    def send(self, method, url, fields, upload):
        async def sent():
            response = await self.session.request(method, url, headers=fields, data=upload)
            try:
                return response.status, await response.read() if response.ok else b""
            finally:
                response.close()

        return LOOP.run_until_complete(sent())


ADAPTERS = {
    "httpx": Httpx,
    "httpx-h2": Httpx2,
    "httpx-async": HttpxAsync,
    "httpx-async-h2": HttpxAsync2,
    "requests": Requests,
    "urllib3": Urllib3,
    "aiohttp": Aiohttp,
}


def main():
    clients, delays = {}, []
    for line in sys.stdin:
        asked = json.loads(line)
        chosen = json.dumps(
            [asked["adapter"], asked["policy"], asked["timeout_ms"], asked["read_body"]]
        )
        if chosen not in clients:
            options = {"policy": asked["policy"], "budget": None, "log": False}
            options["on_retry"] = lambda event: delays.append(event.delay)
            options["read_body"] = asked["read_body"]
            if asked["timeout_ms"]:
                options["attempt_timeout"] = asked["timeout_ms"] / 1000
            clients[chosen] = ADAPTERS[asked["adapter"]](options)
        ended = None
        for _ in range(asked["times"]):
            delays.clear()
            try:
                request = [asked["method"], asked["url"], asked["fields"]]
                status, body = clients[chosen].send(*request, bytes(asked["upload"]) or None)
                ended = {"status": status, "body": body.decode("latin-1")[:100]}
            except Exception as error:
                ended = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({**ended, "delays_ms": [delay * 1000 for delay in delays]}), flush=True)


main()
