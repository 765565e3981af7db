"""Loops, and the start of an interpreter. Only the loops that are called so wait, or log."""

from works import LITL, SLEEP, STAMINA, TENACITY, Work, no_sleep  # isort: split

import asyncio
import logging
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import backoff
import stamina
import tenacity
from backoff_rs import retry
from stamina.instrumentation import set_on_retry_hooks

set_on_retry_hooks([])

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def ours(milliseconds: int = 0, **more: Any) -> Decorator:
    """Five retries of a ValueError, at once or with a timer."""
    policy = f"constant:base={milliseconds}ms,max_retries=5"
    return retry(policy, on=ValueError, **{"log": False, **more})


def litl(milliseconds: int = 0, **more: Any) -> Decorator:
    """The same."""
    always: dict[str, Any] = {"max_tries": 6, "interval": milliseconds / 1000, "jitter": None}
    return backoff.on_exception(backoff.constant, ValueError, **always, **{"logger": None, **more})


def of_tenacity(milliseconds: int = 0, **more: Any) -> Decorator:
    """The same."""
    return tenacity.retry(
        retry=tenacity.retry_if_exception_type(ValueError),
        stop=tenacity.stop_after_attempt(6),
        wait=tenacity.wait_fixed(milliseconds / 1000) if milliseconds else tenacity.wait_none(),
        reraise=True,
        **more,
    )


def of_stamina(milliseconds: int = 0) -> Decorator:
    """The same."""
    wait = milliseconds / 1000
    waits: dict[str, Any] = {"wait_initial": wait, "wait_exp_base": 1, "wait_jitter": 0}
    return stamina.retry(on=ValueError, attempts=6, timeout=None, **waits)


def decorators(milliseconds: int = 0) -> list[tuple[str, Decorator]]:
    """The same of all."""
    return [
        ("ours", ours(milliseconds)),
        (LITL, litl(milliseconds)),
        (TENACITY, of_tenacity(milliseconds)),
        (STAMINA, of_stamina(milliseconds)),
    ]


DECORATORS = decorators()
WITH_TIMERS = decorators(1)

#: Makes records and writes nothing.
LOGGER = logging.getLogger("bench")
LOGGER.addHandler(logging.NullHandler())
LOGGER.propagate = False

#: The same with a warning before each retry, which ours has by default. Those of stamina are the same
#: for all its loops.
LOGGED: list[tuple[str, Decorator]] = [
    ("ours", ours(log=LOGGER)),
    (LITL, litl(logger=LOGGER, backoff_log_level=logging.WARNING)),
    (TENACITY, of_tenacity(before_sleep=tenacity.before_sleep_log(LOGGER, logging.WARNING))),
]


class Failing:
    """A call that fails a given number of times before it succeeds."""

    def __init__(self, failures: int) -> None:
        self.left = failures

    def attempt(self) -> int:
        """Fails, or returns 1."""
        if self.left:
            self.left -= 1
            raise ValueError("busy")
        return 1


def success(decorate: Decorator) -> Callable[[], object]:
    """A decorated function that succeeds."""

    @decorate
    def call() -> int:
        return 1

    return call


def failures(decorate: Decorator, count: int) -> Callable[[], object]:
    """A decorated function that fails, and then succeeds."""

    @decorate
    def call(failing: Failing) -> int:
        return failing.attempt()

    return lambda: call(Failing(count))


def with_timer(call: Callable[[], object]) -> Callable[[], object]:
    """The call with blocking waits that wait."""

    def run() -> None:
        time.sleep = SLEEP
        try:
            call()
        finally:
            time.sleep = no_sleep  # type: ignore[assignment]

    return run


def concurrent(decorate: Decorator) -> Callable[[], object]:
    """A thousand tasks."""

    @decorate
    async def call(failing: Failing) -> int:
        return failing.attempt()

    async def all_of_them() -> None:
        await asyncio.gather(*(call(Failing(2)) for _ in range(1000)))

    loop = asyncio.new_event_loop()
    run: Callable[[Awaitable[None]], None] = loop.run_until_complete
    return lambda: run(all_of_them())


def interpreter(code: str) -> Callable[[], object]:
    """The start and the end of an interpreter that runs this."""
    return partial(subprocess.run, [sys.executable, "-I", "-c", code], check=True)


def decorated(names: str, decorator: str) -> str:
    """A program with a decorated function, which imports what the README of its library imports."""
    return f"{names}\n@{decorator}\ndef call():\n    pass"


WORKS = [
    *(Work("loop, success at once", by, 1, success(with_)) for by, with_ in DECORATORS),
    *(Work("loop, one failure", by, 1, failures(with_, 1)) for by, with_ in DECORATORS),
    *(Work("loop, two failures", by, 1, failures(with_, 2)) for by, with_ in DECORATORS),
    *(Work("loop, two failures, logged", by, 1, failures(with_, 2)) for by, with_ in LOGGED),
    *(
        Work("loop, two failures, waits of 1 ms", by, 1, with_timer(failures(with_, 2)))
        for by, with_ in WITH_TIMERS
    ),
    *(Work("1000 loops", by, 1, concurrent(with_)) for by, with_ in DECORATORS),
    *(Work("1000 loops, waits of 1 ms", by, 1, concurrent(with_)) for by, with_ in WITH_TIMERS),
    Work("import", "ours", 1, interpreter("import backoff_rs")),
    Work("import", "bare Python", 1, interpreter("pass")),
    Work("import", "json", 1, interpreter("import json")),
    Work("import", LITL, 1, interpreter("import backoff")),
    Work("import", TENACITY, 1, interpreter("import tenacity")),
    Work(
        "import and decorate",
        "ours",
        1,
        interpreter(decorated("from backoff_rs import retry", "retry(on=OSError)")),
    ),
    Work("import and decorate", "bare Python", 1, interpreter("pass")),
    Work(
        "import and decorate",
        LITL,
        1,
        interpreter(decorated("import backoff", "backoff.on_exception(backoff.expo, OSError)")),
    ),
    Work(
        "import and decorate",
        TENACITY,
        1,
        interpreter(decorated("from tenacity import retry", "retry()")),
    ),
]
