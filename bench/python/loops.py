"""Loops, and the start of an interpreter. Nobody waits, and only the loops that are called so log."""

from works import LITL, STAMINA, TENACITY, Work  # isort: split

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
# A blocking wait of zero takes the system longer than a loop takes any of them.
time.sleep = lambda _seconds: None

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def litl(**more: Any) -> Decorator:
    """Five retries of a ValueError, at once."""
    always: dict[str, Any] = {"max_tries": 6, "interval": 0, "jitter": None}
    return backoff.on_exception(backoff.constant, ValueError, **always, **more)


def of_tenacity(**more: Any) -> Decorator:
    """The same."""
    return tenacity.retry(
        retry=tenacity.retry_if_exception_type(ValueError),
        stop=tenacity.stop_after_attempt(6),
        wait=tenacity.wait_none(),
        reraise=True,
        **more,
    )


#: The same.
DECORATORS: list[tuple[str, Decorator]] = [
    ("ours", retry("constant:base=0s,max_retries=5", on=ValueError, log=False)),
    (LITL, litl(logger=None)),
    (TENACITY, of_tenacity()),
    (
        STAMINA,
        stamina.retry(on=ValueError, attempts=6, timeout=None, wait_initial=0, wait_jitter=0),
    ),
]

#: Makes records and writes nothing.
LOGGER = logging.getLogger("bench")
LOGGER.addHandler(logging.NullHandler())
LOGGER.propagate = False

#: The same with a warning before each retry, which ours has by default. Those of stamina are the same
#: for all its loops.
LOGGED: list[tuple[str, Decorator]] = [
    ("ours", retry("constant:base=0s,max_retries=5", on=ValueError, log=LOGGER)),
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


def decorated(module: str, decorator: str) -> str:
    """A program with a decorated function."""
    return f"from {module} import *\n@{decorator}\ndef call():\n    pass"


WORKS = [
    *(Work("loop, success at once", by, 1, success(with_)) for by, with_ in DECORATORS),
    *(Work("loop, one failure", by, 1, failures(with_, 1)) for by, with_ in DECORATORS),
    *(Work("loop, two failures", by, 1, failures(with_, 2)) for by, with_ in DECORATORS),
    *(Work("loop, two failures, logged", by, 1, failures(with_, 2)) for by, with_ in LOGGED),
    *(Work("1000 loops", by, 1, concurrent(with_)) for by, with_ in DECORATORS),
    Work("import", "ours", 1, interpreter("import backoff_rs")),
    Work("import", "bare Python", 1, interpreter("pass")),
    Work("import", "json", 1, interpreter("import json")),
    Work("import", LITL, 1, interpreter("import backoff")),
    Work("import", TENACITY, 1, interpreter("import tenacity")),
    Work(
        "import and decorate", "ours", 1, interpreter(decorated("backoff_rs", "retry(on=OSError)"))
    ),
    Work("import and decorate", "bare Python", 1, interpreter("pass")),
    Work(
        "import and decorate",
        LITL,
        1,
        interpreter(decorated("backoff", "on_exception(expo, OSError)")),
    ),
    Work("import and decorate", TENACITY, 1, interpreter(decorated("tenacity", "retry()"))),
]
