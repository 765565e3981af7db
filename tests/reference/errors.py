"""Clauses 8.1 and 8.6 to 8.9: codes, messages and the text of values."""

from reference.fields import BUDGET_FIELDS, COUNTS, KINDS, LISTS, RATIOS, UNITS, USED_BY
from reference.numbers import reduced

CODES = [
    "unknown_kind", "missing", "unused", "too_large", "too_small", "zero_denominator",
    "ratio_too_fine", "not_exponential", "cap_below_base", "offset_above_cap", "floor_above_cap",
    "growth_stalls", "given_twice", "unknown_head", "unknown_key", "repeated_key", "missing_value",
    "not_a_duration", "missing_unit", "unknown_unit", "duration_too_fine", "not_a_ratio",
    "not_a_count", "text_too_long", "does_not_fit", "too_many",
]  # fmt: skip


class PolicyError(Exception):  # 8.1
    def __init__(self, code, field, value, limit):
        self.code, self.field, self.value, self.limit = code, field, value, limit

    def __str__(self):
        return message(self.code, self.field, self.value, self.limit)


def raw(value):  # 8.1
    """The number that an error reports for a value: of a list, its length."""
    if isinstance(value, list):
        return len(value)
    return value[0] * 2**32 + value[1] if isinstance(value, tuple) else value


def number(field, kind):
    return KINDS[field].index(kind) + 1


MESSAGES = {  # 8.8
    "unknown_kind": "{field} {value} is unknown; the kinds are {kinds}",
    "missing": "{field} is missing",
    "unused": "{field} {v} is not used by {selector} {kind}",
    "too_large": "{field} {v} is above {bound}",
    "too_small": "{field} {v} is below {bound}",
    "zero_denominator": "{field} {v} has a zero denominator",
    "ratio_too_fine": "{field} {v} has a term above 1000000",
    "not_exponential": "growth {v} cannot be combined with jitter decorrelated, which needs growth exponential",
    "cap_below_base": "cap {v} is below base {bound}",
    "offset_above_cap": "offset {v} is above cap {bound}",
    "floor_above_cap": "floor {v} is above cap {bound}",
    "growth_stalls": "{field} {v} is too short to grow by the multiplier; it must be at least {bound}",
    "given_twice": "max_attempts {v} is set as well as max_retries {bound}; set one of them",
    "does_not_fit": "{field} cannot be made short enough: the delays take at least {v}, which is above {bound}",
    "too_many": "{field} has more than {limit} entries",
}

WAITS_UNUSED = "{field} is not used by {selector} {kind} (growth=steps uses it)"


def message(code, field, value, limit):
    selector = "budget" if field in BUDGET_FIELDS else USED_BY.get(field, ["growth"])[0]
    shown = str(value) if field in LISTS and code != "too_large" else text(field, value)
    if (code, field, value) == ("too_large", "cost", 5):
        shown += " (its default)"
    is_of_waits = (code, field) == ("unused", "waits")
    return (WAITS_UNUSED if is_of_waits else MESSAGES[code]).format(
        field=field,
        value=value,
        limit=limit,
        v=shown,
        bound=text(field, limit),
        kinds=", ".join(KINDS.get(field, ())),
        selector=selector,
        kind=text(selector, limit),
    )


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
