"""The reference's answers to request lines (see tests/README.md)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import reference as ref


def answer(line):
    fields = dict(token.split("=", 1) for token in line.split())
    seed, key = int(fields.pop("seed")), fields.pop("key", None)
    via, first, count = fields.pop("via"), int(fields.pop("index")), int(fields.pop("count"))
    given = {field: parse(field, value) for field, value in fields.items()}
    try:
        policy = ref.policy(given)
    except ref.Refused as refused:
        return f"error {refused.code} {refused.field} {refused.value} {refused.limit}"
    stream = ref.stream(seed, None if key is None else bytes.fromhex(key))
    if via == "reset":
        stream, first = ref.advance(stream, first), 0
    return " ".join(["ok", *map(str, ref.delays(policy, stream, first, count))])


def parse(field, value):
    if field in ref.KINDS:
        return value
    if field in ref.RATIOS:
        n, d = value.split("/")
        return int(n), int(d)
    return int(value)


if __name__ == "__main__":
    for request in sys.stdin:
        print(answer(request))
