"""The JSON of requests to the evaluators, and its members (see README.md)."""

import json

from reference.numbers import MAX, WORD_MAX

REQUIRED = object()


class NotARequest(ValueError):
    pass


def decoded(line):
    """The object that a line of bytes holds."""
    try:
        # Only an escape can produce a lone surrogate.
        decoder = strict if b"\\u" in line else fast
        found = decoder.decode(line.decode())
    except (ValueError, RecursionError):
        raise NotARequest from None
    return an_object(found)


def members(pairs):
    """An object of well-formed strings: Python's decoder accepts lone surrogates."""
    for name, value in pairs:
        well_formed(name)
        well_formed(value)
    return dict(pairs)


def well_formed(value):
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, list):
        for part in value:
            well_formed(part)


def not_a_number(name):
    raise ValueError(f"{name} is not JSON")


def number(digits):
    """Above an index the exact value does not matter, and int() rejects long numbers."""
    return int(digits) if len(digits) <= 20 else float(digits)


fast = json.JSONDecoder(parse_int=number, parse_constant=not_a_number)
strict = json.JSONDecoder(parse_int=number, parse_constant=not_a_number, object_pairs_hook=members)


# Members


def an_object(value):
    if not isinstance(value, dict):
        raise NotARequest
    return value


def member(of, name, default=REQUIRED):
    value = of.get(name, default)
    if value is REQUIRED:
        raise NotARequest
    return value


def string(of, name):
    value = member(of, name)
    if not isinstance(value, str):
        raise NotARequest
    return value


def string_or_none(of, name):
    return None if of.get(name) is None else string(of, name)


def boolean(of, name, default=REQUIRED):
    value = member(of, name, default)
    if not isinstance(value, bool):
        raise NotARequest
    return value


def a_list(of, name):
    """A list of objects."""
    value = member(of, name)
    if not isinstance(value, list):
        raise NotARequest
    return list(map(an_object, value))


def name_of(of, name, names):
    value = string(of, name)
    if value not in names:
        raise NotARequest
    return value


def whole(of, name, limit, default=REQUIRED, least=0):
    value = member(of, name, default)
    if type(value) not in (int, float) or not least <= value <= limit or value != int(value):
        raise NotARequest
    return int(value)


def digits(value, limit):
    if not (isinstance(value, str) and value.isascii() and value.isdigit()):
        raise NotARequest
    value = value.lstrip("0") or "0"
    if len(value) > 20 or int(value) > limit:
        raise NotARequest
    return int(value)


def time(of, name):
    return digits(member(of, name), MAX)


def time_or_none(of, name):
    value = of.get(name)
    return None if value is None else digits(value, MAX)


def word(of, name, default=REQUIRED):
    """Digits up to 2^64 - 1."""
    return digits(member(of, name, default), WORD_MAX)


def words(of, name):
    """A list of digits up to 2^64 - 1."""
    value = member(of, name)
    if not isinstance(value, list):
        raise NotARequest
    return [digits(part, WORD_MAX) for part in value]


def word_or_none(of, name):
    return None if of.get(name) is None else word(of, name)


def seed(of):
    return word(of, "seed", "0")


def key(of):
    value = of.get("key")
    return None if value is None else string(of, "key").encode()


def shown(number):
    """Digits, or null."""
    return None if number is None else str(number)
