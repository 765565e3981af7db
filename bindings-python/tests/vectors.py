"""The shared vectors, and their fields as Python's arguments."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from backoff_rs import Policy, RandomStream

FOLDER = Path(__file__).parents[2] / "tests" / "vectors"
KINDS = {"growth", "jitter", "cap_on", "retry_after", "elapsed_from"}
RATIOS = {"multiplier", "jitter_below", "jitter_above"}
COUNTS = {"power", "origin", "max_retries", "max_attempts"}


def layer(name):
    """One file of vectors."""
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


def policy(fields):
    return Policy(**{field: value(field, text) for field, text in fields.items()})


def value(field, text):
    """The exact value of a field, without a float in between."""
    if field in KINDS:
        return text
    if field in RATIOS:
        n, d = text.split("/")
        return int(n), int(d)
    if isinstance(text, list):
        return [seconds(wait) for wait in text]
    return int(text) if field in COUNTS else seconds(text)


def seconds(ns):
    """Nanoseconds as an exact number of seconds."""
    return Fraction(int(ns), 10**9)


def optional(function, value):
    return None if value is None else function(value)


def stream(seed, key):
    return RandomStream(int(seed), *([] if key is None else [bytes.fromhex(key)]))
