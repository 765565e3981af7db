"""What is measured, and the names of those who do it.

Without a timer nobody waits: even a sleep of zero takes longer than everything else that a loop does. This
module is imported before the libraries, because they may keep the function.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

#: The sleep of works with a timer.
SLEEP = time.sleep


def no_sleep(seconds: float, /) -> None:
    """That of all others."""


time.sleep = no_sleep  # type: ignore[assignment]


def library(name: str) -> str:
    """The name of a library with its version."""
    return f"{name} {version(name)}"


#: The library `backoff` is known by the name of its author, because half of the field has its name.
LITL = f"backoff (litl) {version('backoff')}"
TENACITY = library("tenacity")
STAMINA = library("stamina")
NUMPY = library("numpy")
#: With an array of upper bounds, which numpy reads one by one.
NUMPY_OF_WINDOWS = f"{NUMPY} (windows)"


@dataclass(frozen=True)
class Work:
    """A work, who does it, and a call that does it a number of times."""

    name: str
    by: str
    operations: int
    call: Callable[[], object]
