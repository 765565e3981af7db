"""Random requests for delays of policies by their fields, valid and invalid, the same for the same seed.

Usage: field_requests.py SEED COUNT; `tests/README.md` describes a request.
"""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from reference import delays, fields, numbers

MAX, RESTART = numbers.MAX, delays.RESTART
# Where formulas break: ends of ranges, powers of two, defaults, and numbers above the limit.
EDGES = [0, 1, 2, 3, 999, 1000, 10**6, 10**9, 2**31, 2**32, 2**53, 2**62, MAX - 1, MAX]
EDGES += [fields.HOUR, fields.HOUR + 1]
# Characters of one byte to four, and the ends of their ranges.
KEYS = "a\0\x7f\x80ä\u07ff\u0800任\uffff\U00010000🚀\U0010ffff" + "0123456789"
BEYOND = [MAX + 1, 2**64 - 1]
# How often a field is set where it is used, if that is not nearly always.
OFTEN = {
    "floor": 0.25,
    "offset": 0.25,
    "cap": 0.6,
    "max_retries": 0.2,
    "max_attempts": 0.05,
    "max_elapsed": 0.1,
    "throttled_base": 0.1,
    "retry_after_max": 0.05,
    "retry_after_max_extra": 0.05,
    "attempt_timeout": 0.05,
    "reset_after": 0.05,
}


def duration(rng):
    pick = rng.random()
    if pick < 0.15:
        return rng.choice(EDGES)
    if pick < 0.16:
        return rng.choice(BEYOND)
    return int(10 ** rng.uniform(0, 12)) if pick < 0.9 else rng.getrandbits(rng.randint(1, 63))


def ratio(rng, field):
    if rng.random() < 0.02:
        return rng.randrange(2**32), rng.randrange(2**32)
    d = rng.choice([1, 1, 2, 3, 5, 10, 100, 1000, 1_000_000, rng.randint(1, 1_000_000)])
    if field == "multiplier":
        n = int(d * rng.choice([1, 1.01, 1.1, 1.5, 1.6, 2, 3, 10, rng.uniform(0.99, 4)]))
        return (rng.choice([0, n]), d) if rng.random() < 0.03 else (n, d)
    n = rng.randint(0, d)
    return (n + 1, d) if rng.random() < 0.02 else (n, rng.choice([d] * 50 + [0]))


def value(rng, field):
    if field in fields.RATIOS:
        return ratio(rng, field)
    if field == "power":
        return rng.choice([1, 2, 3, 4, 16] * 10 + [0, 17, 2**32])
    if field in ("max_retries", "max_attempts"):
        # Around the numbers of delays that are asked for, and those that are prefetched.
        ends = [1, 2, 3, 10, 63, 64, 65, 66, 99, 100, 101, rng.randrange(300), 2**32]
        return rng.choice(ends * 5 + [0, 2**32 + 1, 2**32 + 2])
    if field == "origin":
        return rng.choice([0, 1, 2, 2**32 - 1] * 10 + [2**32])
    if field in fields.LISTS:
        lengths = [1, 2, 3, 5, 16] * 20 + [0, 17, 40]
        return [duration(rng) for _ in range(rng.choice(lengths))]
    return duration(rng)


def policy(rng):
    """Mostly valid policies, so that most requests reach the formulas."""
    chosen = {
        "growth": rng.choice(fields.KINDS["growth"]),
        "jitter": rng.choice(fields.KINDS["jitter"]),
    }
    if chosen.get("jitter") == "decorrelated" and rng.random() < 0.97:
        chosen["growth"] = "exponential"
    if chosen["growth"] != "steps":
        chosen["base"] = duration(rng)
    for field, often in (("cap_on", 0.7), ("retry_after", 0.1), ("elapsed_from", 0.1)):
        if rng.random() < often:
            chosen[field] = rng.choice(fields.KINDS[field])
    for field in fields.FIELDS:
        selector, kinds = fields.USED_BY.get(field, ("growth", fields.KINDS["growth"]))
        used = chosen[selector] in kinds
        if field not in chosen and field not in fields.KINDS:
            often = OFTEN.get(field, 0.85)
            if rng.random() < (often if used else 0.003):
                chosen[field] = value(rng, field)
    # Independent durations would nearly always break a relation of SPEC 8.5.
    if rng.random() < 0.95 and "cap" in chosen:
        below = ("base", "floor", "offset", "throttled_base")
        chosen["cap"] = max(chosen["cap"], *(chosen.get(field, 0) for field in below))
    if rng.random() < 0.01:
        chosen.pop(rng.choice(list(chosen)))
    if rng.random() < 0.01:
        chosen[rng.choice(["growth", "jitter", "cap_on", "retry_after", "elapsed_from"])] = (
            "nonsense"
        )
    return chosen


def shown(v):
    return list(map(str, v)) if isinstance(v, list) else str(v)


def line(rng):
    chosen = policy(rng)
    texts = [
        (field, "/".join(map(str, v)) if isinstance(v, tuple) else shown(v))
        for field, v in chosen.items()
    ]
    rng.shuffle(texts)
    via = rng.choice(["at", "fill", "next", "reset"])
    count = 100
    if via == "next":
        index = 0
        # Sometimes far enough for decorrelated jitter to restart.
        if chosen.get("jitter") == "decorrelated" and rng.random() < 0.1:
            count = RESTART + 50
    elif via == "reset":
        index = rng.choice([0, 1, 2, 63, 64, 65, rng.randrange(300), RESTART - 1, RESTART])
    else:
        near_restart = RESTART * rng.randint(1, 2**20 - 1) - rng.randrange(count)
        index = rng.choice([0, 0, 0, rng.randrange(200), near_restart, rng.randrange(2**32)])
        index = min(index, 2**32 - count)
        if rng.random() < 0.02:
            index = 2**32 - count
    seed = rng.choice([0, 1, 42, 2**64 - 1, rng.getrandbits(64)])
    request = {"policy": dict(texts), "seed": str(seed)}
    if rng.random() < 0.6:
        request["key"] = "".join(rng.choice(KEYS) for _ in range(rng.choice([0, 1, 7, 8, 9, 36])))
    delays = {"via": via, "index": index, "count": count}
    return json.dumps(request | {"delays": delays}, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    rng = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        print(line(rng))
