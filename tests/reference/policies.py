"""Clauses 8.2 to 8.5: which policies are valid."""

from reference.errors import PolicyError, number, raw
from reference.fields import DEFAULTS, FIELDS, KINDS, LISTS, MAX_WAITS, RATIOS, ROWS, default
from reference.numbers import reduced


def policy(fields):
    """The fields with their defaults, or PolicyError for the first rule that is broken."""
    fields = dict(fields)
    for field in ("growth", "jitter", "cap_on", "retry_after", "elapsed_from"):  # 8.2
        kinds = KINDS[field]
        kind = fields.setdefault(field, DEFAULTS.get(field))
        if kind is None:
            raise PolicyError("missing", field, 0, 0)
        if kind not in kinds:
            raise PolicyError(
                "unknown_kind", field, kind if isinstance(kind, int) else 0, len(kinds)
            )
    if fields["jitter"] == "decorrelated" and fields["growth"] != "exponential":  # 8.3
        raise PolicyError("not_exponential", "growth", number("growth", fields["growth"]), 3)

    p = {field: fields[field] for field in FIELDS if field in KINDS}
    for field, selector, kinds, (low, high) in ROWS:  # 8.4
        value = fields.get(field)
        if fields[selector] not in kinds:
            if value is not None:
                raise PolicyError("unused", field, raw(value), number(selector, fields[selector]))
            p[field] = 0  # no formula uses it
            continue
        if field == "max_attempts":
            if value is not None:
                if "max_retries" in fields:
                    raise PolicyError("given_twice", field, value, fields["max_retries"])
                p["max_retries"] = checked(field, value, low, high) - 1
            continue
        if value is not None:
            p[field] = checked(field, value, low, high)
            continue
        p[field] = default(field, fields)
        if p[field] is None:
            raise PolicyError("missing", field, 0, 0)

    if p["cap"] < p["base"]:  # 8.5
        raise PolicyError("cap_below_base", "cap", p["cap"], p["base"])
    if p["offset"] > p["cap"]:
        raise PolicyError("offset_above_cap", "offset", p["offset"], p["cap"])
    if p["floor"] > p["cap"]:
        raise PolicyError("floor_above_cap", "floor", p["floor"], p["cap"])
    m = least_base(p)
    if 0 < p["base"] < m:
        raise PolicyError("growth_stalls", "base", p["base"], m)
    if p["throttled_base"] > p["cap"]:
        raise PolicyError("too_large", "throttled_base", p["throttled_base"], p["cap"])
    if 0 < p["throttled_base"] < m:
        raise PolicyError("growth_stalls", "throttled_base", p["throttled_base"], m)
    return p


def least_base(p):
    """8.5: the `m` of rule 4, or 1 where there is none."""
    if p["growth"] != "exponential":
        return 1
    n, d = p["multiplier"]
    return -(-d // (n - d)) if n > d else 1


def checked(field, value, low, high):  # 8.4, rules 4 to 7
    """The value, a ratio in lowest terms."""
    if field in LISTS:
        if not value:
            raise PolicyError("missing", field, 0, 0)
        if len(value) > MAX_WAITS:
            raise PolicyError("too_many", field, MAX_WAITS + 1, MAX_WAITS)
        for wait in value:
            if wait > high:
                raise PolicyError("too_large", field, wait, high)
        return value
    if field not in RATIOS:
        if value > high:
            raise PolicyError("too_large", field, value, high)
        if value < low:
            raise PolicyError("too_small", field, value, low)
        return value
    n, d = reduced(value)
    if d == 0:
        raise PolicyError("zero_denominator", field, raw(value), 1)
    if max(n, d) > 1_000_000:
        raise PolicyError("ratio_too_fine", field, raw(value), 1_000_000)
    if field == "multiplier":
        if n < d:
            raise PolicyError("too_small", field, raw(value), raw((1, 1)))
        if d < n and n * 100 < d * 101:
            raise PolicyError("too_small", field, raw(value), raw((101, 100)))
    elif n > d:
        raise PolicyError("too_large", field, raw(value), raw((1, 1)))
    return n, d
