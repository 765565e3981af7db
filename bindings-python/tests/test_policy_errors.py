"""Invalid fields of a policy: code, field, value, limit and message of the error."""

import math
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import (
    Budget,
    Decision,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    RandomStream,
    RetryStats,
    Verdict,
    parse_retry_after,
    permanent,
    retry_after,
    retrying,
)

MAX_NS = 2**63 - 1

# Arguments; code, field, value, limit; message.
INVALID = [
    (
        {"growth": "expo", "base": 1},
        ("unknown_kind", "growth", 0, 5),
        "growth 'expo' is unknown; the kinds are constant, linear, exponential, polynomial, fibonacci",
    ),
    (
        {"growth": "constant", "base": 1, "cap_on": "\ud800"},
        ("unknown_kind", "cap_on", 0, 2),
        r"cap_on '\ud800' is unknown; the kinds are window, delay",
    ),
    (
        {"growth": "constant", "base": 1, "cap_on": "two words " * 20},
        ("unknown_kind", "cap_on", 0, 2),
        "cap_on 'two words two words two words two words two words two words... is unknown; the kinds are window, delay",
    ),
    (
        {"growth": "constant", "base": -1},
        ("negative", "base", -1, 0),
        "base -1s is below 0",
    ),
    (
        {"growth": "constant", "base": -1e-300},
        ("negative", "base", -1e-300, 0),
        "base -1e-300s is below 0",
    ),
    (
        {"growth": "constant", "base": timedelta(days=-1)},
        ("negative", "base", timedelta(days=-1), 0),
        "base datetime.timedelta(days=-1) is below 0",
    ),
    (
        {"growth": "constant", "base": Decimal("-1E+999999999")},
        ("negative", "base", Decimal("-1E+999999999"), 0),
        "base -1E+999999999s is below 0",
    ),
    (
        {"growth": "constant", "base": math.inf},
        ("not_finite", "base", math.inf, 0),
        "base inf is not finite",
    ),
    (
        {"growth": "constant", "base": 1, "cap": Decimal("-Infinity")},
        ("not_finite", "cap", Decimal("-Infinity"), 0),
        "cap Decimal('-Infinity') is not finite",
    ),
    (
        {"growth": "exponential", "base": 1, "multiplier": math.inf},
        ("not_finite", "multiplier", math.inf, 0),
        "multiplier inf is not finite",
    ),
    (
        {"growth": "constant", "base": 1e-10},
        ("too_small", "base", 1e-10, 1),
        "base 1e-10s rounds to 0ns; the shortest duration but 0 is 1ns",
    ),
    (
        {"growth": "constant", "base": Decimal("5E-10")},
        ("too_small", "base", Decimal("5E-10"), 1),
        "base 5E-10s rounds to 0ns; the shortest duration but 0 is 1ns",
    ),
    (
        {"growth": "constant", "base": Decimal("1E-999999999")},
        ("too_small", "base", Decimal("1E-999999999"), 1),
        "base 1E-999999999s rounds to 0ns; the shortest duration but 0 is 1ns",
    ),
    (
        {"growth": "constant", "base": 1, "jitter": "slotted", "jitter_slot": 0},
        ("too_small", "jitter_slot", 0, 1),
        "jitter_slot 0s is below 1ns",
    ),
    (
        {"growth": "constant", "base": Fraction(2**63, 10**9)},
        ("too_large", "base", 2**63, MAX_NS),
        "base 9223372036854775808ns is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": MAX_NS},
        ("too_large", "base", MAX_NS, MAX_NS),
        "base 9223372036854775807s is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": Fraction(2**64)},
        ("too_large", "base", Fraction(2**64), MAX_NS),
        "base 18446744073709551616s is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": 1, "cap": timedelta.max},
        ("too_large", "cap", timedelta.max, MAX_NS),
        "cap datetime.timedelta(days=999999999, seconds=86399, microsecon... is above "
        "9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": 1e300},
        ("too_large", "base", 1e300, MAX_NS),
        "base 1e+300s is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": 10**5000},
        ("too_large", "base", 10**5000, MAX_NS),
        "base <int> is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": Decimal("1E+999999999")},
        ("too_large", "base", Decimal("1E+999999999"), MAX_NS),
        "base 1E+999999999s is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": 1, "increment": 1e300},
        ("unused", "increment", 1e300, 1),
        "increment 1e+300s is not used by growth constant",
    ),
    (
        {"growth": "polynomial", "base": 1, "power": 2**70},
        ("too_large", "power", 2**70, 16),
        "power 1180591620717411303424 is above 16",
    ),
    (
        {"growth": "polynomial", "base": 1, "origin": -1},
        ("negative", "origin", -1, 0),
        "origin -1 is below 0",
    ),
    (
        {"growth": "exponential", "base": 1, "multiplier": (2**40, 2**40)},
        ("ratio_too_fine", "multiplier", (2**40, 2**40), 1_000_000),
        "multiplier (1099511627776, 1099511627776) has a term above 1000000",
    ),
    (
        {"growth": "exponential", "base": 1, "multiplier": 1e300},
        ("ratio_too_fine", "multiplier", 1e300, 1_000_000),
        "multiplier 1e+300 has a term above 1000000",
    ),
    (
        {"growth": "exponential", "base": 1, "multiplier": 1.0000001},
        ("ratio_too_fine", "multiplier", 10000001 * 2**32 + 10000000, 1_000_000),
        "multiplier 10000001/10000000 has a term above 1000000",
    ),
    (
        {"growth": "exponential", "base": 1, "multiplier": (3, -2)},
        ("negative", "multiplier", (3, -2), 0),
        "multiplier (3, -2) is below 0",
    ),
    (
        {"growth": "exponential", "base": 1, "multiplier": (3, 0)},
        ("zero_denominator", "multiplier", 3 * 2**32, 1),
        "multiplier 3/0 has a zero denominator",
    ),
    (
        {"growth": "constant", "base": 1, "max_retries": 2**70},
        ("too_large", "max_retries", 2**70, 2**32),
        "max_retries 1180591620717411303424 is above 4294967296",
    ),
    (
        {"growth": "constant", "base": 1, "max_retries": 5, "max_attempts": 2**70},
        ("given_twice", "max_attempts", 2**70, 5),
        "max_attempts 1180591620717411303424 is set as well as max_retries 5; set one of them",
    ),
    (
        {"growth": "constant", "base": 1, "max_attempts": 0},
        ("too_small", "max_attempts", 0, 1),
        "max_attempts 0 is below 1",
    ),
    (
        {"growth": "constant", "base": 1, "max_retries": -1},
        ("negative", "max_retries", -1, 0),
        "max_retries -1 is below 0",
    ),
    (
        {"growth": "constant", "base": 1, "cap": 2, "throttled_base": timedelta(seconds=3)},
        ("too_large", "throttled_base", 3 * 10**9, 2 * 10**9),
        "throttled_base 3s is above 2s",
    ),
    (
        {"growth": "constant", "base": 1, "retry_after": "at most"},
        ("unknown_kind", "retry_after", 0, 3),
        "retry_after 'at most' is unknown; the kinds are at_least, exact, spread",
    ),
    (
        {"growth": "constant", "base": 1, "max_elapsed": -0.5},
        ("negative", "max_elapsed", -0.5, 0),
        "max_elapsed -0.5s is below 0",
    ),
    (
        {"growth": "constant", "base": 1, "retry_after_max": math.inf},
        ("not_finite", "retry_after_max", math.inf, 0),
        "retry_after_max inf is not finite",
    ),
]


@pytest.mark.parametrize(
    ("fields", "facts", "message"),
    [pytest.param(*row, id=f"{row[1][1]}-{row[1][0]}-{i}") for i, row in enumerate(INVALID)],
)
def test_invalid_policy(fields, facts, message):
    with pytest.raises(PolicyError) as caught:
        Policy(**fields)
    error = caught.value
    assert (error.code, error.field, error.value, error.limit) == facts
    assert str(error) == message
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("nan", [math.nan, Decimal("NaN"), Decimal("sNaN")], ids=repr)
@pytest.mark.parametrize("field", ["base", "multiplier"])
def test_nan(field, nan):
    with pytest.raises(PolicyError, match=f"^{field} .* is not finite$") as caught:
        Policy(**{"growth": "exponential", "base": 1, field: nan})
    assert (caught.value.code, caught.value.field) == ("not_finite", field)
    assert caught.value.value is nan


SURROGATES = [
    ("unknown_head", "\ud800", 0, "\ud800"),
    ("unknown_key", "none:b\udfffse=1s", 5, "b\udfffse"),
    ("unknown_unit", "none:base=1\ud800\udc00", 11, "\ud800\udc00"),
    ("unknown_kind", "none:base=1s,jitter=\udbff\U00010000", 20, "\udbff\U00010000"),
    ("text_too_long", "none:base=" + "\ud800" * 339, 1024, ""),
    ("not_a_duration", "none:base=" + "\ud800" * 338, 10, "\ud800" * 338),
]


@pytest.mark.parametrize(
    ("code", "text", "at", "found"), [pytest.param(*row, id=row[0]) for row in SURROGATES]
)
def test_a_lone_surrogate_is_reported_where_it_stands(code, text, at, found):
    with pytest.raises(PolicyError) as caught:
        Policy.parse(text)
    error = caught.value
    assert (error.code, error.at, error.found) == (code, at, found)
    # The message can be printed.
    assert str(error).isascii()


REASONS = [
    (Policy, "full:base=1s, cap=2s", "unknown_key", 13, r"\x20cap", "spaces are not allowed"),
    (Policy, "full: base=1s", "unknown_key", 5, r"\x20base", "spaces are not allowed"),
    (Policy, "full:base=1s\n", "unknown_unit", 11, r"s\x0a", "spaces are not allowed"),
    (Policy, "Full:base=1s", "unknown_head", 0, "Full", "capital letters are not allowed"),
    (Policy, "full:base=1s,CAP=2s", "unknown_key", 13, "CAP", "capital letters are not allowed"),
    (Policy, "full:base=1m30s", "unknown_unit", 11, "m30s", "a duration has one unit"),
    (
        Policy, "full:base=1s,", "unknown_key", 13, "",
        'a pair must follow every ":" and ","',
    ),
    (Budget, "quota:cost=5, cost_timeout=9", "unknown_key", 13, r"\x20cost_timeout", "spaces are not allowed"),
    (Budget, "rate:per=1m30s", "unknown_unit", 10, "m30s", "a duration has one unit"),
    (Budget, "SRE", "unknown_head", 0, "SRE", "capital letters are not allowed"),
    (Budget, "sre:", "unknown_key", 4, "", 'a pair must follow every ":" and ","'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("of", "text", "code", "at", "shown", "reason"),
    [pytest.param(*row, id=row[1]) for row in REASONS],
)
def test_a_message_says_why_a_text_is_refused(of, text, code, at, shown, reason):
    with pytest.raises(PolicyError) as caught:
        of.parse(text)
    error = caught.value
    assert (error.code, error.at) == (code, at)
    assert str(error).startswith(f"at {at}: ")
    assert f'"{shown}" ({reason}); the ' in str(error)


def test_a_text_that_is_not_a_policy_string():
    for text in ("", "\0", "none\0", " none", "none ", "x" * 10**6, "none:" + "," * 1000):
        with pytest.raises(PolicyError):
            Policy.parse(text)
        with pytest.raises(PolicyError):
            Budget.parse(text)


ENTRIES = {
    "Policy": lambda: Policy("constant", base=-1),
    "Policy, by the core": lambda: Policy("constant", base=2, cap=1),
    "Policy, a value beyond 64 bits": lambda: Policy("constant", base=1e300),
    "Policy, a kind": lambda: Policy("some", base=1),
    "Policy, a wrong type": lambda: Policy("constant", base="1s"),
    "Policy.parse": lambda: Policy.parse("x"),
    "Policy.fit_base": lambda: Policy("constant", base=1).fit_base(0, 1),
    "Policy.delay_ns": lambda: Policy("constant", base=1).delay_ns(RandomStream(1), -1),
    "Budget.parse": lambda: Budget.parse("x"),
    "RandomStream": lambda: RandomStream(-1),
    "Verdict": lambda: Verdict("throttled", "soon"),
    "Verdict, an outcome": lambda: Verdict("slow"),
    "retry_after": lambda: retry_after(ConnectionError("reset"), "soon"),
    "retry_after, an interruption": lambda: retry_after(KeyboardInterrupt(), 1),
    "permanent": lambda: permanent(KeyboardInterrupt()),
    "permanent, a type": lambda: permanent(KeyError),
    "Operation": lambda: Operation(Policy("constant", base=1), RandomStream(1), now_ns=-1),
    "Decision": lambda: Decision(2**63),
    "RetryStats.record": lambda: RetryStats().record(1, "slow"),
    "Outcome.of_http_status": lambda: Outcome.of_http_status(-1),
    "parse_retry_after": lambda: parse_retry_after("1", now=-1),
    "retrying": lambda: retrying("x", on=()),
}


@pytest.mark.parametrize("entry", [pytest.param(call, id=name) for name, call in ENTRIES.items()])
def test_the_exception_being_handled_is_the_context(entry):
    handled = ConnectionError("real")
    try:
        raise handled
    except ConnectionError:
        with pytest.raises((PolicyError, TypeError)) as caught:
            entry()
    assert caught.value.__context__ is handled
    with pytest.raises((PolicyError, TypeError)) as caught:
        entry()
    assert caught.value.__context__ is None
