"""Random policy strings, valid and invalid."""

from reference import fields, strings

KEYS, HEADS = strings.KEYS["policy"], list(strings.HEADS["policy"])
SHORT = [*fields.KINDS["growth"], *strings.SHORTHANDS]  # the heads that need more fields
NAMES = {of: [*strings.KEYS[of], *strings.HEADS[of]] for of in ("policy", "budget")}
STRANGE = ["", " ", "\0", "\t", "\n", "=", ":", ",", '"', "\\", "\x7f", "\u00a0", "x" * 40]
STRANGE += ["none", "None", "NaN", "inf", "-1", "+1s", "1e3s", "1_0s", "0x1", "٣s", "²", "ä"]
STRANGE += ["任务", "🚀"]

# Pairs for rules that few random values reach: two rules broken at once, or a rare saturation.
RARE_PAIRS = [
    {"max_retries": "2", "max_attempts": "0"},
    {"jitter": "additive", "jitter_max": "1s", "jitter_increment": "8589934593ns"},
    {"jitter_below": "none", "jitter": "0.5"},
    {"jitter_above": "none", "jitter": "20%"},
    {"base": "10ms", "multiplier": "1.01", "throttled_base": "50ns"},
    {"base": "1ns", "multiplier": "1.5", "cap": "5ns", "throttled_base": "9ns"},
    {"base": "0s", "multiplier": "1.01", "cap": "5ns", "throttled_base": "9ns"},
]
RARE_RATIOS = ["0/0", "1/0", "1000001", "1/1000001", "4294967296", "1/18446744073709551616"]
RARE_RATIOS += ["0.0000001", "0.00000000000000000001", "3/2", "150%", "2.5", "0", "1", "0.5"]
RARE_RATIOS += ["1.005", "1.0000001", "1.5" + "0" * 25, "15000000000/10000000000", "5000000000"]
RARE_RATIOS += ["1099511627777/1099511627776", "30000000000000000000/20000000000000000000"]


def pick(rng, text):
    return rng.choice(text.split())


# Values: every form of SPEC 11.4, and some that are not allowed.


def number(rng, limit):
    whole = rng.randrange(limit)
    text = rng.choice(["", "", "", "0", "000"]) + str(whole)
    if rng.random() < 0.3:
        text += "." + str(rng.randrange(10 ** rng.randint(1, 3))) + rng.choice(["", "0", "000"])
    return text


def duration(rng, field):
    """Short bases and long caps, so that most policies satisfy SPEC 8.5."""
    chance = rng.random()
    if chance < 0.01:
        large = ["9223372036854775807ns", "106751d", "9223372036854775808ns", "300000d"]
        return rng.choice([*large, "9" * 30 + "s"])
    if chance < 0.03:
        return rng.choice(["0s", "0ns", "1ns", "2ns", "99ns", "100ns", "3ns"])
    if chance < 0.05:
        return f"0.{rng.randrange(10**12):012}s"
    if field.endswith("increment") and rng.random() < 0.2:
        return rng.choice(["8589934592ns", "8589934593ns", "100h"])  # pass 2^64 at a large index
    if field in ("cap", "max_elapsed", "retry_after_max", "retry_after_max_extra"):
        return number(rng, 100) + pick(rng, "m h h d" if chance < 0.95 else "ms s")
    return number(rng, 1000) + pick(rng, "us ms ms ms" if chance < 0.9 else "s m h")


def ratio(rng, field):
    if rng.random() < 0.03:
        return rng.choice(RARE_RATIOS)
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
        large = ["0", "0", "17", "4294967295", "4294967296", "4294967297", "4294967298"]
        return rng.choice([*large, "9" * 25])
    return rng.choice(["", "", "0"]) + str(rng.randint(1, 16))


def waits(rng):
    """A list of waits: at most as many as are allowed, but sometimes one too many, or with an entry that is no duration."""
    times = [duration(rng, "waits") for _ in range(rng.choice([1, 2, 2, 3, 5, 16]))]
    if rng.random() < 0.03:
        times[rng.randrange(len(times))] = rng.choice([*STRANGE, "5", "1.s", "0.1ns", "none"])
    return "/".join(times * 17 if rng.random() < 0.03 else times)


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
    if field in fields.LISTS:
        return waits(rng)
    return ratio(rng, field) if field in fields.RATIOS else duration(rng, field)


# Strings


def policy(rng):
    """Mostly valid: fields that the growth and the jitter use, each once."""
    head = rng.choice(SHORT if rng.random() < 0.8 else HEADS)
    kinds = {"growth": head, "jitter": "none"} | strings.HEADS["policy"][head]
    pairs = {}
    if head in SHORT and rng.random() < 0.97:
        first = "waits" if head == "steps" else "base"
        pairs[first] = value(rng, first)
    if rng.random() < 0.5:
        pairs["jitter"] = value(rng, "jitter")
        kinds["jitter"] = pairs["jitter"]
        is_odd = kinds["jitter"] == "decorrelated" and kinds["growth"] != "exponential"
        if is_odd and rng.random() < 0.9:
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
        pairs["base"] = f"{rng.randint(1, 120)}ns"
        pairs["multiplier"] = rng.choice(["1.01", "1.02", "1.5"])
    if rng.random() < 0.02:
        pairs |= rng.choice(RARE_PAIRS)
    pairs = [f"{key}={text}" for key, text in pairs.items()]
    rng.shuffle(pairs)
    if pairs and rng.random() < 0.02:
        at = rng.randrange(len(pairs) + 1)
        pairs.insert(at, f"{rng.choice(pairs).split('=')[0]}={value(rng, rng.choice(KEYS))}")
    return head + ":" * bool(pairs) + ",".join(pairs)


def mutated(rng, line, of="policy"):
    """One random edit."""
    at, end = sorted(rng.randrange(len(line) + 1) for _ in range(2))
    end = min(end, at + 3)
    some = rng.choice([*STRANGE, *NAMES[of], *"0123456789.,:=/%smhdunx"])
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
    """About 1024 bytes, or many more; some end in a character of several bytes."""
    if rng.random() < 0.5 and line.isascii() and len(line) < 900:
        tail = rng.choice("ä任🚀")
        start = f"{line}{',' if ':' in line else ':'}floor="
        zeros = rng.randint(1022, 1027) - len(start) - len(f"s{tail}".encode())
        return f"{start}{'0' * zeros}s{tail}"
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
