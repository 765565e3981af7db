"""The reference's answers to the requests of `field_requests.py` (see tests/README.md)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from reference import delays, errors, fields, policies, sequences, streams


def answer(line):
    words = dict(word.split("=", 1) for word in line.split())
    seed, key = int(words.pop("seed")), words.pop("key", None)
    via, first, count = words.pop("via"), int(words.pop("index")), int(words.pop("count"))
    try:
        policy = policies.policy({field: parse(field, value) for field, value in words.items()})
    except errors.PolicyError as error:
        return f"error {error.code} {error.field} {error.value} {error.limit}"
    stream = streams.stream(seed, None if key is None else bytes.fromhex(key))
    if via in ("at", "fill"):
        found = delays.delays(policy, stream, first, count)
    else:
        iterator = sequences.Iterator(policy, stream)
        if via == "reset":
            iterator.take(first)
            iterator.reset()
        found = iterator.take(count)
    return " ".join(["ok", *map(str, found)])


def parse(field, value):
    if field in fields.KINDS:
        return value
    if field in fields.RATIOS:
        n, d = value.split("/")
        return int(n), int(d)
    return int(value)


if __name__ == "__main__":
    for request in sys.stdin:
        print(answer(request))
