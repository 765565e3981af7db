"""Random requests to the evaluators, valid and invalid, the same for the same seed.

Usage: string_requests.py SEED COUNT; `tests/README.md` describes a request.
"""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from cases.not_requests import BYTES
from differential.faults import spoiled
from differential.random_strings import policy, text
from reference import delays

RESTART, LAST = delays.RESTART, 2**32 - 1


def index(rng, policy):
    chance = rng.random()
    if "increment=" in policy and chance < 0.2:
        return rng.randint(2**31, LAST)
    if "decorrelated" in policy and chance < 0.02:
        return RESTART * rng.randint(1, 2) - rng.randint(0, 1)
    if chance < 0.985:
        return rng.choice([0, 0, 1, 2, rng.randrange(30), rng.randrange(200)])
    if chance < 0.99:
        return rng.randrange(RESTART)
    restart = RESTART * rng.randint(1, 2**20 - 1)
    return rng.choice([LAST, LAST - 1, restart - 1, restart, restart + 1, rng.randrange(2**32)])


def request(rng):
    policy = text(rng)
    members = [("policy", policy), ("seed", seed(rng)), ("index", index(rng, policy))]
    if rng.random() < 0.6:
        random = [f"job-{rng.randrange(10**9)}", str(rng.getrandbits(130))]
        random.append("k" * rng.choice([127, 128, 200, 255, 256]))
        members.append(("key", rng.choice([None, "", "job-1", "ä🚀", "a\0b", *random])))
    if rng.random() < 0.1:
        members.pop(rng.randrange(1, len(members)))
    if rng.random() < 0.05:
        more = ("more", {"policy": [1, None, -0.5e3]})
        members.append(rng.choice([more, ("", ""), ("Policy", "x")]))
    if rng.random() < 0.05:
        members.append((rng.choice(members)[0], rng.choice(["default", "7", 7, None])))
    if rng.random() < 0.5:
        rng.shuffle(members)
    return members


def seed(rng):
    zeros = rng.choice(["", "", "", "00"])
    return zeros + str(rng.choice([0, 42, 2**64 - 1, *[rng.getrandbits(64)] * 5]))


def encoded(rng, members):
    """A JSON object with its members in this order, including repeated ones.

    An object inside it is a dict, or a tuple of its members.
    """
    ascii_only, space = rng.random() < 0.5, rng.choice(["", "", "", " ", "\t"])

    def dumped(x):
        if isinstance(x, dict | tuple):
            rows = x.items() if isinstance(x, dict) else x
            return object_of(rows)
        if isinstance(x, list):
            return f"[{space}" + ",".join(map(dumped, x)) + "]"
        if type(x) is int and rng.random() < 0.05:
            return rng.choice([f"{x}.0", f"{x}e0", f"{x}0E-1" if x else "-0", f"{x}.000"])
        whole = json.dumps(x, ensure_ascii=ascii_only)
        if isinstance(x, str) and x[:1].isalpha() and x.isascii() and rng.random() < 0.05:
            return f'"\\u{ord(x[0]):04X}{whole[2:]}'
        return whole

    def object_of(members):
        rows = (f"{space}{json.dumps(name)}{space}:{space}{dumped(x)}" for name, x in members)
        return "{" + ",".join(rows) + space + "}"

    return object_of(members) + rng.choice(["", "", "", " ", "\r"])


NOT_REQUESTS = [line.decode() for line in BYTES.values() if line.isascii()]


def not_a_request(rng):
    """A request with a fault, or a line that is cut off, extended or not JSON."""
    valid = encoded(rng, [("policy", policy(rng)), ("seed", seed(rng))])
    at = rng.randrange(len(valid))
    broken = [
        *(valid[:at], valid[:at] + rng.choice("{}[]:,x") + valid[at:]),
        *(valid + rng.choice(["x", ",", valid, "//"]), "[" + valid + "]"),
        *(valid.replace('"', "'"), valid.replace("{", "{,")),
        *("\ufeff" + valid, "\x0b" + valid, "\u00a0" + valid),
    ]
    faulty = encoded(rng, spoiled(rng, request(rng)))
    return rng.choice([*NOT_REQUESTS, *broken, *[faulty] * 40])


def write(line):
    """Writes lines, each once, the same for the same seed."""
    rng, lines = random.Random(int(sys.argv[1])), {}  # a dict keeps the order
    while len(lines) < int(sys.argv[2]):
        lines[line(rng)] = None
    # The last line has no line feed.
    sys.stdout.buffer.write("\n".join(lines).encode())


def line(rng):
    return not_a_request(rng) if rng.random() < 0.06 else encoded(rng, request(rng))


if __name__ == "__main__":
    write(line)
