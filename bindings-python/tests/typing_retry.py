"""Checked by mypy --strict and pyright, never run: decorated functions keep their types."""

import logging
from collections.abc import AsyncIterator, Coroutine, Iterator
from datetime import timedelta
from typing import Any, assert_type
from uuid import UUID

from backoff_rs import (
    Attempt,
    Budget,
    Defaults,
    Outcome,
    Policy,
    RandomStream,
    RetryError,
    RetryEvent,
    Retrying,
    RetryStats,
    StopReason,
    Verdict,
    current_attempt,
    permanent,
    retry,
    retry_after,
    retrying,
    set_defaults,
    with_options,
)
from backoff_rs.testing import FakeTime, fake_time


@retry("full:base=100ms,max_retries=5", on=OSError)
def fetch(url: str, *, times: int = 1) -> bytes:
    return url.encode() * times


@retry(Policy.parse("default"), on=(OSError, ValueError))
async def fetch_async(url: str) -> bytes:
    return url.encode()


@retry(on=OSError)
def items(count: int) -> Iterator[int]:
    yield from range(count)


@retry(on=OSError)
async def items_async(count: int) -> AsyncIterator[int]:
    yield count


class Client:
    @retry(on=OSError)
    def get(self, url: str) -> str:
        return url

    @retry(on=OSError)
    async def get_async(self, url: str) -> str:
        return url

    @classmethod
    @retry(on=OSError)
    def make(cls) -> "Client":
        return cls()

    @staticmethod
    @retry(on=OSError)
    def version() -> int:
        return 1


assert_type(fetch("a", times=2), bytes)
fetch(1)  # type: ignore[arg-type]
fetch("a", time=2)  # type: ignore[call-arg]
assert_type(items(3), Iterator[int])
items("3")  # type: ignore[arg-type]
items_async("3")  # type: ignore[arg-type]
assert_type(Client().get("a"), str)
Client().get(1)  # type: ignore[arg-type]
assert_type(Client.make(), Client)
assert_type(Client.version(), int)


async def use() -> None:
    assert_type(await fetch_async("a"), bytes)
    await fetch_async(1)  # type: ignore[arg-type]
    assert_type(await Client().get_async("a"), str)
    async for item in items_async(3):
        assert_type(item, int)
    async for attempt in retrying(on=OSError):
        assert_type(attempt, Attempt)
        with attempt:
            pass
        async with attempt as same:
            assert_type(same, Attempt)
    called: Coroutine[Any, Any, bytes] = retrying(on=OSError).call(fetch_async, "a")
    assert_type(await called, bytes)


for attempt in retrying(on=()):
    with attempt:
        attempt.value = b"any"
        assert_type(attempt.number, int)

assert_type(retrying(on=OSError).call(fetch, "a", times=2), bytes)
retrying(on=OSError).call(fetch, 1)  # type: ignore[arg-type]


def verdict(error: Exception) -> Verdict:
    return Verdict("throttled", retry_after=1.5)


def key_of(url: str) -> str:
    return url


def keyword_only(*, url: str) -> str:
    return url


async def is_pending(value: str) -> bool:
    return value == "pending"


async def hook(event: RetryEvent) -> None:
    assert_type(event.reason, StopReason | None)
    assert_type(event.outcome, Outcome | None)
    assert_type(event.delay, float)
    assert_type(event.error, BaseException | None)
    event.attempts = 2  # type: ignore[misc]


every: Retrying = retry(
    "default",
    on=verdict,
    on_result=is_pending,
    seed=42,
    key=key_of,
    budget=Budget.parse("sre"),
    stats=RetryStats(),
    deadline_ns=lambda url: None,
    on_retry=hook,
    on_stop=print,
    reraise=False,
    name="job",
    log=False,
    sleep=lambda seconds: None,
    clock_ns=lambda: 0,
)
retry(on=lambda error: isinstance(error, OSError), stream=RandomStream(1))
retry(on=OSError | KeyError)
retry(on=(OSError, KeyError))
retry(on=[OSError, KeyError])  # type: ignore[arg-type]
retry(on=lambda error: Outcome.TIMEOUT)
retry(on=lambda error: "timeout")
retry(None, on=OSError)  # type: ignore[arg-type]
retry()  # type: ignore[call-arg]
retry(OSError)  # type: ignore[call-arg, arg-type]
retry(on=KeyboardInterrupt)  # type: ignore[arg-type]
retry(on="OSError")  # type: ignore[arg-type]
retry(on=lambda error: "slow")  # type: ignore[arg-type, return-value]
retry(on=lambda error: None)  # type: ignore[arg-type, return-value]
retry(on=OSError, budget="sre")  # type: ignore[arg-type]
retry(on=OSError, max_retries=3, jitter="equal", waits=None)
retry(on=OSError, max_retries="3")  # type: ignore[arg-type]
retry(on=OSError, tries=3)  # type: ignore[call-arg]
retry(on=(OSError, (KeyError, ValueError)), growth="steps", waits=[5, timedelta(minutes=5)])
retry(lambda url: "default", on=OSError, delays=[1, timedelta(minutes=5)], fallback=None)
retry(on=OSError, fallback=lambda error: error.args)
retry(on=OSError, delays=lambda index, failure: None, log_levels=("info", "error"))
retry(on=OSError, log=logging.LoggerAdapter(logging.getLogger(), {}))
retry(on=OSError, log="a")  # type: ignore[arg-type]
retry(on=OSError, log_levels=("info", "loud"))  # type: ignore[arg-type]
retry(on=OSError, seed=1, key=UUID(int=0))
retry(on=OSError, seed=1, key=lambda url: key_of(url), deadline_ns=lambda url, timeout: None)
retry(on=OSError, seed=1, key=lambda: "job", deadline_ns=key_of)  # type: ignore[arg-type]
retry(on=OSError, seed=1, key=keyword_only)
retry(on=OSError, seed=1, key=1.5)  # type: ignore[arg-type]

assert_type(with_options(fetch, max_retries=9)("a", times=2), bytes)
with_options(fetch, max_retries=9)(1)  # type: ignore[arg-type]
assert_type(with_options(Client().get, max_retries=9)("a"), str)
with_options(fetch, max_retry=9)  # type: ignore[call-arg]
every.with_options(max_retry=9)  # type: ignore[call-arg]
every.with_options(
    policy="default",
    on=verdict,
    on_result=is_pending,
    delays=[1],
    fallback=lambda error: error.args,
    stream=RandomStream(1),
    seed=None,
    key=None,
    budget=Budget.parse("sre"),
    stats=RetryStats(),
    deadline_ns=None,
    on_retry=lambda event: print(event.attempts),
    on_stop=None,
    reraise=False,
    name="job",
    log=False,
    log_levels=("info", "error"),
    sleep=None,
    clock_ns=None,
)
assert_type(retry(on=OSError).with_options(max_retries=9), Retrying)
assert_type(current_attempt().number, int)
assert_type(current_attempt().last_error, BaseException | None)
assert_type(current_attempt().time_left, float | None)
with set_defaults(enabled=False, on_retry=print, max_retries=3) as defaults:
    assert_type(defaults, Defaults)
set_defaults(on=OSError)  # type: ignore[call-arg]
assert_type(Policy.parse("default").replace(max_retries=3, cap=None), Policy)
Policy.parse("default").replace(retries=3)  # type: ignore[call-arg]
retry(on=OSError, deadline_ns=1.5)  # type: ignore[arg-type]

assert_type(permanent(KeyError("a")), KeyError)
assert_type(retry_after(OSError("a"), 1.5), OSError)
permanent(KeyError)  # type: ignore[type-var]
permanent("a")  # type: ignore[type-var]
permanent(KeyboardInterrupt())  # type: ignore[type-var]
Verdict("slow")  # type: ignore[arg-type]
Verdict(Outcome.TIMEOUT, retry_after="1s")  # type: ignore[arg-type]
assert_type(Outcome.of_http_status(503), Outcome)


def gave_up(error: RetryError) -> tuple[StopReason, int, float, float, BaseException | None]:
    return error.reason, error.attempts, error.delay, error.elapsed, error.error


with fake_time(policy="default", seed=1) as time:
    assert_type(time, FakeTime)
    assert_type(time.slept, list[float])
