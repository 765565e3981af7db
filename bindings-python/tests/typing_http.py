"""How type checkers see the adapters of HTTP clients. They must accept each line, and find an error at
each `type: ignore`."""

from typing import assert_type

import httpx
import requests
from backoff_rs import PROXY_STATUSES, HttpEvent, Outcome, RetryEvent, Verdict
from backoff_rs.adapters.aiohttp import RetryMiddleware
from backoff_rs.adapters.aiohttp import switch as switch_of_aiohttp
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from backoff_rs.adapters.requests import RetryAdapter, switch


def on_retry(event: HttpEvent) -> None:
    assert_type(event.method, str)
    assert_type(event.status, int | None)
    assert_type(event.delay, float)


async def on_stop(event: RetryEvent) -> None:
    """Hooks of all loops are hooks of requests."""


def classify(request: httpx.Request, ended: httpx.Response | Exception) -> Verdict | None:
    return None


def may_repeat(request: requests.PreparedRequest) -> bool:
    return request.url == "https://example.com"


RetryTransport("default", methods=["GET", "POST"], statuses=PROXY_STATUSES, classify=classify)
RetryTransport(statuses={409: "transient", 529: Outcome.THROTTLED}, on_retry=on_retry)
AsyncRetryTransport(statuses=[409], attempt_timeout=1, read_body=True, on_stop=on_stop)
RetryAdapter(budget=None, may_repeat=may_repeat, adapter={"pool_maxsize": 20})
RetryMiddleware(budget="sre", on_retry=on_retry, on_stop=on_stop)

with switch(retry=True), switch_of_aiohttp(retry=False):
    pass

RetryTransport(statuses=409)  # type: ignore[arg-type]
RetryAdapter(attempt_timeout="1s")  # type: ignore[arg-type]
switch(True)  # type: ignore[call-arg]
