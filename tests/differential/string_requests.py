"""Random requests to the evaluators, valid and invalid, the same for the same seed.

Usage: string_requests.py SEED COUNT; `tests/README.md` describes a request.
"""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from reference import delays, fields, strings

RESTART, LAST = delays.RESTART, 2**32 - 1
KEYS, HEADS = strings.KEYS["policy"], list(strings.HEADS["policy"])
STRANGE = [
    *("", " ", "\0", "\t", "\n", "=", ":", ",", '"', "\\", "\x7f", "\u00a0", "x" * 40),
    *(
        "none",
        "None",
        "NaN",
        "inf",
        "-1",
        "+1s",
        "1e3s",
        "1_0s",
        "0x1",
        "٣s",
        "²",
        "ä",
        "任务",
        "🚀",
    ),
]


def pick(rng, text):
    return rng.choice(text.split())


# Values: every form of SPEC 11.4, and some that are not allowed.


def number(rng, most):
    whole = rng.randrange(most)
    text = rng.choice(["", "", "", "0", "000"]) + str(whole)
    if rng.random() < 0.3:
        text += "." + str(rng.randrange(10 ** rng.randint(1, 3))) + rng.choice(["", "0", "000"])
    return text


def duration(rng, field):
    """Short bases and long caps, so that most policies satisfy SPEC 8.5."""
    chance = rng.random()
    if chance < 0.01:
        return rng.choice(
            ["9223372036854775807ns", "106751d", "9223372036854775808ns", "300000d", "9" * 30 + "s"]
        )
    if chance < 0.03:
        return rng.choice(["0s", "0ns", "1ns", "2ns", "99ns", "100ns", "3ns"])
    if chance < 0.05:
        return f"0.{rng.randrange(10**12):012}s"
    if field in ("cap", "max_elapsed", "retry_after_max", "retry_after_max_extra"):
        return number(rng, 100) + pick(rng, "m h h d" if chance < 0.95 else "ms s")
    return number(rng, 1000) + pick(rng, "us ms ms ms" if chance < 0.9 else "s m h")


def ratio(rng, field):
    if rng.random() < 0.03:
        return rng.choice(
            [
                "0/0",
                "1/0",
                "1000001",
                "1/1000001",
                "4294967296",
                "1/18446744073709551616",
                "0.0000001",
                "0.00000000000000000001",
                "3/2",
                "150%",
                "2.5",
                "0",
                "1",
                "0.5",
                "1.005",
                "1.0000001",
            ]
        )
    d = rng.choice([1, 2, 3, 5, 7, 10, 64, 100, 1000, rng.randint(1, 1_000_000)])
    n = int(d * rng.uniform(1, 4)) if field == "multiplier" else rng.randint(0, d)
    more = rng.choice([1, 1, 2, 10**6, 2**31])
    digits = f"{rng.randrange(1, 4) if field == 'multiplier' else 0}.{rng.randrange(10**4):04}"
    percent = rng.randint(101, 900) if field == "multiplier" else rng.randint(0, 100)
    return rng.choice(
        [f"{n * more}/{d * more}", digits, digits + "000", f"{percent}%", f"{percent}.50%"]
    )


def count(rng, field):
    if rng.random() < 0.05:
        return rng.choice(
            ["0", "0", "17", "4294967295", "4294967296", "4294967297", "4294967298", "9" * 25]
        )
    return rng.choice(["", "", "0"]) + str(rng.randint(1, 16))


def value(rng, field):
    if rng.random() < 0.02:
        return rng.choice([*STRANGE, "1", "1.5", "1x", "0.1ns", "1.", ".5", "1..2s", "8/", "20%%"])
    if rng.random() < (0.3 if field == "retry_after_max" else 0.01):
        return "none"
    if field == "retry_after_max" and rng.random() < 0.2:
        return rng.choice(["1h", "60m", "3600000000001ns", "9223372036854775807ns", "0s"])
    if field == "jitter" and rng.random() < 0.2:
        return ratio(rng, field)
    if field in fields.KINDS:
        return rng.choice(fields.KINDS[field])
    if field in fields.COUNTS:
        return count(rng, field)
    return ratio(rng, field) if field in fields.RATIOS else duration(rng, field)


# Strings


def policy(rng):
    """Mostly valid: fields that the growth and the jitter use, each once."""
    head = rng.choice(HEADS[:8] if rng.random() < 0.8 else HEADS)
    kinds = {"growth": head, "jitter": "none"} | strings.HEADS["policy"][head]
    pairs = {}
    if head in HEADS[:8] and rng.random() < 0.97:
        pairs["base"] = value(rng, "base")
    if rng.random() < 0.5:
        pairs["jitter"] = value(rng, "jitter")
        kinds["jitter"] = pairs["jitter"]
        if (
            kinds["jitter"] == "decorrelated"
            and kinds["growth"] != "exponential"
            and rng.random() < 0.9
        ):
            kinds["jitter"] = pairs["jitter"] = "full"
    for key in KEYS:
        selector, used = fields.USED_BY.get(key, fields.ALWAYS)
        often = 0.15 if kinds[selector] in used else 0.004
        if key in ("jitter_max", "jitter_slot", "jitter_below") and often == 0.15:
            often = 0.9
        if key not in pairs and rng.random() < often:
            pairs[key] = value(rng, key)
    if "max_retries" in pairs and rng.random() < 0.9:
        pairs.pop("max_attempts", None)
    if kinds["growth"] == "exponential" and rng.random() < 0.01:
        pairs |= {
            "base": f"{rng.randint(1, 120)}ns",
            "multiplier": rng.choice(["1.01", "1.02", "1.5"]),
        }
    pairs = [f"{key}={text}" for key, text in pairs.items()]
    rng.shuffle(pairs)
    if pairs and rng.random() < 0.02:
        pairs.insert(
            rng.randrange(len(pairs) + 1),
            f"{rng.choice(pairs).split('=')[0]}={value(rng, rng.choice(KEYS))}",
        )
    return head + ":" * bool(pairs) + ",".join(pairs)


def mutated(rng, line):
    """One random edit."""
    at, end = sorted(rng.randrange(len(line) + 1) for _ in range(2))
    end = min(end, at + 3)
    some = rng.choice([*STRANGE, *KEYS, *HEADS, *"0123456789.,:=/%smhdunx"])
    match rng.randrange(6):
        case 0:
            return line[:at] + line[end:]
        case 1:
            return line[:at] + some + line[at:]
        case 2:
            return line[:at] + some + line[end:]
        case 3:
            return line[:at] + line[at:end] * 2 + line[end:]
        case 4:
            return line[:at]
        case _:
            return line[:at] + line[at:].upper()


def long(rng, line):
    """About 1024 bytes, or many more."""
    zeros = rng.choice([1000, 1024 - len(line) - 6, 1025 - len(line) - 6, 5000])
    return f"{line}{',' if ':' in line else ':'}floor={'0' * zeros}s"[
        : rng.choice([1023, 1024, 1025, 9999])
    ]


def text(rng):
    line = policy(rng)
    chance = rng.random()
    if chance < 0.75:
        return line
    if chance < 0.96:
        return mutated(rng, line)
    return rng.choice(HEADS + STRANGE) if chance < 0.99 else long(rng, line)


# Requests


def index(rng):
    chance = rng.random()
    if chance < 0.985:
        return rng.choice([0, 0, 1, 2, rng.randrange(30), rng.randrange(200)])
    if chance < 0.99:
        return rng.randrange(RESTART)
    restart = RESTART * rng.randint(1, 2**20 - 1)
    return rng.choice([LAST, LAST - 1, restart - 1, restart, restart + 1, rng.randrange(2**32)])


def request(rng):
    members = [("policy", text(rng)), ("seed", seed(rng)), ("index", index(rng))]
    if rng.random() < 0.6:
        members.append(
            (
                "key",
                rng.choice(
                    [
                        None,
                        "",
                        "job-1",
                        "ä🚀",
                        "a\0b",
                        f"job-{rng.randrange(10**9)}",
                        str(rng.getrandbits(130)),
                    ]
                ),
            )
        )
    if rng.random() < 0.1:
        members.pop(rng.randrange(1, len(members)))
    if rng.random() < 0.05:
        members.append(
            rng.choice([("more", {"policy": [1, None, -0.5e3]}), ("", ""), ("Policy", "x")])
        )
    if rng.random() < 0.05:
        members.append((rng.choice(members)[0], rng.choice(["default", "7", 7, None])))
    if rng.random() < 0.5:
        rng.shuffle(members)
    return members


def seed(rng):
    return rng.choice(["", "", "", "00"]) + str(
        rng.choice([0, 42, 2**64 - 1, *[rng.getrandbits(64)] * 5])
    )


def encoded(rng, members):
    """A JSON object with its members in this order, including repeated ones."""
    ascii_only, space = rng.random() < 0.5, rng.choice(["", "", "", " ", "\t"])

    def dumped(x):
        if type(x) is int and rng.random() < 0.05:
            return rng.choice([f"{x}.0", f"{x}e0", f"{x}0E-1", f"{x}.000"])
        whole = json.dumps(x, ensure_ascii=ascii_only)
        if isinstance(x, str) and x[:1].isalpha() and x.isascii() and rng.random() < 0.05:
            return f'"\\u{ord(x[0]):04X}{whole[2:]}'
        return whole

    rows = (f"{space}{json.dumps(name)}{space}:{space}{dumped(x)}" for name, x in members)
    return "{" + ",".join(rows) + space + "}" + rng.choice(["", "", "", " ", "\r"])


SEEDS = [5, None, "", "-1", "+1", " 1", "1.0", "1e3", "0x1", "٣", "²", str(2**64), "9" * 100, True]
INDICES = [-1, 2**32, 1.5, 1e30, 10**30, "1", None, True, False, [], 0.1, -0.5]
NOT_REQUESTS = [
    *(
        "",
        " ",
        "\t",
        "{",
        "}",
        "{}",
        "[]",
        "null",
        "true",
        "5",
        '"default"',
        "default",
        "full:base=1s",
    ),
    *(
        f'{{"policy":"default","index":{index}}}'
        for index in ("NaN", "Infinity", "-Infinity", "01", "+1", ".5", "1.", "0x1")
    ),
    *(
        f'{{"policy":"default","key":"{key}"}}'
        for key in ("\\ud800", "\\udc00\\ud800", "\\ud83dx\\ude00", "\t", "\\x41")
    ),
    *('{"policy":"default\\udfff"}', '{"policy":"default","more":["\\ud83d"]}'),
    *('{"policy":"default","\\ud800":1}', '{"policy":"default",}', '{policy:"default"}'),
    '{"policy":"default" "seed":"1"}',
]


def not_a_request(rng):
    valid = encoded(rng, [("policy", policy(rng)), ("seed", seed(rng))])
    at = rng.randrange(len(valid))
    members = rng.choice(
        [
            *([("seed", "1")], [("policy", None)], [("policy", 5)], [("policy", ["default"])]),
            *([("policy", "default"), ("seed", x)] for x in SEEDS),
            *([("policy", "default"), ("key", x)] for x in (5, True, [], {}, False)),
            *([("policy", "default"), ("index", x)] for x in INDICES),
        ]
    )
    broken = [
        *(valid[:at], valid[:at] + rng.choice("{}[]:,x") + valid[at:]),
        *(valid + rng.choice(["x", ",", valid, "//"]), "[" + valid + "]"),
        *(valid.replace('"', "'"), valid.replace("{", "{,")),
        *("\ufeff" + valid, "\x0b" + valid, "\u00a0" + valid),
    ]
    return rng.choice([*NOT_REQUESTS, *broken, *[encoded(rng, members)] * 40])


def line(rng):
    return not_a_request(rng) if rng.random() < 0.06 else encoded(rng, request(rng))


if __name__ == "__main__":
    rng = random.Random(int(sys.argv[1]))
    lines = {}  # a dict keeps the order and drops repeated lines
    while len(lines) < int(sys.argv[2]):
        lines[line(rng)] = None
    # The last line has no line feed.
    sys.stdout.buffer.write("\n".join(lines).encode())
