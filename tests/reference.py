"""SPEC.md as a program: exact integers, the standard library, clause by clause.

It is the witness against which every implementation is held, so it shares no code with any
of them. A policy is a dict of the fields that were given: kinds are names or numbers,
durations and counts are integers, ratios are pairs (numerator, denominator).

This file is clauses 1 to 9. `reference_text.py` is 11, 12 and the lines of 15,
`reference_decisions.py` 13 to 15 and 17, `reference_preview.py` 16.
"""

from math import gcd

# 1 Numbers

MAX = 2**63 - 1
WORD = 2**64


def sat(x):  # 1.2
    return min(x, MAX)


def reduced(ratio):  # 1.4
    n, d = ratio
    if d == 0:
        return ratio
    divisor = gcd(n, d)
    return n // divisor, d // divisor


def scale(x, ratio):  # 1.4; the same in any terms
    n, d = ratio
    return sat((x * n) // d)


# 2 Draws

G = 0x9E3779B97F4A7C15


def draw(stream, index):  # 2.1
    z = (stream + (index + 1) * G) % WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORD
    return z ^ (z >> 31)


# 3 Streams

K1 = 0x312D72657474696A


def stream(seed, key=None):  # 3.1, 3.2
    return seed if key is None else siphash_2_4(seed, K1, key)


def siphash_2_4(k0, k1, message):  # 3.5
    def rotl(x, by):
        return ((x << by) | (x >> (64 - by))) % WORD

    def rounds(v, count):
        v0, v1, v2, v3 = v
        for _ in range(count):
            v0 = (v0 + v1) % WORD
            v1 = rotl(v1, 13) ^ v0
            v0 = rotl(v0, 32)
            v2 = (v2 + v3) % WORD
            v3 = rotl(v3, 16) ^ v2
            v0 = (v0 + v3) % WORD
            v3 = rotl(v3, 21) ^ v0
            v2 = (v2 + v1) % WORD
            v1 = rotl(v1, 17) ^ v2
            v2 = rotl(v2, 32)
        return v0, v1, v2, v3

    v = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    whole = len(message) - len(message) % 8
    words = [message[at : at + 8] for at in range(0, whole, 8)]
    words.append(message[whole:].ljust(7, b"\0") + bytes([len(message) % 256]))
    for word in words:
        m = int.from_bytes(word, "little")
        v0, v1, v2, v3 = rounds((v[0], v[1], v[2], v[3] ^ m), 2)
        v = (v0 ^ m, v1, v2, v3)
    v0, v1, v2, v3 = rounds((v[0], v[1], v[2] ^ 0xFF, v[3]), 4)
    return v0 ^ v1 ^ v2 ^ v3


# 4 Sample


def sample(word, low, high):  # 4.1
    return low + word * (high - low + 1) // WORD


# 5 Fields, growth, window

KINDS = {
    "growth": ["constant", "linear", "exponential", "polynomial", "fibonacci"],
    "cap_on": ["window", "delay"],
    "jitter": ["none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"],
    "retry_after": ["at_least", "exact", "spread"],
    "budget": ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"],  # 15.1
}
FIELDS = [
    "growth",
    "base",
    "increment",
    "multiplier",
    "power",
    "origin",
    "offset",
    "cap",
    "cap_on",
    "floor",
    "jitter",
    "jitter_below",
    "jitter_above",
    "jitter_max",
    "jitter_increment",
    "jitter_slot",
    "max_retries",
    "max_attempts",
    "max_elapsed",
    "throttled_base",
    "retry_after",
    "retry_after_max",
    "retry_after_max_extra",
]
BUDGET_FIELDS = [  # 15.1, from number 33
    "budget",
    "max_tokens",
    "cost",
    "cost_throttled",
    "cost_timeout",
    "ratio",
    "per",
    "ttl",
    "min_per_second",
    "min_concurrent",
]
RATIOS = {"multiplier", "jitter_below", "jitter_above", "ratio"}
COUNTS = {
    "power",
    "origin",
    "max_retries",
    "max_attempts",
    "max_tokens",
    "cost",
    "cost_throttled",
    "cost_timeout",
    "min_per_second",
    "min_concurrent",
}
RANGES = {
    "power": (1, 16),
    "origin": (0, 2**32 - 1),
    "jitter_slot": (1, MAX),
    "max_retries": (0, 2**32),
    "max_attempts": (1, 2**32 + 1),
}
DURATIONS = (0, MAX)  # the range of the others
USED_BY = {
    "increment": ("growth", ["linear"]),
    "multiplier": ("growth", ["exponential"]),
    "power": ("growth", ["polynomial"]),
    "origin": ("growth", ["polynomial"]),
    "offset": ("jitter", [kind for kind in KINDS["jitter"] if kind != "decorrelated"]),
    "jitter_below": ("jitter", ["proportional"]),
    "jitter_above": ("jitter", ["proportional"]),
    "jitter_max": ("jitter", ["additive"]),
    "jitter_increment": ("jitter", ["additive"]),
    "jitter_slot": ("jitter", ["slotted"]),
}
ALWAYS = ("growth", KINDS["growth"])
ROWS = [  # the fields that are no kinds: what decides if they are used, and their ranges
    (field, *USED_BY.get(field, ALWAYS), RANGES.get(field, DURATIONS))
    for field in FIELDS
    if field not in KINDS
]
DEFAULTS = {
    "power": 2,
    "origin": 1,
    "offset": 0,
    "cap": MAX,
    "cap_on": "window",
    "floor": 0,
    "jitter": "none",
    "jitter_above": (0, 1),
    "jitter_increment": 0,
    "max_retries": 2**32,
    "max_elapsed": MAX,
    "retry_after": "at_least",
    "retry_after_max": 3600 * 10**9,
    "retry_after_max_extra": MAX,
}


def default(field, given):
    """5.1, the last column; None is "an error"."""
    match field:
        case "increment" | "throttled_base":
            return given["base"]
        case "multiplier":
            return (3, 1) if given["jitter"] == "decorrelated" else (2, 1)
        case "jitter_below" if "jitter_above" in given:
            return (0, 1)
    return DEFAULTS.get(field)


def growth(p, i):  # 5.2
    b = p["base"]
    match p["growth"]:
        case "constant":
            return b
        case "linear":
            return sat(b + sat(p["increment"] * i))
        case "exponential":
            g = b
            for _ in range(i):
                longer = scale(g, p["multiplier"])
                if longer == g:
                    break
                g = longer
            return g
        case "polynomial":
            return sat(b * sat((i + p["origin"]) ** p["power"]))
        case "fibonacci":
            f, after = 1, 1
            for _ in range(i):
                if f > MAX:
                    break
                f, after = after, f + after
            return sat(b * f)


def window(p, i):  # 5.3
    w = sat(p["offset"] + growth(p, i))
    return min(p["cap"], w) if p["cap_on"] == "window" else w


# 6 Jitter, 7 Cap and floor

RESTART = 4096


def delay(p, s, i):
    if p["jitter"] == "decorrelated":  # 6.3
        d = p["base"]
        for j in range(i - i % RESTART, i + 1):
            d = decorrelated(p, s, j, d)
        return d
    return capped(p, sat(slot(p) * sample(draw(s, i), *ends(p, i))))  # 6.2, 6.4


def decorrelated(p, s, i, previous):
    """6.3: the delay after the previous one."""
    return capped(p, sample(draw(s, i), *after(p, previous)))


def delays(p, s, first, count):
    """The delays of indices in order. What decorrelated jitter has walked is not walked again."""
    d = None
    for i in range(first, first + count):
        goes_on = p["jitter"] == "decorrelated" and d is not None and i % RESTART > 0
        d = decorrelated(p, s, i, d) if goes_on else delay(p, s, i)
        yield d


def slot(p):
    """What the sampled value is a number of."""
    return p["jitter_slot"] if p["jitter"] == "slotted" else 1


def ends(p, i):
    """6.1, 6.2, 6.4: `low` and `high`."""
    w = window(p, i)
    match p["jitter"]:
        case "none":
            return above_floor(p, w, w)
        case "full":
            return above_floor(p, 0, w)
        case "equal":
            return above_floor(p, w - w // 2, w)
        case "proportional":
            below, above = scale(w, p["jitter_below"]), scale(w, p["jitter_above"])
            return above_floor(p, w - below, sat(w + above))
        case "additive":
            width = sat(p["jitter_max"] + sat(p["jitter_increment"] * i))
            return above_floor(p, w, sat(w + width))
        case "slotted":
            low = -(-p["floor"] // slot(p))
            return low, max(low, max(w // slot(p), 1) - 1)


def after(p, previous):
    """6.3: `low` and `high` after a delay."""
    to = scale(previous, p["multiplier"])
    return above_floor(p, p["base"], min(p["cap"], to) if p["cap_on"] == "window" else to)


def above_floor(p, start, to):  # 6.2, 7.2
    low = max(start, p["floor"])
    return low, max(to, low)


def capped(p, d):  # 7.1
    return min(p["cap"], d) if p["cap_on"] == "delay" else d


# 8 Errors

CODES = [
    "unknown_kind",
    "missing",
    "unused",
    "too_large",
    "too_small",
    "zero_denominator",
    "ratio_too_fine",
    "not_exponential",
    "cap_below_base",
    "offset_above_cap",
    "floor_above_cap",
    "growth_stalls",
    "given_twice",
    "unknown_head",
    "unknown_key",
    "repeated_key",
    "missing_value",
    "not_a_duration",
    "missing_unit",
    "unknown_unit",
    "duration_too_fine",
    "not_a_ratio",
    "not_a_count",
    "text_too_long",
    "does_not_fit",
]


class Refused(Exception):  # 8.1
    def __init__(self, code, field, value, limit):
        self.code, self.field, self.value, self.limit = code, field, value, limit

    def __str__(self):
        return message(self.code, self.field, self.value, self.limit)


def policy(given):
    """The fields with their defaults, or Refused with the first rule that is broken."""
    given = dict(given)
    for field in ("growth", "jitter", "cap_on", "retry_after"):  # 8.2
        kinds = KINDS[field]
        kind = given.setdefault(field, DEFAULTS.get(field))
        if kind is None:
            raise Refused("missing", field, 0, 0)
        if kind not in kinds:
            raise Refused("unknown_kind", field, kind if isinstance(kind, int) else 0, len(kinds))
    if given["jitter"] == "decorrelated" and given["growth"] != "exponential":  # 8.3
        raise Refused("not_exponential", "growth", number("growth", given["growth"]), 3)

    p = {field: given[field] for field in FIELDS if field in KINDS}
    for field, governor, kinds, (low, high) in ROWS:  # 8.4
        value = given.get(field)
        if given[governor] not in kinds:
            if value is not None:
                raise Refused("unused", field, word(value), number(governor, given[governor]))
            p[field] = 0  # takes part in nothing
            continue
        if field == "max_attempts":
            if value is not None:
                if "max_retries" in given:
                    raise Refused("given_twice", field, value, given["max_retries"])
                p["max_retries"] = checked(field, value, low, high) - 1
            continue
        if value is not None:
            p[field] = checked(field, value, low, high)
            continue
        p[field] = default(field, given)
        if p[field] is None:
            raise Refused("missing", field, 0, 0)

    if p["cap"] < p["base"]:  # 8.5
        raise Refused("cap_below_base", "cap", p["cap"], p["base"])
    if p["offset"] > p["cap"]:
        raise Refused("offset_above_cap", "offset", p["offset"], p["cap"])
    if p["floor"] > p["cap"]:
        raise Refused("floor_above_cap", "floor", p["floor"], p["cap"])
    m = least_base(p)
    if 0 < p["base"] < m:
        raise Refused("growth_stalls", "base", p["base"], m)
    if p["throttled_base"] > p["cap"]:
        raise Refused("too_large", "throttled_base", p["throttled_base"], p["cap"])
    if 0 < p["throttled_base"] < m:
        raise Refused("growth_stalls", "throttled_base", p["throttled_base"], m)
    return p


def least_base(p):
    """8.5: the `m` of rule 4, or 1 where there is none."""
    if p["growth"] != "exponential":
        return 1
    n, d = p["multiplier"]
    return -(-d // (n - d)) if n > d else 1


def checked(field, value, low, high):  # 8.4, rules 4 to 7
    """The value, a ratio in lowest terms."""
    if field not in RATIOS:
        if value > high:
            raise Refused("too_large", field, value, high)
        if value < low:
            raise Refused("too_small", field, value, low)
        return value
    n, d = reduced(value)
    if d == 0:
        raise Refused("zero_denominator", field, word(value), 1)
    if max(n, d) > 1_000_000:
        raise Refused("ratio_too_fine", field, word(value), 1_000_000)
    if field == "multiplier":
        if n < d:
            raise Refused("too_small", field, word(value), word((1, 1)))
        if d < n and n * 100 < d * 101:
            raise Refused("too_small", field, word(value), word((101, 100)))
    elif n > d:
        raise Refused("too_large", field, word(value), word((1, 1)))
    return n, d


def word(value):  # 8.1
    return value[0] * 2**32 + value[1] if isinstance(value, tuple) else value


def number(field, kind):
    return KINDS[field].index(kind) + 1


def message(code, field, value, limit):  # 8.8
    v, most = text(field, value), text(field, limit)
    match code:
        case "unknown_kind":
            return f"{field} {value} is unknown; the kinds are {', '.join(KINDS[field])}"
        case "missing":
            return f"{field} is missing"
        case "unused":
            governor = "budget" if field in BUDGET_FIELDS else USED_BY[field][0]
            return f"{field} {v} is not used by {governor} {text(governor, limit)}"
        case "too_large":
            return f"{field} {v} is above {most}"
        case "too_small":
            return f"{field} {v} is below {most}"
        case "zero_denominator":
            return f"{field} {v} has a zero denominator"
        case "ratio_too_fine":
            return f"{field} {v} has a term above 1000000"
        case "not_exponential":
            return f"growth {v} cannot be combined with jitter decorrelated, which needs growth exponential"
        case "cap_below_base":
            return f"cap {v} is below base {most}"
        case "offset_above_cap" | "floor_above_cap":
            return f"{field} {v} is above cap {most}"
        case "growth_stalls":
            return f"{field} {v} is too short to grow by the multiplier; it must be at least {most}"
        case "given_twice":
            return f"max_attempts {v} is set as well as max_retries {most}; set one of them"
        case "does_not_fit":
            return (
                f"{field} cannot be made short enough: the delays take at least {v}, "
                f"which is above {most}"
            )


UNITS = {
    "d": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}


def text(field, value):  # 8.9
    if field in KINDS:
        kinds = KINDS[field]
        return kinds[value - 1] if 1 <= value <= len(kinds) else str(value)
    if field in COUNTS:
        return str(value)
    if field in RATIOS:
        n, d = reduced(divmod(value, 2**32))
        if d == 0 or 1_000_000 % d:
            return f"{n}/{d}"
        whole, rest = divmod(n * (1_000_000 // d), 1_000_000)
        return f"{whole}.{rest:06}".rstrip("0").rstrip(".")
    if value == 0:
        return "0s"
    return next(f"{value // ns}{unit}" for unit, ns in UNITS.items() if value % ns == 0)


# 9 Sequences


def advance(s, draws):  # 9.2
    return (s + draws * G) % WORD
