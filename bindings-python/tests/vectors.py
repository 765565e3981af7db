"""The shared vectors, and how their policies are spelled in Python."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from backoff_rs import Policy, Stream

FOLDER = Path(__file__).parents[2] / "tests" / "vectors"
KINDS = {"growth", "jitter", "cap_on", "hint"}
RATIOS = {"multiplier", "jitter_below", "jitter_above"}
COUNTS = {"power", "origin", "max_retries", "max_attempts"}


def layer(name):
    """One file of vectors, all of it."""
    content = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert len(content["cases"]) == content["count"], f"{name}.json is not complete"
    return content


def cases(*names):
    """The cases of these files as parameters of a test."""
    return [
        pytest.param(case, id=f"{name}-{case['id']}")
        for name in names
        for case in layer(name)["cases"]
    ]


def policy(given):
    return Policy(**{field: value(field, text) for field, text in given.items()})


def value(field, text):
    """The exact value of a field: no float comes between."""
    if field in KINDS:
        return text
    if field in RATIOS:
        n, d = text.split("/")
        return int(n), int(d)
    return int(text) if field in COUNTS else seconds(text)


def seconds(ns):
    """Nanoseconds as the library takes durations, exactly."""
    return Fraction(int(ns), 10**9)


def optional(function, given):
    return None if given is None else function(given)


def stream(seed, key):
    return Stream(int(seed), *([] if key is None else [bytes.fromhex(key)]))
