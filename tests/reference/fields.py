"""Clauses 5.1 and 15.1: the fields of policies and budgets."""

from reference.numbers import MAX

UNITS = {
    "d": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
DAY, HOUR, MINUTE, SECOND = (UNITS[unit] for unit in "dhms")

KINDS = {
    "growth": ["constant", "linear", "exponential", "polynomial", "fibonacci", "steps"],
    "cap_on": ["window", "delay"],
    "jitter": ["none", "full", "equal", "proportional", "additive", "decorrelated", "slotted"],
    "retry_after": ["at_least", "exact", "spread"],
    "elapsed_from": ["begin", "failure"],
    "budget": ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"],
}
FIELDS = [
    "growth", "base", "increment", "multiplier", "power", "origin", "offset", "cap", "cap_on",
    "floor", "jitter", "jitter_below", "jitter_above", "jitter_max", "jitter_increment",
    "jitter_slot", "max_retries", "max_attempts", "max_elapsed", "throttled_base", "retry_after",
    "retry_after_max", "retry_after_max_extra", "waits", "attempt_timeout", "reset_after",
    "elapsed_from",
]  # fmt: skip
BUDGET_FIELDS = [  # their numbers begin at 33
    "budget", "max_tokens", "cost", "cost_throttled", "cost_timeout", "ratio", "per", "ttl",
    "min_per_second", "min_concurrent",
]  # fmt: skip
RATIOS = {"multiplier", "jitter_below", "jitter_above", "ratio"}
COUNTS = {
    "power", "origin", "max_retries", "max_attempts", "max_tokens", "cost", "cost_throttled",
    "cost_timeout", "min_per_second", "min_concurrent",
}  # fmt: skip
LISTS = {"waits"}  # of durations
MAX_WAITS = 16
RANGES = {
    "power": (1, 16),
    "origin": (0, 2**32 - 1),
    "jitter_slot": (1, MAX),
    "max_retries": (0, 2**32),
    "max_attempts": (1, 2**32 + 1),
    "attempt_timeout": (1, MAX),
    "reset_after": (1, MAX),
}
OTHER_RANGE = (0, MAX)
WITH_BASE = [kind for kind in KINDS["growth"] if kind != "steps"]
USED_BY = {  # the field that decides, and its kinds that use the field
    "base": ("growth", WITH_BASE),
    "throttled_base": ("growth", WITH_BASE),
    "waits": ("growth", ["steps"]),
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
# The fields that are not kinds: the kind that decides whether they are used, and their ranges.
ROWS = [
    (field, *USED_BY.get(field, ALWAYS), RANGES.get(field, OTHER_RANGE))
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
    "retry_after_max": HOUR,
    "retry_after_max_extra": MAX,
    "attempt_timeout": MAX,
    "reset_after": MAX,
    "elapsed_from": "begin",
}


def default(field, fields):
    """5.1, the last column; None is "an error"."""
    match field:
        case "increment" | "throttled_base":
            return fields["base"]
        case "multiplier":
            return (3, 1) if fields["jitter"] == "decorrelated" else (2, 1)
        case "jitter_below" if "jitter_above" in fields:
            return (0, 1)
    return DEFAULTS.get(field)
