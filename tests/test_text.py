"""Tests parsing and printing of strings against exact fractions."""

import random
from fractions import Fraction

import pytest
from differential import random_strings
from reference import numbers, parse_error, printing, strings

NANOSECONDS = {"d": 86_400 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9}
NANOSECONDS |= {"ms": 10**6, "us": 10**3, "ns": 1}


def read(string):
    """(policy, None) or (None, error)."""
    try:
        return strings.parse("policy", string), None
    except parse_error.ParseError as error:
        return None, error


def test_printed_policies_parse_to_equal_policies():
    rng = random.Random(1)
    policies = [
        policy for policy, _ in (read(random_strings.policy(rng)) for _ in range(5000)) if policy
    ]
    assert len(policies) > 2000
    for policy in policies:
        string = printing.printed("policy", policy)
        assert strings.parse("policy", string) == policy
        assert len(string) <= strings.MAX_LENGTH


def test_an_error_shows_the_text_at_its_position():
    rng = random.Random(2)
    seen = set()
    for _ in range(20_000):
        string = random_strings.text(rng)
        _, error = read(string)
        if error is None:
            continue
        seen.add(error.code)
        found = error.found.encode()
        assert string.encode()[error.at :].startswith(found)
        assert string.encode()[: error.at].isascii() or error.code == "text_too_long"
        assert str(error).startswith(f"at {error.at}: ")
        assert str(error).isprintable()
        assert str(error).isascii()
    assert len(seen) > 20


@pytest.mark.parametrize("unit", NANOSECONDS)
def test_durations_are_exact(unit):
    rng = random.Random(unit)
    for _ in range(500):
        number = (
            f"{rng.randrange(10 ** rng.randint(1, 6))}.{rng.randrange(10 ** rng.randint(1, 9))}"
        )
        exact = Fraction(number) * NANOSECONDS[unit]
        policy, error = read(f"constant:base={number}{unit}")
        if exact.denominator == 1 and exact <= numbers.MAX:
            assert policy["base"] == exact
        else:
            assert error.code == ("too_large" if exact.denominator == 1 else "duration_too_fine")


def test_ratios_are_exact():
    rng = random.Random(3)
    for _ in range(2000):
        n, d, digits = rng.randrange(1, 10**6), rng.randrange(1, 10**6), rng.randrange(10**4)
        for value, exact in (
            (f"{n}/{d}", Fraction(n, d)),
            (f"0.{digits:04}", Fraction(digits, 10**4)),
            (f"{digits % 100}.{digits:04}0%", Fraction(f"{digits % 100}.{digits:04}") / 100),
        ):
            policy, error = read(f"constant:base=1s,jitter={value}")
            if exact > 1:
                assert error.code == "too_large"
            else:
                assert Fraction(*policy["jitter_above"]) == exact
