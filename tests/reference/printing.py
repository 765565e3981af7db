"""Clause 11.8: the canonical form of policies and budgets."""

from reference import budget_fields
from reference.errors import raw, text
from reference.fields import ALWAYS, FIELDS, KINDS, LISTS, USED_BY, default
from reference.numbers import MAX


def printed(of, p):
    (_, head), *fields = shown(of, p).items()
    pairs = {field: written(field, value) for field, value in fields}
    if p.get("retry_after_max") == MAX:
        pairs["retry_after_max"] = "none"
    if "jitter_below" in pairs and pairs["jitter_below"] == pairs.get("jitter_above"):
        pairs["jitter"] = pairs.pop("jitter_below")
        del pairs["jitter_above"]
    rest = ",".join(f"{field}={value}" for field, value in pairs.items())
    return f"{head}:{rest}" if rest else head


def written(field, value):
    if field in LISTS:
        return "/".join(text(field, wait) for wait in value)
    return value if field in KINDS else text(field, raw(value))


def shown(of, p):
    """The fields that are printed, before `jitter_below` and `jitter_above` become one ratio."""
    return dict(shown_of_budget(p) if of == "budget" else shown_of_policy(p))


def shown_of_policy(p):
    yield "growth", p["growth"]
    for field in FIELDS[1:]:
        selector, kinds = USED_BY.get(field, ALWAYS)
        if field == "max_attempts" or p[selector] not in kinds:
            continue
        if field in ("jitter_below", "jitter_above"):
            other = {"jitter_below": "jitter_above", "jitter_above": "jitter_below"}[field]
            if p[field] != (0, 1) or p[other] == (0, 1):
                yield field, p[field]
        elif p[field] != default(field, p):
            yield field, p[field]


def shown_of_budget(b):
    for field, value in b.items():
        if field == "budget" or value != budget_fields.default(b, field):
            yield field, value
