"""Tests parsing and printing of strings against exact fractions, and the evaluator."""

import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from differential import random_strings
from reference import numbers, parse_error, printing, strings

HERE = Path(__file__).parent
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
        assert len(string) <= strings.LONGEST


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


def test_the_evaluator_answers_byte_for_byte():
    first = "exponential:base=100ms,cap=20s,jitter=full"
    asked = {
        '{"policy":"full:base=1s"}': ("exponential:base=1s,jitter=full", 883310809),
        ' {"index" : 1e0 , "policy":"full:base=1s","seed":"000"}\r': (
            "exponential:base=1s,jitter=full",
            863055994,
        ),
        '{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":2}': (
            first,
            229309811,
        ),
        '{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":-0}': (
            first,
            11399434,
        ),
        '{"policy":"none","x":["\\ud83d\\ude00"]}': ("constant:base=0s", 0),
    }
    asked = {
        string.encode(): f'{{"canonical":"{canonical}","delay_ns":"{delay}"}}'.encode()
        for string, (canonical, delay) in asked.items()
    }
    repeated = b'{"policy":5,"policy":"full:base=1","\\u0070olicy":"full:base"}'
    asked[repeated] = b'{"error":"missing_value","at":9}'
    not_requests = [
        *(b"", b"5", b"[]", b"null", b"{}", b'"default"', b'["\\ud800"]'),
        *(b'{"policy":null}', b'{"policy":"default"', b'\xef\xbb\xbf{"policy":"none"}'),
        *(b'{"policy":"\xff"}', b'{"policy":"\xed\xa0\x80"}'),
        *(b'{"policy":"none","key":"\\ud800"}', b'{"policy":"none","x":[{"\\udc00":1}]}'),
        *(
            b'{"policy":"none","index":' + index + b"}"
            for index in (b"-1", b"0.5", b"4294967296", b"NaN", b"true", b'"0"', b"1e99")
        ),
        *(
            b'{"policy":"none","seed":' + seed + b"}"
            for seed in (b"1", b"null", b'""', b'"-1"', b'"18446744073709551616"', b'"\xc2\xb2"')
        ),
        *(b'{"policy":"none","key":' + key + b"}" for key in (b"1", b"false", b"[]")),
    ]
    asked |= dict.fromkeys(not_requests, b'{"error":"not_a_request","at":0}')
    run = subprocess.run(
        [sys.executable, HERE / "evaluate.py"],
        input=b"\n".join(asked),
        capture_output=True,
        check=True,
    )
    assert run.stdout.split(b"\n") == [*asked.values(), b""]
