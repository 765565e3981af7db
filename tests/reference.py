"""SPEC.md as a program: exact integers, the standard library, clause by clause, no speed.

It is the witness against which every implementation is held, so it shares no code with any
of them. A policy is a dict of the fields that were given: kinds are names or numbers,
durations and counts are integers, ratios are pairs (numerator, denominator).
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


def scale(x, ratio):  # 1.4
    n, d = reduced(ratio)
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
    "cap_on": ["window", "result"],
    "jitter": ["none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"],
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
]
RATIOS = {"multiplier", "jitter_below", "jitter_above"}
COUNTS = {"power", "origin"}
RANGES = {"power": (1, 16), "origin": (0, 2**32 - 1), "jitter_slot": (1, MAX)}
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
REQUIRED = object()


def default(field, given):
    """5.1, the last column."""
    return {
        "growth": REQUIRED,
        "base": REQUIRED,
        "increment": given.get("base"),
        "multiplier": (3, 1) if given.get("jitter") == "decorrelated" else (2, 1),
        "power": 2,
        "origin": 1,
        "offset": 0,
        "cap": MAX,
        "cap_on": "window",
        "floor": 0,
        "jitter": "none",
        "jitter_below": (0, 1) if "jitter_above" in given else REQUIRED,
        "jitter_above": (0, 1),
        "jitter_max": REQUIRED,
        "jitter_increment": 0,
        "jitter_slot": REQUIRED,
    }[field]


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
            d = decorrelated(p, d, draw(s, j))
        return d
    w = window(p, i)
    if p["jitter"] == "slotted":  # 6.4
        slot = p["jitter_slot"]
        low = -(-p["floor"] // slot)
        high = max(low, max(w // slot, 1) - 1)
        return capped(p, sat(slot * sample(draw(s, i), low, high)))
    low, high = {  # 6.1
        "none": lambda: (w, w),
        "full": lambda: (0, w),
        "equal": lambda: (w - w // 2, w),
        "proportional": lambda: (
            w - scale(w, p["jitter_below"]),
            sat(w + scale(w, p["jitter_above"])),
        ),
        "additive": lambda: (w, sat(w + sat(p["jitter_max"] + sat(p["jitter_increment"] * i)))),
    }[p["jitter"]]()
    return capped(p, above_floor(p, low, high, draw(s, i)))


def decorrelated(p, previous, word):  # 6.3
    high = scale(previous, p["multiplier"])
    if p["cap_on"] == "window":
        high = min(p["cap"], high)
    return capped(p, above_floor(p, p["base"], high, word))


def above_floor(p, low, high, word):  # 6.1, 7.2
    low = max(low, p["floor"])
    return sample(word, low, max(high, low))


def capped(p, d):  # 7.1
    return min(p["cap"], d) if p["cap_on"] == "result" else d


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
]


class Refused(Exception):  # 8.1
    def __init__(self, code, field, value, limit):
        self.code, self.field, self.value, self.limit = code, field, value, limit
        super().__init__(message(code, field, value, limit))


def policy(given):
    """The fields with their defaults, or Refused with the first rule that is broken."""
    given = dict(given)
    for field in ("growth", "jitter", "cap_on"):  # 8.2
        kinds = KINDS[field]
        kind = given.get(field, default(field, given))
        if kind is REQUIRED:
            raise Refused("missing", field, 0, 0)
        if kind not in kinds:
            raise Refused("unknown_kind", field, kind if isinstance(kind, int) else 0, len(kinds))
        given[field] = kind
    if given["jitter"] == "decorrelated" and given["growth"] != "exponential":  # 8.3
        raise Refused("not_exponential", "growth", number("growth", given["growth"]), 3)

    p = {}
    for field in FIELDS:  # 8.4
        if field in KINDS:
            p[field] = given[field]
            continue
        governor, kinds = USED_BY.get(field, ("growth", KINDS["growth"]))
        if given[governor] not in kinds:
            if field in given:
                raise Refused(
                    "unused", field, word(given[field]), number(governor, given[governor])
                )
            p[field] = 0  # takes part in nothing
            continue
        value = given.get(field, default(field, given))
        if value is REQUIRED:
            raise Refused("missing", field, 0, 0)
        check_range(field, value)
        p[field] = value

    if p["cap"] < p["base"]:  # 8.5
        raise Refused("cap_below_base", "cap", p["cap"], p["base"])
    if p["offset"] > p["cap"]:
        raise Refused("offset_above_cap", "offset", p["offset"], p["cap"])
    if p["floor"] > p["cap"]:
        raise Refused("floor_above_cap", "floor", p["floor"], p["cap"])
    if p["growth"] == "exponential":
        n, d = reduced(p["multiplier"])
        if n > d and 0 < p["base"] < -(-d // (n - d)):
            raise Refused("growth_stalls", "base", p["base"], -(-d // (n - d)))
    return p


def check_range(field, value):  # 8.4, rules 3 to 6
    if field not in RATIOS:
        low, high = RANGES.get(field, (0, MAX))
        if value > high:
            raise Refused("too_large", field, value, high)
        if value < low:
            raise Refused("too_small", field, value, low)
        return
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


def word(value):  # 8.1
    return value[0] * 2**32 + value[1] if isinstance(value, tuple) else value


def number(field, kind):
    return KINDS[field].index(kind) + 1


def message(code, field, value, limit):  # 8.8
    v, most = text(field, value), text(field, limit)
    governor = USED_BY.get(field, ("growth",))[0]
    return {
        "unknown_kind": f"{field} {value} is unknown; the kinds are "
        + ", ".join(KINDS.get(field, [])),
        "missing": f"{field} is missing",
        "unused": f"{field} {v} is not used by {governor} {text(governor, limit)}",
        "too_large": f"{field} {v} is above {most}",
        "too_small": f"{field} {v} is below {most}",
        "zero_denominator": f"{field} {v} has a zero denominator",
        "ratio_too_fine": f"{field} {v} has a term above {limit}",
        "not_exponential": f"growth {v} does not go with jitter decorrelated, "
        "which needs exponential",
        "cap_below_base": f"cap {v} is below base {most}",
        "offset_above_cap": f"{field} {v} is above cap {most}",
        "floor_above_cap": f"{field} {v} is above cap {most}",
        "growth_stalls": f"base {v} is too short for its multiplier to grow; "
        f"it needs at least {most}",
    }[code]


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
    units = {
        "d": 86_400 * 10**9,
        "h": 3_600 * 10**9,
        "m": 60 * 10**9,
        "s": 10**9,
        "ms": 10**6,
        "us": 10**3,
        "ns": 1,
    }
    if value == 0:
        return "0s"
    return next(f"{value // ns}{unit}" for unit, ns in units.items() if value % ns == 0)


# 9 Sequences


def advance(s, draws):  # 9.2
    return (s + draws * G) % WORD
