"""Clause 11.4: the values of policy and budget strings.

A string holds one character for each byte, none above 255, of which `isdecimal` accepts 0 to 9 only.
"""

from reference.fields import COUNTS, KINDS, LISTS, RATIOS, UNITS
from reference.numbers import WORD_MAX, reduced
from reference.parse_error import ParseError

DIGITS_AND_DOTS = "0123456789."


def value_of(key, value, at):
    """The value that a string at this position stands for."""
    if key in KINDS:
        return kind(key, value, at)
    if key in COUNTS:
        return count(key, value, at)
    if key in RATIOS:
        return ratio(key, value, at)
    if key in LISTS:
        return durations(key, value, at)
    return duration(key, value, at)


def durations(key, value, at):
    waits = []
    for part in value.split("/"):
        waits.append(duration(key, part, at))
        at += len(part) + 1
    return waits


def is_number(text):
    whole, dot, part = text.partition(".")
    return whole.isdecimal() and (part.isdecimal() if dot else True)


def as_ratio(number):
    """A number as n/d, where d is a power of ten."""
    whole, _, part = number.partition(".")
    part = part.rstrip("0")
    return int(whole + part), 10 ** len(part)


def duration(key, value, at):
    unit = value.lstrip(DIGITS_AND_DOTS)
    number = value[: len(value) - len(unit)]
    if not is_number(number):
        raise ParseError("not_a_duration", at, value, key)
    if unit == "":
        raise ParseError("missing_unit", at + len(value), "", key, names=UNITS)
    if unit not in UNITS:
        raise ParseError("unknown_unit", at + len(number), unit, key, names=UNITS)
    n, d = as_ratio(number)
    nanoseconds, rest = divmod(n * UNITS[unit], d)
    if rest:
        raise ParseError("duration_too_fine", at, value, key)
    return min(nanoseconds, WORD_MAX)


def count(key, value, at):
    if not value.isdecimal():
        raise ParseError("not_a_count", at, value, key)
    return min(int(value), WORD_MAX)


def ratio(key, value, at):
    number, percent, more = value.partition("%")
    n, slash, d = value.partition("/")
    if slash and n.isdecimal() and d.isdecimal():
        n, d = int(n), int(d)
    elif is_number(number) and more == "":
        n, d = as_ratio(number)
        d *= 100 if percent else 1
    else:
        raise ParseError("not_a_ratio", at, value, key)
    if d == 0:
        raise ParseError("zero_denominator", at, value, key)
    lowest = reduced((n, d))
    if max(n, d) > WORD_MAX or max(lowest) >= 2**32:
        raise ParseError("ratio_too_fine", at, value, key)
    return lowest


def kind(key, value, at):
    if value not in KINDS[key]:
        raise ParseError("unknown_kind", at, value, key, names=KINDS[key])
    return value
