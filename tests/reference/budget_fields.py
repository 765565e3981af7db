"""Clauses 15.1 and 15.2: which budgets are valid."""

from reference.errors import PolicyError, number, raw
from reference.fields import DAY, MINUTE, SECOND
from reference.policies import checked

DEFAULTS = {  # of each kind that uses the field
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
MAX_TOKENS = {"throttle": 1000, "rate": 100_000}


def budget(fields):
    """The fields that its kind uses, with their defaults, or PolicyError."""
    kind = fields["budget"]
    b = {"budget": kind}
    for field, defaults in DEFAULTS.items():
        value = fields.get(field)
        if kind in defaults:
            value = default(b, field) if value is None else value
            b[field] = checked(field, value, *limits(b, field))
        elif value is not None:
            raise PolicyError("unused", field, raw(value), number("budget", kind))
    return b


def default(b, field):
    value = DEFAULTS[field][b["budget"]]
    return b["cost"] if value == "cost" else value


def limits(b, field):
    match field:
        case "max_tokens":
            return 1, MAX_TOKENS.get(b["budget"], 1_000_000)
        case "cost" | "cost_throttled" | "cost_timeout":
            return 1, b["max_tokens"]
        case "per":
            return 1, DAY
        case "ttl":
            return SECOND, 60 * SECOND
        case "min_per_second":
            return 0, 1_000_000
    return 0, 2**32 - 1
