"""Bad input: which error, about what, in which words, and that nothing is changed by it."""

import ctypes
import math
import operator
import subprocess
import sys
from array import array
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import (
    Backoff,
    Budget,
    Decision,
    History,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    PreviewRow,
    StopReason,
    Stream,
    parse_retry_after,
)

MAX_NS = 2**63 - 1
POLICY = Policy("exponential", base=0.1, cap=20, jitter="full")
STREAM = Stream(42, "job-1")
OPERATION = Operation(POLICY, STREAM, now_ns=0)
HISTORY = History()

# What the core cannot be handed: code, field, value, limit, message.
REFUSED = [
    (
        {"growth": "expo", "base": 1},
        ("unknown_kind", "growth", 0, 5),
        "growth 'expo' is unknown; the kinds are constant, linear, exponential, polynomial, fibonacci",
    ),
    (
        {"growth": "constant", "base": 1, "cap_on": "\ud800"},
        ("unknown_kind", "cap_on", 0, 2),
        r"cap_on '\ud800' is unknown; the kinds are window, result",
    ),
    (
        {"growth": "constant", "base": 1, "cap_on": "two words " * 20},
        ("unknown_kind", "cap_on", 0, 2),
        "cap_on 'two words two words two words two words two words two words... is unknown; the kinds are window, result",
    ),
    (
        {"growth": "constant", "base": -1},
        ("negative", "base", -1, 0),
        "base -1 is below 0",
    ),
    (
        {"growth": "constant", "base": -1e-300},
        ("negative", "base", -1e-300, 0),
        "base -1e-300 is below 0",
    ),
    (
        {"growth": "constant", "base": timedelta(days=-1)},
        ("negative", "base", timedelta(days=-1), 0),
        "base datetime.timedelta(days=-1) is below 0",
    ),
    (
        {"growth": "constant", "base": Decimal("-1E+999999999")},
        ("negative", "base", Decimal("-1E+999999999"), 0),
        "base Decimal('-1E+999999999') is below 0",
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
        "base 1e-10 rounds to 0ns; the shortest duration but 0 is 1ns",
    ),
    (
        {"growth": "constant", "base": Decimal("5E-10")},
        ("too_small", "base", Decimal("5E-10"), 1),
        "base Decimal('5E-10') rounds to 0ns; the shortest duration but 0 is 1ns",
    ),
    (
        {"growth": "constant", "base": Decimal("1E-999999999")},
        ("too_small", "base", Decimal("1E-999999999"), 1),
        "base Decimal('1E-999999999') rounds to 0ns; the shortest duration but 0 is 1ns",
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
        {"growth": "constant", "base": 1e300},
        ("too_large", "base", 1e300, MAX_NS),
        "base 1e+300 is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": 10**5000},
        ("too_large", "base", 10**5000, MAX_NS),
        "base <int> is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": Decimal("1E+999999999")},
        ("too_large", "base", Decimal("1E+999999999"), MAX_NS),
        "base Decimal('1E+999999999') is above 9223372036854775807ns",
    ),
    (
        {"growth": "constant", "base": 1, "increment": 1e300},
        ("unused", "increment", 1e300, 1),
        "increment 1e+300 is not used by growth constant",
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
        "max_attempts 1180591620717411303424 is given beside max_retries 5",
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
        {"growth": "constant", "base": 1, "hint": "at most"},
        ("unknown_kind", "hint", 0, 3),
        "hint 'at most' is unknown; the kinds are at_least, exact, spread",
    ),
    (
        {"growth": "constant", "base": 1, "max_elapsed": -0.5},
        ("negative", "max_elapsed", -0.5, 0),
        "max_elapsed -0.5 is below 0",
    ),
    (
        {"growth": "constant", "base": 1, "hint_max": math.inf},
        ("not_finite", "hint_max", math.inf, 0),
        "hint_max inf is not finite",
    ),
]


@pytest.mark.parametrize(
    ("given", "facts", "message"),
    [pytest.param(*row, id=f"{row[1][1]}-{row[1][0]}-{i}") for i, row in enumerate(REFUSED)],
)
def test_refused_policy(given, facts, message):
    with pytest.raises(PolicyError) as caught:
        Policy(**given)
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


SECONDS = "base must be seconds (int, float, Decimal or Fraction) or a timedelta, not "
RATIO = "multiplier must be a float, int, Decimal, Fraction or a pair of ints, not "
FIELDS = (
    "growth, base, increment, multiplier, power, origin, offset, cap, cap_on, floor, jitter, "
    "jitter_below, jitter_above, jitter_max, jitter_increment, jitter_slot, max_retries, "
    "max_attempts, max_elapsed, throttled_base, hint, hint_max, hint_max_extra"
)

NO_CONSTRUCTOR = "Budget has no constructor; Budget.parse(line) makes one"
NOW = (
    "now must be seconds since 1970 (int, float, Decimal or Fraction) or a datetime with a time "
    "zone, not "
)

WRONG_TYPES = [
    (lambda: Policy("constant", base=True), SECONDS + "bool"),
    (lambda: Policy("constant", base="1s"), SECONDS + "str"),
    (lambda: Policy("constant", base=None), SECONDS + "NoneType"),
    (lambda: Policy("constant", base=1j), SECONDS + "complex"),
    (lambda: Policy("constant", base=int), SECONDS + "type"),
    (lambda: Policy("exponential", base=1, multiplier=True), RATIO + "bool"),
    (lambda: Policy("exponential", base=1, multiplier="1.6"), RATIO + "str"),
    (lambda: Policy("exponential", base=1, multiplier=(1, 2, 3)), RATIO + "tuple"),
    (lambda: Policy("exponential", base=1, multiplier=(1.0, 2)), RATIO + "tuple"),
    (lambda: Policy("exponential", base=1, multiplier=(True, 2)), RATIO + "tuple"),
    (lambda: Policy("polynomial", base=1, power=2.0), "power must be an int, not float"),
    (lambda: Policy("polynomial", base=1, power=True), "power must be an int, not bool"),
    (lambda: Policy("constant", base=1, jitter=None), "jitter must be a str, not NoneType"),
    (lambda: Policy(1, base=1), "growth must be a str, not int"),
    (
        lambda: Policy("constant", base=1, cpa=2),
        f"Policy() has no field 'cpa'; the fields are {FIELDS}",
    ),
    (
        lambda: Policy("constant", 1),
        "Policy() takes only the growth by position, and was given 2 arguments",
    ),
    (lambda: Policy("constant", growth="linear", base=1), "Policy() was given growth twice"),
    (lambda: Stream(True), "seed must be an int, not bool"),
    (lambda: Stream(1.0), "seed must be an int, not float"),
    (lambda: Stream(1, None), "key must be a str or bytes-like, not NoneType"),
    (lambda: Stream(1, key=None), "key must be a str or bytes-like, not NoneType"),
    (lambda: Stream(1, 2), "key must be a str or bytes-like, not int"),
    (lambda: Stream(1, array("I", [2])), "key must be a str or bytes-like, not array"),
    (lambda: POLICY.delay(STREAM, True), "index must be an int, not bool"),
    (lambda: POLICY.delay_ns(STREAM, 1.0), "index must be an int, not float"),
    (lambda: POLICY.window(None), "index must be an int, not NoneType"),
    (lambda: POLICY.delays(STREAM, 1.5), "count must be an int, not float"),
    (lambda: POLICY.delay(42, 0), "stream must be a Stream, not int"),
    (lambda: POLICY.delay_ns(POLICY, 0), "stream must be a Stream, not Policy"),
    (lambda: POLICY.delays(42, 1), "stream must be a Stream, not int"),
    (lambda: POLICY.fill_ns(42, array("Q")), "stream must be a Stream, not int"),
    (lambda: Backoff("full"), "policy must be a Policy, not str"),
    (lambda: Backoff(POLICY, 42), "stream must be a Stream, not int"),
    (lambda: Policy("constant", base=1, max_retries=5.0), "max_retries must be an int, not float"),
    (lambda: Policy("constant", base=1, hint=None), "hint must be a str, not NoneType"),
    (lambda: Policy.parse(None), "line must be a str, not NoneType"),
    (lambda: Policy.parse(b"none"), "line must be a str, not bytes"),
    (lambda: Budget.parse(["sre"]), "line must be a str, not list"),
    (lambda: POLICY.preview(1.5), "count must be an int, not float"),
    (lambda: POLICY.fit_base("4", 1), "max_attempts must be an int, not str"),
    (lambda: POLICY.fit_cap(4, "1s"), SECONDS.replace("base", "max_elapsed") + "str"),
    (lambda: Budget(), NO_CONSTRUCTOR),
    (lambda: Budget("sre", line="sre"), NO_CONSTRUCTOR),
    (lambda: Outcome.of_http_status("200"), "status must be an int, not str"),
    (lambda: Operation("full", STREAM, now_ns=0), "policy must be a Policy, not str"),
    (lambda: Operation(POLICY, 42, now_ns=0), "stream must be a Stream, not int"),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, budget="sre"),
        "budget must be a Budget, not str",
    ),
    (lambda: Operation(POLICY, STREAM, now_ns=0.5), "now_ns must be an int, not float"),
    (lambda: Operation(POLICY, STREAM, now_ns=None), "now_ns must be an int, not NoneType"),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, deadline_ns=1.0),
        "deadline_ns must be an int, not float",
    ),
    (lambda: OPERATION.decide(2, now_ns=0), "outcome must be an Outcome or its name, not int"),
    (
        lambda: OPERATION.decide(StopReason.SUCCESS, now_ns=0),
        "outcome must be an Outcome or its name, not StopReason",
    ),
    (lambda: OPERATION.decide("timeout", now_ns=True), "now_ns must be an int, not bool"),
    (
        lambda: OPERATION.decide("timeout", now_ns=0, hint="1"),
        SECONDS.replace("base", "hint") + "str",
    ),
    (lambda: HISTORY.record(1.0, "success"), "attempts must be an int, not float"),
    (
        lambda: HISTORY.record(1, None),
        "reason must be a StopReason or its name, not NoneType",
    ),
    (
        lambda: HISTORY.record(1, Outcome.SUCCESS),
        "reason must be a StopReason or its name, not Outcome",
    ),
    (
        lambda: Decision(1, Outcome.SUCCESS),
        "reason must be a StopReason or its name, not Outcome",
    ),
    (lambda: HISTORY.merge(1), "other must be a History, not int"),
    (
        lambda: operator.iadd(HISTORY, 1),
        "unsupported operand type(s) for +=: 'backoff_rs.History' and 'int'",
    ),
    (lambda: parse_retry_after(120), "header must be a str or bytes, not int"),
    (lambda: parse_retry_after("1", now="1"), NOW + "str"),
    (lambda: parse_retry_after("1", now=timedelta(1)), NOW + "timedelta"),
    (lambda: parse_retry_after("1", now=True), NOW + "bool"),
    (
        lambda: parse_retry_after("1", now=datetime(2026, 1, 1)),
        "now must be a datetime with a time zone, not datetime",
    ),
]


@pytest.mark.parametrize(
    ("call", "message"),
    [pytest.param(*row, id=f"{i}-{row[1][:40]}") for i, row in enumerate(WRONG_TYPES)],
)
def test_wrong_type(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


OUT_OF_RANGE = [
    (lambda: POLICY.delay(STREAM, -1), "negative", "index", -1, 0),
    (lambda: Outcome.of_http_status(2**16), "too_large", "status", 2**16, 2**16 - 1),
    (lambda: Outcome.of_http_status(-1), "negative", "status", -1, 0),
    (lambda: POLICY.delay_ns(STREAM, 2**32), "too_large", "index", 2**32, 2**32 - 1),
    (lambda: POLICY.window(2**64), "too_large", "index", 2**64, 2**32 - 1),
    (lambda: POLICY.window_ns(-(2**64)), "negative", "index", -(2**64), 0),
    (lambda: STREAM.draw(2**32), "too_large", "index", 2**32, 2**32 - 1),
    (lambda: POLICY.delays(STREAM, -1), "negative", "count", -1, 0),
    (lambda: POLICY.delays(STREAM, 2**64), "too_large", "count", 2**64, 2**64 - 1),
    (lambda: POLICY.delays(STREAM, 1, 2**32), "too_large", "first", 2**32, 2**32 - 1),
    (lambda: POLICY.fill_ns(STREAM, array("Q"), -1), "negative", "first", -1, 0),
    (lambda: Stream(-1), "negative", "seed", -1, 0),
    (lambda: Stream(2**64), "too_large", "seed", 2**64, 2**64 - 1),
    (lambda: Stream(1, "a\ud800"), "not_unicode", "key", "a\ud800", 0),
    (lambda: POLICY.preview(-1), "negative", "count", -1, 0),
    (lambda: POLICY.fit_base(0, 1), "too_small", "max_attempts", 0, 1),
    (lambda: POLICY.fit_base(-1, 1), "negative", "max_attempts", -1, 0),
    (lambda: POLICY.fit_base(65537, 1), "too_large", "max_attempts", 65537, 65536),
    (lambda: POLICY.fit_cap(2**70, 1), "too_large", "max_attempts", 2**70, 65536),
    (lambda: POLICY.fit_cap(4, 1e300), "too_large", "max_elapsed", 1e300, MAX_NS),
    (lambda: POLICY.fit_cap(4, -1), "negative", "max_elapsed", -1, 0),
    (lambda: Operation(POLICY, STREAM, now_ns=-1), "negative", "now_ns", -1, 0),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, deadline_ns=2**64),
        "too_large", "deadline_ns", 2**64, 2**64 - 1,
    ),
    (lambda: OPERATION.decide("sucess", now_ns=0), "unknown_outcome", "outcome", "sucess", 0),
    (lambda: OPERATION.decide("a\ud800", now_ns=0), "unknown_outcome", "outcome", "a\ud800", 0),
    (lambda: OPERATION.decide("timeout", now_ns=-1), "negative", "now_ns", -1, 0),
    (lambda: OPERATION.decide("timeout", now_ns=0, hint=-1), "negative", "hint", -1, 0),
    (lambda: OPERATION.decide("timeout", now_ns=0, hint=1e-10), "too_small", "hint", 1e-10, 1),
    (
        lambda: OPERATION.decide("timeout", now_ns=0, hint=math.inf),
        "not_finite", "hint", math.inf, 0,
    ),
    (lambda: HISTORY.record(-1, "success"), "negative", "attempts", -1, 0),
    (lambda: HISTORY.record(2**64, "success"), "too_large", "attempts", 2**64, 2**64 - 1),
    (lambda: HISTORY.record(1, "timeout"), "unknown_reason", "reason", "timeout", 0),
    (lambda: Decision(-1), "negative", "delay_ns", -1, 0),
    (lambda: Decision(2**63), "too_large", "delay_ns", 2**63, MAX_NS),
    (lambda: Decision(2**64, "budget"), "too_large", "delay_ns", 2**64, MAX_NS),
    (lambda: Decision(1, "ok"), "unknown_reason", "reason", "ok", 0),
    (
        lambda: PreviewRow(1, 2, 3, 4, 5, 2**63),
        "too_large", "total_largest_ns", 2**63, MAX_NS,
    ),
    (lambda: parse_retry_after("1", now=-1), "negative", "now", -1, 0),
    (lambda: parse_retry_after("1", now=2**35), "too_large", "now", 2**35, 2**64 - 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "code", "field", "value", "limit"),
    [pytest.param(*row, id=f"{row[2]}-{row[1]}-{i}") for i, row in enumerate(OUT_OF_RANGE)],
)
def test_out_of_range(call, code, field, value, limit):
    with pytest.raises(PolicyError) as caught:
        call()
    error = caught.value
    assert (error.code, error.field, error.value, error.limit) == (code, field, value, limit)
    assert str(error).startswith(f"{field} {value!r} ")


class Showing(str):
    """A text that shows itself otherwise."""

    __slots__ = ()

    def __repr__(self):
        return str.__str__(self)


Control = type("Con\ntrol\x1b[2J", (), {"__repr__": lambda _: "a\nb\r\x1b[2J\x00\u2028\u202e'ż\\"})
ESCAPED = r"a\nb\r\x1b[2J\x00\u2028\u202e'ż" + "\\"
LONG = Showing("\n" * 100)
CONTROLS = [
    (lambda: Policy("constant", base=Control()), TypeError, r"Con\ntrol\x1b[2J"),
    (lambda: Stream(1, Control()), TypeError, r"Con\ntrol\x1b[2J"),
    (lambda: Operation(Control(), STREAM, now_ns=0), TypeError, r"Con\ntrol\x1b[2J"),
    (lambda: Policy(Showing(repr(Control())), base=1), PolicyError, f"growth {ESCAPED} is unknown"),
    (lambda: Policy("constant", base=1, **{Showing("a\nb"): 1}), TypeError, r"no field a\nb;"),
    (lambda: OPERATION.decide(LONG, now_ns=0), PolicyError, "outcome " + r"\n" * 60 + "... is"),
]


@pytest.mark.parametrize(
    ("call", "error", "part"),
    [pytest.param(*row, id=str(at)) for at, row in enumerate(CONTROLS)],
)
def test_a_message_is_one_line_that_can_be_printed(call, error, part):
    with pytest.raises(error) as caught:
        call()
    assert part in str(caught.value)
    assert str(caught.value).isprintable()


BUFFERS = [
    ("no buffer", [0, 0]),
    ("read-only", bytes(16)),
    ("floats", array("d", [0, 0])),
    ("4-byte ints", array("I", [0, 0])),
    ("bytes", bytearray(16)),
    ("every other int", memoryview(array("Q", [0, 0, 0, 0]))[::2]),
    ("ints that are not aligned", memoryview(bytearray(24))[1:17].cast("Q")),
    ("big-endian ints", memoryview((ctypes.c_ulonglong.__ctype_be__ * 2)())),
    ("little-endian ints", memoryview((ctypes.c_ulonglong.__ctype_le__ * 2)())),
    ("pointers", memoryview(bytearray(16)).cast("P")),
]


@pytest.mark.parametrize("buffer", [pytest.param(b, id=fact) for fact, b in BUFFERS])
def test_buffer_that_is_none(buffer):
    with pytest.raises(TypeError) as caught:
        POLICY.fill_ns(STREAM, buffer)
    expected = "buffer must be a writable, C-contiguous, aligned buffer of native 8-byte ints, not "
    assert str(caught.value) == expected + type(buffer).__name__
    assert not any(buffer if isinstance(buffer, list) else memoryview(buffer).tobytes())


@pytest.mark.parametrize(
    "typecode", ["Q", "q", "N", "n", *("Ll" if array("L").itemsize == 8 else "")]
)
def test_every_type_of_native_ints_of_8_bytes(typecode):
    for form in (typecode, "@" + typecode):
        buffer = memoryview(bytearray(24)).cast(form)
        assert POLICY.fill_ns(STREAM, buffer) == 3
        assert buffer.tolist() == [11399434, 83043876, 229309811]


def test_a_buffer_of_more_dimensions_is_filled_in_order():
    buffer = memoryview(bytearray(32)).cast("Q", (2, 2))
    assert POLICY.fill_ns(STREAM, buffer) == 4
    assert buffer.tolist() == [[11399434, 83043876], [229309811, 83486434]]


def test_indices_end():
    last = 2**32 - 1
    for typecode in "Qq":
        buffer = array(typecode, [7, 7, 7])
        assert POLICY.fill_ns(STREAM, buffer, last) == 1
        assert list(buffer) == [POLICY.delay_ns(STREAM, last), 7, 7]
    assert POLICY.delays(STREAM, 2**63, last) == [POLICY.delay(STREAM, last)]
    assert POLICY.delays(STREAM, 0) == []
    assert POLICY.fill_ns(STREAM, array("Q")) == 0


MB = 2**20
LITTLE_MEMORY = [
    ("a batch", "", "p.delays(b.Stream(1), 2**32)", "MemoryError"),
    ("a list", "", "p.delays(b.Stream(1), 2**23)", "MemoryError"),
    ("text", f"k = 'a' * {160 * MB}", "b.Stream(1, k)", "enough"),
    ("bytes", f"k = bytes({160 * MB})", "b.Stream(1, k)", "enough"),
    ("a buffer", f"k = bytearray({160 * MB})", "b.Stream(1, k)", "enough"),
    ("text and its UTF-8", f"k = 'ż' * {80 * MB}", "b.Stream(1, k)", "MemoryError"),
    (
        "bytes that lie apart",
        f"k = memoryview(bytearray({160 * MB}))[::-1]",
        "b.Stream(1, k)",
        "MemoryError",
    ),
    (
        "the end of the indices",
        f"a = memoryview(bytearray({160 * MB})).cast('Q')",
        "p.fill_ns(b.Stream(1), a, 2**32 - 1)",
        "enough",
    ),
    (
        "signed words",
        f"a = memoryview(bytearray({80 * MB})).cast('q')",
        "p.fill_ns(b.Stream(1), a)",
        "enough",
    ),
    (
        "words",
        f"a = memoryview(bytearray({160 * MB})).cast('Q')",
        "p.fill_ns(b.Stream(1), a)",
        "MemoryError",
    ),
]


@pytest.mark.parametrize(
    ("given", "call", "outcome"),
    [pytest.param(*row, id=fact) for fact, *row in LITTLE_MEMORY],
)
def test_the_end_of_memory(given, call, outcome):
    code = (
        "import resource, backoff_rs as b\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({256 * MB}, {256 * MB}))\n"
        "p = b.Policy('constant', base=1)\n"
        f"{given}\n"
        "try:\n"
        f"    {call}\n"
        "    print('enough')\n"
        "except MemoryError:\n"
        "    print('MemoryError')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{outcome}\n", "")


class Index:
    """An int by its __index__, which counts its calls."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.calls = 0

    def __index__(self):
        self.calls += 1
        if isinstance(self.outcome, type):
            raise self.outcome
        return self.outcome


INDEXED = [
    ("power", lambda given: Policy("polynomial", base=1, power=given)),
    ("origin", lambda given: Policy("polynomial", base=1, origin=given)),
    ("multiplier", lambda given: Policy("exponential", base=1, multiplier=given)),
    ("base", lambda given: Policy("exponential", base=given)),
    ("seed", Stream),
    ("index", STREAM.draw),
    ("first", lambda given: POLICY.delays(STREAM, 1, given)),
    ("count", lambda given: POLICY.delays(STREAM, given)),
    ("max_retries", lambda given: Policy("constant", base=1, max_retries=given)),
    ("max_attempts", lambda given: POLICY.fit_base(given, 1)),
    ("now_ns", lambda given: OPERATION.decide("success", now_ns=given)),
    ("deadline_ns", lambda given: Operation(POLICY, STREAM, now_ns=0, deadline_ns=given)),
    ("hint", lambda given: OPERATION.decide("timeout", now_ns=0, hint=given)),
    ("attempts", lambda given: HISTORY.record(given, "success")),
]


@pytest.mark.parametrize(("field", "call"), [pytest.param(*row, id=row[0]) for row in INDEXED])
def test_index_is_asked_once_and_its_exceptions_are_its_own(field, call):
    good = Index(2)
    call(good)
    assert good.calls == 1
    below = Index(-1)
    with pytest.raises(PolicyError, match=f"^{field} .* is below 0"):
        call(below)
    assert below.calls == 1
    for exception in (KeyboardInterrupt, MemoryError, ValueError):
        with pytest.raises(exception) as caught:
            call(Index(exception))
        assert caught.type is exception
    for wrong in (TypeError, "2"):
        with pytest.raises(TypeError, match=f"^{field} must be .*, not Index(\nwhile .*)?$"):
            call(Index(wrong))


def test_a_refusal_changes_no_iterator():
    backoff = Backoff(POLICY, STREAM)
    next(backoff)
    with pytest.raises(TypeError):
        backoff.reset(1)
    with pytest.raises(AttributeError):
        backoff.index = 0
    assert (backoff.index, backoff.stream) == (1, STREAM)
    assert backoff.next_ns() == 83043876


def test_a_refusal_changes_no_operation_and_no_history():
    budget = Budget.parse("quota:max_tokens=1,cost=1")
    operation = Operation(POLICY, STREAM, now_ns=0, budget=budget)
    for given in ({"outcome": "time"}, {"now_ns": -1}, {"hint": math.nan}):
        with pytest.raises(PolicyError):
            operation.decide(**{"outcome": "timeout", "now_ns": 0, **given})
    with pytest.raises(TypeError):
        operation.decide("timeout", 0)
    assert (operation.retries, operation.reason) == (0, None)
    assert operation.decide("timeout", now_ns=0).delay_ns == 11399434
    history = History()
    for given in ((-1, "success"), (1, "sucess")):
        with pytest.raises(PolicyError):
            history.record(*given)
    assert history.prometheus() == History().prometheus()


SURROGATES = [
    ("unknown_head", "\ud800", 0, "\ud800"),
    ("unknown_key", "none:b\udfffse=1s", 5, "b\udfffse"),
    ("unknown_unit", "none:base=1\ud800\udc00", 11, "\ud800\udc00"),
    ("unknown_kind", "none:base=1s,jitter=\udbff\U00010000", 20, "\udbff\U00010000"),
    ("text_too_long", "none:base=" + "\ud800" * 339, 1024, ""),
    ("not_a_duration", "none:base=" + "\ud800" * 338, 10, "\ud800" * 338),
]


@pytest.mark.parametrize(
    ("code", "line", "at", "found"), [pytest.param(*row, id=row[0]) for row in SURROGATES]
)
def test_a_lone_surrogate_is_refused_where_it_stands(code, line, at, found):
    with pytest.raises(PolicyError) as caught:
        Policy.parse(line)
    error = caught.value
    assert (error.code, error.at, error.found) == (code, at, found)
    # The message is text that can be printed.
    assert str(error).isascii()


@pytest.mark.parametrize(
    ("now", "code", "limit"),
    [
        (datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), "negative", 0),
        (datetime(9999, 1, 1, tzinfo=UTC), "too_large", 2**64 - 1),
    ],
    ids=["negative", "too_large"],
)
def test_a_datetime_out_of_range(now, code, limit):
    with pytest.raises(PolicyError, match=r"^now datetime\.datetime\(") as caught:
        parse_retry_after("1", now=now)
    error = caught.value
    assert (error.code, error.field, error.value, error.limit) == (code, "now", now, limit)


def test_a_text_that_is_no_line():
    for text in ("", "\0", "none\0", " none", "none ", "x" * 10**6, "none:" + "," * 1000):
        with pytest.raises(PolicyError):
            Policy.parse(text)
        with pytest.raises(PolicyError):
            Budget.parse(text)
