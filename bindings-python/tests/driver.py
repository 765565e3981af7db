"""The driver (see tests/README.md at the root): answers request lines with the installed package."""

import contextlib
import sys
from array import array

import vectors
from backoff_rs import Backoff, PolicyError


def answer(line):
    words = dict(word.split("=", 1) for word in line.split())
    stream = vectors.stream(words.pop("seed"), words.pop("key", None))
    via, index, count = words.pop("via"), int(words.pop("index")), int(words.pop("count"))
    try:
        policy = vectors.policy(words)
    except PolicyError as error:
        return f"error {error.code} {error.field} {error.value} {error.limit}"
    if via == "at":
        delays = [policy.delay_ns(stream, i) for i in range(index, index + count)]
    elif via == "fill":
        delays = array("Q", bytes(8 * count))
        assert policy.fill_ns(stream, delays, index) == count
    else:
        backoff = Backoff(policy, stream)
        if via == "reset":
            taken(backoff, index)
            backoff.reset()
        delays = taken(backoff, count)
    return " ".join(["ok", *map(str, delays)])


def taken(backoff, count):
    """The next delays; fewer than count if the iterator ends."""
    delays = []
    with contextlib.suppress(StopIteration):
        for _ in range(count):
            delays.append(backoff.next_ns())
    return delays


if __name__ == "__main__":
    for request in sys.stdin:
        print(answer(request))
