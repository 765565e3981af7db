"""Clauses 11 and 12 of SPEC.md, and the lines of budgets (15.1, 15.2), as a program.

`of` is "policy" or "budget" everywhere. A line is held as text with a character for each of its
bytes, so that its positions are those of 11.1.
"""

import reference as ref

LONGEST = 1024
WORD_MAX = 2**64 - 1
DIGITS_AND_DOTS = "0123456789."

PAIR_HEADS = {  # 11.2
    "full": {"growth": "exponential", "jitter": "full"},
    "equal": {"growth": "exponential", "jitter": "equal"},
    "decorrelated": {"growth": "exponential", "jitter": "decorrelated", "cap_on": "delay"},
}
# fmt: off
PRESETS = {  # 12.1, 15.1
    "policy": {
        "none": "constant:base=0s",
        "default": "full:base=100ms,cap=20s,max_retries=3",
        "aws-sdk-standard": "full:base=1s,cap=20s,max_retries=2",
        "aws-sdk-2026": "full:base=50ms,cap=20s,max_retries=2,throttled_base=1s,retry_after_max_extra=5s",
        "aws-dynamodb-2026": "full:base=25ms,cap=20s,max_retries=3,throttled_base=1s,retry_after_max_extra=5s",
        "aws-simulator": "full:base=10ms,cap=2s",
        "grpc-connect": "exponential:base=1s,multiplier=1.6,cap=120s,jitter=0.2",
        "grpc-retry": "exponential:base=100ms,cap=1s,jitter=0.2,max_retries=3,retry_after=exact",
        "google-cloud": "exponential:base=1s,cap=32s,cap_on=delay,jitter=additive,jitter_max=1s",
        "gax": "full:base=1s,cap=30s,floor=1ns",
        "cenkalti-v4": "exponential:base=500ms,multiplier=1.5,cap=60s,jitter=0.5,max_elapsed=15m",
        "resilience4j": "constant:base=500ms,max_retries=2",
        "polly-v8": "constant:base=2s,max_retries=3",
        "polly-v8-linear": "linear:base=2s,max_retries=3",
        "polly-v8-exponential": "exponential:base=2s,max_retries=3",
        "envoy": "exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=1",
        "azure-core": "exponential:base=800ms,cap=60s,cap_on=delay,jitter=0.2,max_retries=3",
        "azure-core-java": "exponential:base=800ms,cap=8s,cap_on=delay,jitter=0.05,max_retries=3",
        "ethernet": "exponential:base=102400ns,cap=52428800ns,jitter=slotted,jitter_slot=51200ns,max_retries=15",
        "k8s-crashloop": "exponential:base=10s,cap=300s",
        "k8s-workqueue": "exponential:base=5ms,cap=1000s",
        "k8s-conflict": "exponential:base=10ms,multiplier=5,jitter=proportional,jitter_above=0.1,max_retries=3",
        "sidekiq": "polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=9s,jitter_increment=10s,max_retries=25",
        "faktory": "polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=29s,jitter_increment=29s,max_retries=25",
        "river": "polynomial:base=1s,power=4,jitter=0.1,max_retries=24",
        "oban": "exponential:base=2s,offset=15s,jitter=proportional,jitter_above=0.1,max_retries=19",
        "celery": "exponential:base=1s,offset=1s,cap=601s,jitter=slotted,jitter_slot=1s,max_retries=3",
        "temporal": "exponential:base=1s,cap=100s",
    },
    "budget": {
        "aws-sdk-standard": "quota:cost=5,cost_timeout=10",
        "aws-sdk-2026": "quota:cost=14,cost_throttled=5",
        "grpc-retry": "throttle:max_tokens=10,ratio=0.1",
        "sre": "ratio:ratio=0.1",
        "sre-process": "rate:max_tokens=60,per=1m",
        "finagle": "ttl:ttl=10s,min_per_second=10,ratio=0.2",
        "envoy": "concurrent:ratio=0.2,min_concurrent=3",
    },
}
# fmt: on
KEYS = {
    "policy": [field for field in ref.FIELDS if field != "growth"],  # 11.3
    "budget": [field for field in ref.BUDGET_FIELDS if field != "budget"],
}


MESSAGES = {  # 11.7
    "text_too_long": "the text is longer than 1024 bytes",
    "unknown_head": 'unknown name "{X}"; the names are {names}',
    "unknown_key": 'unknown key "{X}"; the keys are {names}',
    "repeated_key": 'key "{X}" is repeated',
    "missing_value": "{F} has no value",
    "not_a_duration": '{F} "{X}" is not a duration such as 100ms or 1.5s',
    "missing_unit": "{F} has no unit; the units are {names}",
    "unknown_unit": '{F} has the unknown unit "{X}"; the units are {names}',
    "duration_too_fine": '{F} "{X}" is not a whole number of nanoseconds',
    "not_a_count": '{F} "{X}" is not a whole number',
    "not_a_ratio": '{F} "{X}" is not a ratio such as 2, 1.6, 8/5 or 20%',
    "zero_denominator": '{F} "{X}" has a zero denominator',
    "ratio_too_fine": '{F} "{X}" has a term above 1000000',
    "unknown_kind": '{F} "{X}" is unknown; the kinds are {names}',
}


class Unreadable(Exception):
    """The error of a line (11.5): where it is, what was found there, and what clause 8 says."""

    def __init__(self, code, at, found, field=None, value=0, limit=0, *, names=(), words=None):
        self.code, self.at = code, at
        self.found = found.encode("latin-1").decode()
        self.field, self.value, self.limit = field, value, limit
        if words is None:
            words = MESSAGES[code].format(F=field, X=quoted(found), names=", ".join(names))
        self.words = words

    def __str__(self):
        return f"at {self.at}: {self.words}"


def quoted(found):
    first = "".join(c if "!" <= c <= "~" else f"\\x{ord(c):02x}" for c in found[:32])
    return first + "..." if len(found) > 32 else first


def parse(of, text):
    """The policy or the budget that a line stands for, or Unreadable."""
    return read(of, text)[0]


def read(of, text):
    """`parse`, and the fields that the line gives."""
    line = text.encode().decode("latin-1")
    if len(line) > LONGEST:
        raise Unreadable("text_too_long", LONGEST, "")
    head, colon, rest = line.partition(":")
    if head not in HEADS[of]:
        raise Unreadable("unknown_head", 0, head, names=HEADS[of])

    from_head = dict(HEADS[of][head])
    from_pairs = {}
    places = {}  # for each field that a pair gives, and each key: where the key and the value are
    at = len(head) + 1
    for pair in rest.split(",") if colon else []:
        key, _, value = pair.partition("=")
        if key not in KEYS[of]:
            raise Unreadable("unknown_key", at, key, names=KEYS[of])
        gives = pair_gives(key, value, at + len(key) + 1, at + len(pair))
        if any(field in places for field in (key, *gives)):
            raise Unreadable("repeated_key", at, key)
        from_pairs |= gives
        places |= dict.fromkeys((key, *gives), ((at, key), (at + len(key) + 1, value)))
        for field in (key, *TAKES_BACK.get(key, ())):
            from_head.pop(field, None)
        at += len(pair) + 1

    given = from_head | from_pairs
    try:
        return CHECK[of](given), given
    except ref.Refused as refused:  # 11.6
        field = refused.field
        if field in places:
            place = places[field][0 if refused.code in ("unused", "given_twice") else 1]
        elif field in from_head:
            place = 0, head
        else:
            place = len(line), ""
        value, limit = refused.value, refused.limit
        raise Unreadable(refused.code, *place, field, value, limit, words=str(refused)) from None


NONE_GIVES = {"retry_after_max": {"retry_after_max": ref.MAX}}  # 11.3
TAKES_BACK = {  # 11.3
    "jitter": ["jitter_below", "jitter_above", "jitter_max", "jitter_increment", "jitter_slot"],
    "max_attempts": ["max_retries"],
}


def pair_gives(key, value, at, end):
    """The fields that a pair gives, with their values; `at` and `end` are those of its value."""
    if value == "":
        raise Unreadable("missing_value", end, "", key)
    if value == "none":
        return NONE_GIVES.get(key, {})
    if key == "jitter" and value[0].isdecimal():
        part = ratio(key, value, at)
        return {"jitter": "proportional", "jitter_below": part, "jitter_above": part}
    if key in ref.KINDS:
        return {key: kind(key, value, at)}
    if key in ref.COUNTS:
        return {key: count(key, value, at)}
    if key in ref.RATIOS:
        return {key: ratio(key, value, at)}
    return {key: duration(key, value, at)}


# 11.4. Of the characters of a line, which are bytes, `isdecimal` is true of 0 to 9 alone.


def is_number(text):
    whole, dot, part = text.partition(".")
    return whole.isdecimal() and (part.isdecimal() if dot else True)


def as_pair(number):
    """A number as a pair, over a power of ten."""
    whole, _, part = number.partition(".")
    part = part.rstrip("0")
    return int(whole + part), 10 ** len(part)


def duration(key, value, at):
    unit = value.lstrip(DIGITS_AND_DOTS)
    number = value[: len(value) - len(unit)]
    if not is_number(number):
        raise Unreadable("not_a_duration", at, value, key)
    if unit == "":
        raise Unreadable("missing_unit", at + len(value), "", key, names=ref.UNITS)
    if unit not in ref.UNITS:
        raise Unreadable("unknown_unit", at + len(number), unit, key, names=ref.UNITS)
    n, d = as_pair(number)
    nanoseconds, rest = divmod(n * ref.UNITS[unit], d)
    if rest:
        raise Unreadable("duration_too_fine", at, value, key)
    return min(nanoseconds, WORD_MAX)


def count(key, value, at):
    if not value.isdecimal():
        raise Unreadable("not_a_count", at, value, key)
    return min(int(value), WORD_MAX)


def ratio(key, value, at):
    number, percent, more = value.partition("%")
    n, slash, d = value.partition("/")
    if slash and n.isdecimal() and d.isdecimal():
        n, d = int(n), int(d)
    elif is_number(number) and more == "":
        n, d = as_pair(number)
        d *= 100 if percent else 1
    else:
        raise Unreadable("not_a_ratio", at, value, key)
    if d == 0:
        raise Unreadable("zero_denominator", at, value, key)
    lowest = ref.reduced((n, d))
    if max(n, d) > WORD_MAX or max(lowest) >= 2**32:
        raise Unreadable("ratio_too_fine", at, value, key)
    return lowest


def kind(key, value, at):
    if value not in ref.KINDS[key]:
        raise Unreadable("unknown_kind", at, value, key, names=ref.KINDS[key])
    return value


# 15.1, 15.2

DAY, MINUTE, SECOND = ref.UNITS["d"], ref.UNITS["m"], ref.UNITS["s"]
BUDGET_USED_BY = {  # and what "not given" means to each
    "max_tokens": {"quota": 500, "throttle": 10, "ratio": 10, "rate": 60},
    "cost": {"quota": 5},
    "cost_throttled": {"quota": "cost"},
    "cost_timeout": {"quota": "cost"},
    "ratio": {"throttle": (1, 10), "ratio": (1, 10), "ttl": (1, 5), "concurrent": (1, 5)},
    "per": {"rate": MINUTE},
    "ttl": {"ttl": 10 * SECOND},
    "min_per_second": {"ttl": 10},
    "min_concurrent": {"concurrent": 3},
}
MOST_TOKENS = {"throttle": 1000, "rate": 100_000}


def budget(given):
    """The fields that its kind uses, with their defaults, or Refused."""
    kind = given["budget"]
    b = {"budget": kind}
    for field, defaults in BUDGET_USED_BY.items():
        value = given.get(field)
        if kind in defaults:
            value = budget_default(b, field) if value is None else value
            b[field] = ref.checked(field, value, *budget_range(b, field))
        elif value is not None:
            raise ref.Refused("unused", field, ref.word(value), ref.number("budget", kind))
    return b


def budget_default(b, field):
    value = BUDGET_USED_BY[field][b["budget"]]
    return b["cost"] if value == "cost" else value


def budget_range(b, field):
    match field:
        case "max_tokens":
            return 1, MOST_TOKENS.get(b["budget"], 1_000_000)
        case "cost" | "cost_throttled" | "cost_timeout":
            return 1, b["max_tokens"]
        case "per":
            return 1, DAY
        case "ttl":
            return SECOND, 60 * SECOND
        case "min_per_second":
            return 0, 1_000_000
    return 0, 2**32 - 1


CHECK = {"policy": ref.policy, "budget": budget}
HEADS = {
    "policy": {growth: {"growth": growth} for growth in ref.KINDS["growth"]} | PAIR_HEADS,
    "budget": {kind: {"budget": kind} for kind in ref.KINDS["budget"]},
}
for of, lines in PRESETS.items():
    HEADS[of] |= {preset: read(of, line)[1] for preset, line in lines.items()}


# 11.8


def printed(of, p):
    """The line that a policy or a budget is printed as."""
    head, *fields = shows(of, p).items()
    pairs = {
        field: value if field in ref.KINDS else ref.text(field, ref.word(value))
        for field, value in fields
    }
    if p.get("retry_after_max") == ref.MAX:
        pairs["retry_after_max"] = "none"
    if "jitter_below" in pairs and pairs["jitter_below"] == pairs.get("jitter_above"):
        pairs["jitter"] = pairs.pop("jitter_below")
        del pairs["jitter_above"]
    line = ",".join(f"{field}={value}" for field, value in pairs.items())
    return f"{head[1]}:{line}" if line else head[1]


def shows(of, p):
    """The fields that the line shows, `jitter_below` and `jitter_above` being two."""
    return dict(budget_shows(p) if of == "budget" else policy_shows(p))


def policy_shows(p):
    yield "growth", p["growth"]
    yield "base", p["base"]
    for field in ref.FIELDS[2:]:
        governor, kinds = ref.USED_BY.get(field, ref.ALWAYS)
        if field == "max_attempts" or p[governor] not in kinds:
            continue
        if field in ("jitter_below", "jitter_above"):
            other = {"jitter_below": "jitter_above", "jitter_above": "jitter_below"}[field]
            if p[field] != (0, 1) or p[other] == (0, 1):
                yield field, p[field]
        elif p[field] != ref.default(field, p):
            yield field, p[field]


def budget_shows(b):
    for field, value in b.items():
        if field == "budget" or value != budget_default(b, field):
            yield field, value
