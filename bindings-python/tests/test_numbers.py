"""Conversions of durations and ratios, computed by hand."""

import decimal
import time
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import Policy, PolicyError

MAX_NS = 2**63 - 1

DURATIONS = [
    ("whole seconds", 20, 20_000_000_000),
    ("a float", 0.1, 100_000_000),
    ("a float with nanoseconds", 1.000000001, 1_000_000_001),
    ("one nanosecond", 1e-9, 1),
    ("zero", 0, 0),
    ("negative zero", -0.0, 0),
    ("a Decimal", Decimal("0.1"), 100_000_000),
    ("a Decimal of many digits", Decimal("9223372036.854775807"), MAX_NS),
    ("a tie, down to even", Decimal("2.5E-9"), 2),
    ("a tie, up to even", Decimal("1.5E-9"), 2),
    ("just above a tie", Decimal("2.50000000000000000000000000000000001E-9"), 3),
    ("just below a tie", Decimal("1.49999999999999999999999999999999999E-9"), 1),
    ("a tie of a Fraction", Fraction(7, 2 * 10**9), 4),
    ("a Fraction", Fraction(1, 3), 333_333_333),
    ("a Fraction above a half", Fraction(2, 3), 666_666_667),
    ("a timedelta", timedelta(milliseconds=1500), 1_500_000_000),
    ("a timedelta of one us", timedelta(microseconds=1), 1_000),
    ("a timedelta of days", timedelta(days=2, microseconds=3), 172_800_000_003_000),
    ("a tie and 10,000 zeros", Decimal("2.5" + "0" * 10_000 + "E-9"), 2),
    ("a tie and a last digit far away", Decimal("2.5" + "0" * 10_000 + "1E-9"), 3),
    ("almost a tie", Decimal("1.4" + "9" * 10_000 + "E-9"), 1),
    ("zero with an exponent", Decimal("0E-999999999"), 0),
]


@pytest.mark.parametrize(
    ("value", "ns"), [pytest.param(value, ns, id=fact) for fact, value, ns in DURATIONS]
)
def test_duration(value, ns):
    assert Policy("constant", base=value).window_ns(0) == ns


def test_duration_ignores_the_decimal_context():
    with decimal.localcontext(prec=3):
        policy = Policy("constant", base=Decimal("1.23456789"))
        assert policy.window_ns(0) == 1_234_567_890


def test_a_million_digits_are_converted_quickly():
    long = Decimal("1." + "0" * 10**6 + "1")
    start = time.process_time()
    assert Policy("constant", base=long).window_ns(0) == 10**9
    with pytest.raises(PolicyError, match=r"^multiplier .* has a term above 1000000$"):
        Policy("exponential", base=1, multiplier=long)
    assert time.process_time() - start < 2


class Three:
    def __index__(self):
        return 3


RATIOS = [
    ("a float by its shortest decimal", 1.6, Fraction(8, 5)),
    ("a large one with a part", 5000.5, Fraction(10001, 2)),
    ("a float that binary cannot hold", 1.1, Fraction(11, 10)),
    ("a whole float", 3.0, Fraction(3)),
    ("an int", 3, Fraction(3)),
    ("an int by its index", Three(), Fraction(3)),
    ("a Decimal", Decimal("1.25"), Fraction(5, 4)),
    ("a Decimal and 10,000 zeros", Decimal("1.6" + "0" * 10_000), Fraction(8, 5)),
    ("a Fraction", Fraction(10, 3), Fraction(10, 3)),
    ("a pair", (16, 10), Fraction(8, 5)),
    ("a pair that reduces", (4_000_000_000, 2_000_000_000), Fraction(2)),
]


@pytest.mark.parametrize(
    ("value", "ratio"), [pytest.param(value, ratio, id=fact) for fact, value, ratio in RATIOS]
)
def test_multiplier(value, ratio):
    assert Policy("exponential", base=1, multiplier=value).multiplier == ratio


SMALL_RATIOS = [
    ("without an exponent", 0.25, Fraction(1, 4)),
    ("with an exponent in its repr", 1e-05, Fraction(1, 100_000)),
    ("the finest", 0.000001, Fraction(1, 1_000_000)),
    ("computed", 0.1 * 3, Fraction(3, 10)),
    ("below every millionth", 5e-324, Fraction(0)),
    ("zero", 0.0, Fraction(0)),
    ("negative zero", -0.0, Fraction(0)),
    ("zero with an exponent", Decimal("0E-999999999"), Fraction(0)),
]


@pytest.mark.parametrize(
    ("value", "ratio"), [pytest.param(value, ratio, id=fact) for fact, value, ratio in SMALL_RATIOS]
)
def test_jitter_below(value, ratio):
    policy = Policy("constant", base=1, jitter="proportional", jitter_below=value)
    assert (policy.jitter_below, policy.jitter_above) == (ratio, 0)


SECONDS = [
    ("exact", 1_500_000_000, 1.5),
    ("the last that every float holds", 2**53, 9007199.254740992),
    ("beyond it, rounded once", 2**53 + 1, (2**53 + 1) / 10**9),
    ("off if it were rounded twice", 5249979066121302517, 5249979066121302517 / 10**9),
    ("the longest", MAX_NS, 9223372036.854776),
]


@pytest.mark.parametrize(
    ("ns", "seconds"), [pytest.param(ns, seconds, id=fact) for fact, ns, seconds in SECONDS]
)
def test_seconds(ns, seconds):
    policy = Policy("constant", base=Fraction(ns, 10**9))
    assert policy.window_ns(0) == ns
    assert policy.window(0) == seconds
