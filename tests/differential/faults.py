"""Requests with a fault, and those that only look so. A request is a list of the pairs of its members.

Objects that repeat a member are tuples of their members (see `encoded` of `string_requests.py`).
"""

# Names that mean something to JavaScript, Python or serde, but nothing in a request.
SPECIAL = ["__proto__", "constructor", "toString", "hasOwnProperty", "length", "__class__"]
SPECIAL += ["__dict__", "$serde_json::private::Number", "$serde_json::private::RawValue"]
#: Values of every type, near the limits of what is valid.
VALUES = [None, None, True, False, [], {}, [None], [[]], [{}], ["begin"], 0, 5, -1, 0.5, 1001]
VALUES += [100_001, 2**32 - 0.5, 2**32, 10**30, "", "5", "-1", "+1", " 1", "1 ", "1.0", "1e3"]
VALUES += ["0x1", "1_0", "1s", "\0", "٣", "²", str(2**63), str(2**64), "9" * 100]
VALUES += ["Begin", "end", "begin ", "Success", "cancelled", "max_retries", "floor", *SPECIAL]


def spoiled(rng, members):
    """The request with one fault at any depth: a part is missing, repeated, or another value."""
    copy, at = list(members), rng.randrange(len(members))
    name, value = copy[at]
    if rng.random() < 0.1:
        del copy[at]
    else:
        copy[at] = name, spoiled_value(rng, value)
    return copy


def spoiled_value(rng, value):
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return rng.choice(VALUES)
    copy = value.copy()
    key = rng.choice(list(copy)) if isinstance(copy, dict) else rng.randrange(len(copy))
    if rng.random() < 0.15:
        del copy[key]
    elif isinstance(copy, list) and rng.random() < 0.1:
        copy.insert(key, copy[key])
    else:
        copy[key] = spoiled_value(rng, copy[key])
    return copy


def disguised(rng, members):
    """The same request with members that are ignored, repeated, or of a form that comes later."""
    if not members:
        return members
    names = [name for name, _ in members]
    match rng.randrange(7):
        case 0:
            # The last of repeated members counts.
            again = rng.choice(members)
            return [(again[0], rng.choice([None, 5, "default", [], again[1]])), *members]
        case 1:
            return [*members, (rng.choice(names), rng.choice([None, 5, "default", "7", []]))]
        case 2:
            others = [("preview", None), ("fit", 5), ("steps", "x"), ("retry_after", {})]
            others += [("preview", {})]
            others += [("fit", {"field": "cap", "attempts": 3, "total": "5"}), ("steps", [])]
            return [*members, rng.choice(others)]
        case 3:
            more = [("seed", 5), ("index", -1), ("index", "x"), ("key", 7), ("budget", 5)]
            more += [("policy", None)]
            return [*members, rng.choice([m for m in more if m[0] not in names] or [("more", {})])]
        case 4:
            return [(name, with_more(rng, value)) for name, value in members]
        case 5:
            return [special(rng), *members]
        case _:
            return [
                (name.upper() if rng.random() < 0.1 else name, value) for name, value in members
            ]


def special(rng):
    value = rng.choice(["5", 5, None, {}, {"policy": "none", "steps": [], "do": "cancel"}])
    return rng.choice(SPECIAL), value


def with_more(rng, value):
    """Nested objects with repeated and unknown members."""
    if isinstance(value, list):
        return [with_more(rng, part) if rng.random() < 0.3 else part for part in value]
    if not isinstance(value, dict) or not value:
        return value
    rows = list(value.items())
    name, first = rng.choice(rows)
    others = [(name, first), (name, None), ("more", [{"now": -1}]), ("deadline", 5)]
    others += [("outcome", 5), ("retry_after", "x"), ("Now", "5"), special(rng), special(rng)]
    more = rng.choice(others)
    rows.insert(rng.randrange(len(rows) + 1), more)
    return tuple(rows)
