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
    Policy,
    PolicyError,
    RandomStream,
    RetryStats,
    Verdict,
    permanent,
    retry_after,
    retrying,
)

MAX_NS = 2**63 - 1
UNKNOWN = "is unknown; the kinds are"
ROUNDS = "rounds to 0ns; the shortest duration but 0 is 1ns"
ABOVE = f"is above {MAX_NS}ns"
PAIR = {"growth": "exponential"}
SLOT = {"jitter": "slotted", "jitter_slot": 0}

#: Fields of a policy, of which the last is wrong; code and limit; message after the field; the value of
#: the error if it is not the argument. The vectors have the errors of the core about numbers that it can
#: be passed.
INVALID = [
    ({"growth": "expo"}, "unknown_kind", 6, f"'expo' {UNKNOWN} constant, linear, exponen", 0),
    ({"cap_on": "\ud800"}, "unknown_kind", 2, rf"'\ud800' {UNKNOWN} window, delay", 0),
    ({"cap_on": "word " * 20}, "unknown_kind", 2, f"'{'word ' * 11}word... {UNKNOWN} window", 0),
    (
        {"retry_after": "at most"},
        "unknown_kind",
        3,
        f"'at most' {UNKNOWN} at_least, exact, spread",
        0,
    ),
    ({"base": -1}, "negative", 0, "-1s is below 0"),
    ({"base": timedelta(days=-1)}, "negative", 0, "datetime.timedelta(days=-1) is below 0"),
    ({"base": Decimal("-1E+999999999")}, "negative", 0, "-1E+999999999s is below 0"),
    ({"max_elapsed": -0.5}, "negative", 0, "-0.5s is below 0"),
    ({"growth": "polynomial", "origin": -1}, "negative", 0, "-1 is below 0"),
    (PAIR | {"multiplier": (3, -2)}, "negative", 0, "(3, -2) is below 0"),
    ({"base": math.inf}, "not_finite", 0, "inf is not finite"),
    ({"cap": Decimal("-Infinity")}, "not_finite", 0, "Decimal('-Infinity') is not finite"),
    ({"base": 1e-10}, "too_small", 1, f"1e-10s {ROUNDS}"),
    ({"base": Decimal("1E-999999999")}, "too_small", 1, f"1E-999999999s {ROUNDS}"),
    (SLOT, "too_small", 1, "0s is below 1ns"),
    ({"base": Fraction(2**63, 10**9)}, "too_large", MAX_NS, f"{2**63}ns {ABOVE}", 2**63),
    ({"base": Fraction(2**64)}, "too_large", MAX_NS, f"{2**64}s {ABOVE}"),
    ({"cap": timedelta.max}, "too_large", MAX_NS, f"{repr(timedelta.max)[:60]}... {ABOVE}"),
    ({"base": 1e300}, "too_large", MAX_NS, f"1e+300s {ABOVE}"),
    ({"base": 10**5000}, "too_large", MAX_NS, f"<int> {ABOVE}"),
    ({"base": Decimal("1E+999999999")}, "too_large", MAX_NS, f"1E+999999999s {ABOVE}"),
    ({"increment": 1e300}, "unused", 1, "1e+300s is not used by growth constant"),
    ({"max_retries": 2**70}, "too_large", 2**32, f"{2**70} is above {2**32}"),
    (
        {"max_retries": 5, "max_attempts": 2**70},
        "given_twice",
        5,
        f"{2**70} is set as well as max_",
    ),
    (PAIR | {"multiplier": (2**40, 2**40)}, "ratio_too_fine", 10**6, f"({2**40}, {2**40}) has a "),
    (PAIR | {"multiplier": 1e300}, "ratio_too_fine", 10**6, "1e+300 has a term above 1000000"),
    (
        PAIR | {"multiplier": Fraction(10000001, 10000000)},
        *("ratio_too_fine", 10**6, "10000001/10000000 has a term above 1000000"),
        10000001 * 2**32 + 10000000,
    ),
    (PAIR | {"multiplier": (3, 0)}, "zero_denominator", 1, "3/0 has a zero denom", 3 * 2**32),
]


@pytest.mark.parametrize(
    ("fields", "code", "limit", "message", "value"),
    [
        pytest.param(*row, *([*row[0].values()][-1:] if len(row) == 4 else []), id=f"{at}-{row[1]}")
        for at, row in enumerate(INVALID)
    ],
)
def test_invalid_policy(fields, code, limit, message, value):
    field = [*fields][-1]
    with pytest.raises(PolicyError) as caught:
        Policy(**{"growth": "constant", "base": 1, **fields})
    error = caught.value
    assert (error.code, error.field, error.value, error.limit) == (code, field, value, limit)
    assert str(error).startswith(f"{field} {message}")
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
    (Policy, "Full:base=1s", "unknown_head", 0, "Full", "did you mean full?"),
    (Policy, "full:base=1s,CAP=2s", "unknown_key", 13, "CAP", "did you mean cap?"),
    (Policy, "full:base=1S", "unknown_unit", 11, "S", "capital letters are not allowed"),
    (Policy, "full:base=1m30s", "unknown_unit", 11, "m30s", "a duration has one unit"),
    (
        Policy, "full:base=1s,", "unknown_key", 13, "",
        'a pair must follow every ":" and ","',
    ),
    (Budget, "quota:cost=5, cost_timeout=9", "unknown_key", 13, r"\x20cost_timeout", "spaces are not allowed"),
    (Budget, "rate:per=1m30s", "unknown_unit", 10, "m30s", "a duration has one unit"),
    (Budget, "SRE", "unknown_head", 0, "SRE", "did you mean sre?"),
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
    others = "" if "did you mean" in reason else "; the "
    assert f'"{shown}" ({reason}){others}' in str(error)


ENTRIES = {
    "Policy": lambda: Policy("constant", base=-1),
    "Policy, a kind": lambda: Policy("some", base=1),
    "Policy, a wrong type": lambda: Policy("constant", base="1s"),
    "Policy.parse": lambda: Policy.parse("x"),
    "Policy.delay_ns": lambda: Policy("constant", base=1).delay_ns(RandomStream(1), -1),
    "Budget.parse": lambda: Budget.parse("x"),
    "RandomStream": lambda: RandomStream(-1),
    "Verdict": lambda: Verdict("throttled", "soon"),
    "retry_after": lambda: retry_after(ConnectionError("reset"), "soon"),
    "retry_after, an interruption": lambda: retry_after(KeyboardInterrupt(), 1),
    "permanent": lambda: permanent(KeyboardInterrupt()),
    "Operation": lambda: Operation(Policy("constant", base=1), RandomStream(1), now_ns=-1),
    "Decision": lambda: Decision(2**63),
    "RetryStats.record": lambda: RetryStats().record(1, "slow"),
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
