"""Works without a loop: delays, policies, decisions."""

from works import LITL, NUMPY, NUMPY_OF_WINDOWS, TENACITY, Work  # isort: split

import itertools
import random
from array import array
from collections.abc import Callable

import backoff
import numpy as np
from backoff_rs import Backoff, Budget, Operation, Policy, RandomStream
from floor_c import Delays
from tenacity import RetryCallState, wait_random_exponential

LIMITED = "full:base=100ms,cap=20s,max_retries=5"
BASE, CAP = 0.1, 20.0
#: The delays before a reset.
DELAYS = 8
MANY = 1_000_000

policy = Policy.parse("full:base=100ms,cap=20s")
decorrelated = Policy.parse("decorrelated:base=100ms,cap=20s")
limited = Policy.parse(LIMITED)
stream = RandomStream(42, "job-1")


def eight_of(delays: Backoff | Delays) -> Callable[[], object]:
    """Eight delays of an iterator, and a reset."""

    def run() -> None:
        next(delays)
        next(delays)
        next(delays)
        next(delays)
        next(delays)
        next(delays)
        next(delays)
        next(delays)
        delays.reset()

    return run


def eight_by_hand() -> float:
    """The formula, as one writes it."""
    delay = 0.0
    for n in range(DELAYS):
        delay = random.uniform(0, min(CAP, BASE * 2**n))
    return delay


def eight_of_litl() -> float:
    """Its generator, and its full jitter."""
    waits = backoff.expo(base=2, factor=BASE, max_value=CAP)
    waits.send(None)
    delay = 0.0
    for _ in range(DELAYS):
        delay = backoff.full_jitter(next(waits))
    return delay


def eight_of_tenacity() -> Callable[[], float]:
    """Its wait, which it calls with the state of a loop."""
    wait = wait_random_exponential(multiplier=BASE, max=CAP)
    state = RetryCallState(None, None, (), {})  # type: ignore[arg-type]

    def run() -> float:
        delay = 0.0
        for n in range(1, DELAYS + 1):
            state.attempt_number = n
            delay = wait(state)
        return delay

    return run


def decorrelated_by_hand() -> float:
    """The formula of the article of AWS."""
    delay = BASE
    for _ in range(DELAYS):
        delay = min(CAP, random.uniform(BASE, delay * 3))
    return delay


def random_access() -> float:
    """The delays of eight indices."""
    delay = policy.delay
    for index in range(DELAYS):
        last = delay(stream, index)
    return last


def new_and_eight() -> float:
    """A new iterator and eight delays."""
    return list(itertools.islice(Backoff(policy, stream), DELAYS))[-1]


def batch(count: int) -> Callable[[], int]:
    """Delays into a buffer, which is used again."""
    buffer = array("Q", bytes(8 * count))
    return lambda: policy.fill_ns(stream, buffer)


def uniform(count: int) -> Callable[[], np.ndarray]:
    """An array of delays below the cap."""
    generator = np.random.default_rng(42)
    return lambda: generator.uniform(0.0, CAP, count)


def uniform_of_windows(count: int) -> Callable[[], np.ndarray]:
    """An array of delays below windows that are known."""
    windows = np.minimum(CAP, BASE * 2.0 ** np.minimum(np.arange(count), 100))
    generator = np.random.default_rng(42)
    return lambda: generator.uniform(0.0, windows)


def as_list(draw: Callable[[], np.ndarray]) -> Callable[[], object]:
    """The same as a list."""
    return lambda: draw().tolist()


def list_by_hand(count: int) -> Callable[[], object]:
    """A list comprehension."""
    return lambda: [random.uniform(0, min(CAP, BASE * 2**n)) for n in range(count)]


def decide(budget: Budget | None) -> Callable[[], object]:
    """Five decisions to wait and one to stop."""

    def run() -> None:
        operation = Operation(limited, stream, now_ns=0, budget=budget)
        while operation.decide("transient", now_ns=0):
            pass

    return run


WORKS = [
    Work("next", "ours", DELAYS, eight_of(Backoff(policy, stream))),
    Work("next", "a C extension", DELAYS, eight_of(Delays(42))),
    Work("next", "by hand (random.uniform)", DELAYS, eight_by_hand),
    Work("next", LITL, DELAYS, eight_of_litl),
    Work("next", TENACITY, DELAYS, eight_of_tenacity()),
    Work("next, decorrelated", "ours", DELAYS, eight_of(Backoff(decorrelated, stream))),
    Work("next, decorrelated", "by hand (random.uniform)", DELAYS, decorrelated_by_hand),
    Work("random access", "ours", DELAYS, random_access),
    Work("random access", "by hand (random.uniform)", DELAYS, eight_by_hand),
    Work("new and 8 delays", "ours", 1, new_and_eight),
    Work("new and 8 delays", LITL, 1, eight_of_litl),
    Work("batch of 16", "ours", 1, batch(16)),
    Work("batch of 16", NUMPY, 1, uniform(16)),
    Work("batch of 16", NUMPY_OF_WINDOWS, 1, uniform_of_windows(16)),
    Work("batch of 1000000", "ours", 1, batch(MANY)),
    Work("batch of 1000000", NUMPY, 1, uniform(MANY)),
    Work("batch of 1000000", NUMPY_OF_WINDOWS, 1, uniform_of_windows(MANY)),
    Work("list of 1000", "ours", 1, lambda: policy.delays(stream, 1000)),
    Work("list of 1000", NUMPY, 1, as_list(uniform(1000))),
    Work("list of 1000", NUMPY_OF_WINDOWS, 1, as_list(uniform_of_windows(1000))),
    Work("list of 1000", "by hand (random.uniform)", 1, list_by_hand(1000)),
    Work("parse", "ours", 1, lambda: Policy.parse(LIMITED)),
    Work("print", "ours", 1, lambda: str(limited)),
    Work("decide", "ours", 6, decide(None)),
    Work("decide with a budget", "ours", 6, decide(Budget.parse("concurrent"))),
]
