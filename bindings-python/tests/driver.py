"""The driver (see tests/README.md at the root): answers request lines with the installed package."""

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
            for _ in range(index):
                next(backoff)
            backoff.reset()
        delays = [backoff.next_ns() for _ in range(count)]
    return " ".join(["ok", *map(str, delays)])


if __name__ == "__main__":
    for request in sys.stdin:
        print(answer(request))
