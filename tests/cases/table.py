"""Tables of cases, in which a case is a line of text.

A bar ends a cell. A line that begins with a space goes on with the line before it.
"""

import re

from reference.fields import KINDS, LISTS, RATIOS, UNITS


def rows(table):
    lines = re.sub(r"\n +", " ", table.strip()).splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def paragraphs(table):
    """A case in two or more lines: `id: why`, then on indented lines `first -> steps`."""
    for text in re.split(r"\n(?! )", table.strip()):
        head, first, steps = re.fullmatch(r"(.*?)\n +([^\n]*?) -> (.*)", text, re.DOTALL).groups()
        yield *re.sub(r"\n +", " ", head).split(": ", 1), first, steps


def number(text):
    """A whole number, or a sum of durations in nanoseconds: `5`, `100ms`, `5s-1`."""
    terms = re.findall(r"([+-]?\d+)([a-z]*)", text)
    assert "".join(map("".join, terms)) == text, text
    return sum(int(count) * UNITS[unit or "ns"] for count, unit in terms)


def policy(string):
    """The fields that a policy string sets, valid or not. A ratio keeps its terms."""
    growth, _, pairs = string.replace(" ", "").partition(":")
    given = {"growth": growth} if growth else {}
    given |= dict(pair.split("=") for pair in pairs.split(",") if pair)
    return {field: value_of(field, text) for field, text in given.items()}


def value_of(field, text):
    if field in RATIOS:
        return tuple(map(int, text.split("/")))
    if field in LISTS:
        return [number(wait) for wait in text.split("/") if wait]
    return text if field in KINDS and not text.isdigit() else number(text)


def dump(policy):
    """A policy as it stands in a file: every value is a string, or a list of strings."""
    return {field: dumped(value) for field, value in policy.items()}


def dumped(value):
    if isinstance(value, list):
        return list(map(str, value))
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def details(refused):
    """An error as it stands in a file."""
    return {
        "code": refused.code,
        "field": refused.field,
        "value": str(refused.value),
        "limit": str(refused.limit),
        "message": str(refused),
    }
