"""Values are equal, hashable, frozen, copied and pickled; iterators, operations and budgets are not."""

import copy
import email.utils
import inspect
import operator
import pickle
import time
import weakref
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from itertools import islice
from uuid import UUID

import backoff_rs
import pytest
import vectors
from backoff_rs import (
    Backoff,
    Budget,
    BudgetState,
    Decision,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    PreviewRow,
    RandomStream,
    RetryStats,
    StopReason,
    parse_retry_after,
    retrying,
)

POLICIES = [
    (
        Policy("exponential", base=0.1, cap=20, jitter="full"),
        "exponential:base=100ms,cap=20s,jitter=full",
    ),
    (
        Policy("exponential", base=1, cap=60, multiplier=1.6, jitter="decorrelated"),
        "exponential:base=1s,multiplier=1.6,cap=1m,jitter=decorrelated",
    ),
    (
        Policy("exponential", base=1, multiplier=Fraction(10, 3)),
        "exponential:base=1s,multiplier=10/3",
    ),
    (
        Policy("polynomial", base=1e-9, cap=60, jitter="proportional", jitter_below=0.2),
        "polynomial:base=1ns,cap=1m,jitter=proportional,jitter_below=0.2",
    ),
    (
        Policy("linear", base=1, cap=60, cap_on="delay", jitter="additive", jitter_max=0.5),
        "linear:base=1s,cap=1m,cap_on=delay,jitter=additive,jitter_max=500ms",
    ),
    (
        Policy("fibonacci", base=1, cap=60, floor=0.25, jitter="slotted", jitter_slot=51.2e-6),
        "fibonacci:base=1s,cap=1m,floor=250ms,jitter=slotted,jitter_slot=51200ns",
    ),
    (
        Policy("constant", base=1, max_attempts=6, max_elapsed=timedelta(minutes=15),
               throttled_base=2, retry_after="spread", retry_after_max=60, retry_after_max_extra=0.5),
        "constant:base=1s,max_retries=5,max_elapsed=15m,throttled_base=2s,retry_after=spread,"
        "retry_after_max=1m,retry_after_max_extra=500ms",
    ),
]  # fmt: skip
VALUES = [
    (RandomStream(42), "RandomStream(42)"),
    (RandomStream(42, "job-1"), "RandomStream(7581291595918318509)"),
    *((policy, f"Policy.parse('{text}')") for policy, text in POLICIES),
    (Decision(5), "Decision(delay_ns=5)"),
    (Decision(5, StopReason.BUDGET), "Decision(delay_ns=5, reason='budget')"),
    (
        PreviewRow(1, 2, 3, 4, 5, 6),
        "PreviewRow(min_ns=1, mean_ns=2, max_ns=3, total_min_ns=4, total_mean_ns=5, "
        "total_max_ns=6)",
    ),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=[text[:70] for _, text in VALUES])
def test_value(value, text):
    assert repr(value) == text
    copies = [eval(text, vars(backoff_rs)), copy.copy(value), copy.deepcopy(value)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copies.append(pickle.loads(pickle.dumps(value, protocol)))
    for same in copies:
        assert same == value
        assert (same != value) is False
        assert hash(same) == hash(value)
        assert repr(same) == text
    assert value != text
    for name in ("base", "delay_ns", "mean_ns"):
        with pytest.raises(AttributeError):
            setattr(value, name, 1)


@pytest.mark.parametrize(
    "final", [Policy, RandomStream, Backoff, Budget, Operation, RetryStats, Decision, PreviewRow]
)
def test_classes_of_the_extension_are_final(final):
    with pytest.raises(TypeError):
        type("Sub", (final,), {})


@pytest.mark.parametrize(
    "value",
    [
        Policy.parse("off"),
        RandomStream(1),
        Backoff(Policy.parse("off"), RandomStream(1)),
        Budget.parse("sre"),
        BudgetState.full(Budget.parse("sre")),
        Operation(Policy.parse("off"), RandomStream(1), now_ns=0),
        RetryStats(),
        retrying(on=()),
        next(iter(retrying(on=()))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_weak_references(value):
    assert weakref.ref(value)() is value


def test_different_values_differ():
    values = [value for value, _ in VALUES]
    assert len(set(values)) == len(values)


LIMITS = [
    "cap", "max_retries", "max_attempts", "max_elapsed", "retry_after_max", "retry_after_max_extra",
]  # fmt: skip


def test_none_is_no_limit():
    policy = Policy("constant", base=1, **dict.fromkeys(LIMITS))
    assert {getattr(policy, name) for name in LIMITS} == {None}
    assert str(policy) == "constant:base=1s,retry_after_max=none"
    longest = Fraction(2**63 - 1, 10**9)
    same = dict.fromkeys(
        ["cap", "max_elapsed", "retry_after_max", "retry_after_max_extra"], longest
    )
    assert Policy("constant", base=1, **same, max_retries=2**32) == policy


def test_key():
    assert RandomStream(42, "żółw") == RandomStream(42, "żółw".encode())
    assert (
        RandomStream(42, b"job-1")
        == RandomStream(42, bytearray(b"job-1"))
        == RandomStream(42, "job-1")
    )
    assert RandomStream(42, memoryview(b"jxoxbx-x1x")[::2]) == RandomStream(42, "job-1")
    assert RandomStream(42, "") != RandomStream(42)
    uuid = UUID("0A1B2C3D-0000-4000-8000-00000000000F")
    assert RandomStream(42, uuid) == RandomStream(42, "0a1b2c3d-0000-4000-8000-00000000000f")
    for number in (0, 7, 2**64 - 1):
        assert RandomStream(42, number) == RandomStream(42, number.to_bytes(8, "little"))
    for number, code in ((-1, "negative"), (2**64, "too_large")):
        with pytest.raises(PolicyError) as caught:
            RandomStream(42, number)
        assert (caught.value.code, caught.value.field) == (code, "key")
    for length in (4095, 4096, 4097, 8192, 10_000):
        key = bytes(i % 251 for i in range(length))
        same = [bytearray(key), memoryview(key[::-1])[::-1]]
        same.append(memoryview(key).cast("B", (1, length)))
        assert {RandomStream(42, other) for other in same} == {RandomStream(42, key)}


def test_the_signature_of_a_policy_names_every_field():
    properties = [name for name in vars(Policy) if isinstance(vars(Policy)[name], property)]
    signature = inspect.signature(Policy)
    assert [*signature.parameters] == properties
    defaults = [parameter.default for parameter in signature.parameters.values()]
    assert (defaults.count(None), defaults.count(3600), len(defaults)) == (25, 1, 27)


def test_entropy():
    assert len({RandomStream.from_entropy() for _ in range(1000)}) == 1000


def test_an_error_can_be_pickled():
    with pytest.raises(PolicyError) as caught:
        Policy.parse("constant:base=2s,cap=1s")
    for error in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        parts = (error.code, error.field, error.value, error.limit, error.at, error.found)
        assert parts == ("cap_below_base", "cap", 10**9, 2 * 10**9, 21, "1s")
        assert str(error) == "at 21: cap 1s is below base 2s"


def pickled_by(protocol):
    return lambda thing: pickle.dumps(thing, protocol)


CLONES = [copy.copy, copy.deepcopy, *map(pickled_by, range(pickle.HIGHEST_PROTOCOL + 1))]


def test_an_iterator_cannot_be_copied():
    """A clone would give two jobs the same jitter."""
    backoff = Backoff(POLICIES[0][0])
    for clone in CLONES:
        with pytest.raises(TypeError):
            clone(backoff)
    assert backoff != Backoff(backoff.policy, backoff.stream)
    assert iter(backoff) is backoff
    assert backoff.policy == POLICIES[0][0]
    assert repr(backoff) == f"<Backoff({backoff.policy!r}, {backoff.stream!r}) at index 0>"


def test_no_limit_has_no_end():
    """Only islice cuts it: no hint makes a list allocate room for 2^32 delays."""
    backoff = Backoff(Policy("constant", base=1, max_elapsed=2))
    assert [*islice(backoff, 10)] == [1.0] * 10
    assert operator.length_hint(backoff) == 0
    rows = Policy("constant", base=1).preview()
    assert len([*islice(rows, 1000)]) == 1000
    assert operator.length_hint(rows) == 0


@pytest.mark.parametrize("account", [
    Budget.parse("sre"),
    Operation(POLICIES[0][0], RandomStream(42), now_ns=0),
], ids=repr)  # fmt: skip
def test_budgets_and_operations_cannot_be_copied(account):
    """A clone would grant the same retries again."""
    for clone in CLONES:
        with pytest.raises(TypeError):
            clone(account)


def test_a_budget():
    budget = Budget.parse("aws-sdk-2026:cost=none")
    assert str(budget) == f"{budget}" == "quota"
    assert repr(budget) == "<Budget quota>"
    assert budget != Budget.parse(str(budget))
    with pytest.raises(ValueError, match="no signature"):
        inspect.signature(Budget)
    with pytest.raises(AttributeError):
        budget.kind = "ratio"


def test_an_operation():
    policy = Policy("constant", base=1, max_retries=2)
    operation = Operation(policy, RandomStream(42), now_ns=0)
    assert repr(operation) == "<Operation at attempt 1: goes on>"
    assert operation.decide(Outcome.TIMEOUT, now_ns=0) == Decision(10**9, None)
    assert (operation.retries, operation.attempts, operation.reason) == (1, 2, None)
    assert operation.decide("success", now_ns=0) == Decision(0, StopReason.SUCCESS)
    assert repr(operation) == "<Operation at attempt 2: success>"
    assert operation.cancel() is operation.reason is StopReason.SUCCESS


def test_with_cancels_an_operation_that_has_not_stopped():
    policy, budget = Policy("constant", base=1), Budget.parse("concurrent:min_concurrent=1,ratio=0")

    def begin():
        return Operation(policy, RandomStream(42), now_ns=0, budget=budget)

    operation = begin()
    assert operation.decide("transient", now_ns=0)
    assert begin().decide("transient", now_ns=0).reason is StopReason.BUDGET
    with pytest.raises(KeyboardInterrupt), operation as entered:
        raise KeyboardInterrupt
    assert entered is operation
    assert operation.reason is StopReason.CANCELLED
    # The retry that it held was refunded.
    with begin() as operation:
        assert operation.decide("transient", now_ns=0)
        assert operation.decide("success", now_ns=0).reason is StopReason.SUCCESS
    assert operation.reason is StopReason.SUCCESS


#: Some need fields of their own.
JITTERS = ["none", "full", "equal", "proportional,jitter_above=0.3", "additive,jitter_max=5ms"]
JITTERS += ["additive,jitter_max=5ms,jitter_increment=1ms", "slotted,jitter_slot=1ms"]
GROWTHS = ["constant", "linear", "exponential", "polynomial", "fibonacci"]
KINDS = [f"{growth}:base=100ms,jitter={jitter}" for growth in GROWTHS for jitter in JITTERS]
KINDS += ["decorrelated:base=100ms,cap=1s", "linear:base=1s,increment=2s,offset=3s,cap_on=delay"]
KINDS += ["full:base=7ns,cap=97d,max_elapsed=97d,retry_after_max=none", "full:base=1s,cap=none"]
PRESETS = {case["string"] for case in vectors.layer("presets")["cases"] if case["of"] == "policy"}
FIELDS = [
    name
    for name, field in vars(Policy).items()
    if inspect.isdatadescriptor(field) and name not in {"growth", "max_retries", "max_attempts"}
]


@pytest.mark.parametrize("limit", ["max_retries", "max_attempts"])
@pytest.mark.parametrize("text", [*sorted(PRESETS), *KINDS, *(text for _, text in POLICIES)])
def test_the_fields_of_a_policy_make_an_equal_one(text, limit):
    """None is a field that is not set, or no limit."""
    policy = Policy.parse(text)
    fields = {name: getattr(policy, name) for name in [*FIELDS, limit]}
    assert len(fields) == 25
    assert Policy(policy.growth, **fields) == policy
    assert Policy(growth=policy.growth, **fields) == policy


@pytest.mark.parametrize(("fields", "field"), [
    ({"growth": None, "base": 1}, "growth"),
    ({"growth": "constant", "base": None}, "base"),
    ({"growth": "constant", "base": 1, "jitter": "slotted", "jitter_slot": None}, "jitter_slot"),
])  # fmt: skip
def test_a_required_field_cannot_be_none(fields, field):
    with pytest.raises(PolicyError, match=f"^{field} ") as none:
        Policy(**fields)
    with pytest.raises(PolicyError) as missing:
        Policy(**{name: value for name, value in fields.items() if value is not None})
    assert str(none.value) == str(missing.value)
    assert none.value.code == missing.value.code


@pytest.mark.parametrize(("decision", "wait"), [
    (Decision(1_500_000_000, None), True),
    (Decision(0, None), True),
    (Decision(1_500_000_000, StopReason.DEADLINE), False),
])  # fmt: skip
def test_a_decision_to_wait_is_true(decision, wait):
    assert bool(decision) is wait
    assert decision.delay == decision.delay_ns / 10**9


def test_names_are_strings():
    assert [*Outcome] == ["success", "transient", "throttled", "timeout", "permanent"]
    assert [*StopReason] == [
        "success", "permanent", "max_retries", "max_elapsed", "deadline", "budget", "cancelled",
    ]  # fmt: skip
    assert f"{StopReason.MAX_RETRIES}" == "max_retries"
    assert pickle.loads(pickle.dumps(Outcome.TIMEOUT)) is Outcome.TIMEOUT


def test_stats():
    stats, other = RetryStats(), RetryStats()
    assert stats.BOUNDS == (1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50)
    stats.record(1, StopReason.SUCCESS)
    stats.record(7, "max_retries")
    other.record(51, "cancelled")
    stats.merge(other)
    before = stats
    stats += other
    assert stats is before
    assert (stats.operations, stats.attempts, stats.retries) == (4, 110, 106)
    assert stats.buckets == [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2]
    assert stats.stops == dict.fromkeys(StopReason, 0) | {
        "success": 1, "max_retries": 1, "cancelled": 2,
    }  # fmt: skip
    assert all(type(reason) is StopReason for reason in stats.stops)
    assert (other.operations, other.attempts) == (1, 51)
    assert repr(stats) == "<RetryStats of 4 operations, 110 attempts>"
    text = stats.prometheus()
    assert text.startswith("# HELP backoff_attempts ")
    assert text.endswith('\nbackoff_stops_total{reason="cancelled"} 2\n')


def test_a_copy_of_stats_is_independent():
    stats = RetryStats()
    stats.record(2**64 - 1, "success")
    clones = [copy.copy(stats), copy.deepcopy(stats)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        clones.append(pickle.loads(pickle.dumps(stats, protocol)))
    text = stats.prometheus()
    assert [clone.prometheus() for clone in clones] == [text] * len(clones)
    for clone in clones:
        clone.record(1, "success")
        assert (clone.operations, clone.attempts) == (2, 2**64 - 1)
    assert stats.prometheus() == text
    # Unpickling must not change an existing object.
    assert not hasattr(stats, "__setstate__")


def test_zero_attempts_count_as_one():
    stats = RetryStats()
    stats.record(0, "cancelled")
    stats.record(1, "cancelled")
    assert (stats.operations, stats.attempts, stats.retries) == (2, 2, 0)
    assert stats.buckets == [2] + [0] * 11


def test_a_preview():
    policy = Policy("exponential", base=0.1, cap=20, jitter="full", max_retries=3)
    rows = policy.preview()
    assert iter(rows) is rows
    assert [row.max for row in rows] == [0.1, 0.2, 0.4]
    assert list(rows) == []
    assert [row.total_mean_ns for row in policy.preview(2)] == [50_000_000, 150_000_000]
    assert list(policy.preview(0)) == []
    assert len(list(policy.preview(2**64 - 1))) == 3
    assert next(Policy("constant", base=1).preview()) == PreviewRow(*[10**9] * 6)


NOON = 784_123_200
RETRY_AFTERS = [
    ("a missing header", None, {}, None),
    ("a lone surrogate", "1\ud800", {"now": 0}, None),
    ("a date that has passed", "Sun, 06 Nov 1994 12:00:00 GMT", {}, 0.0),
    ("an int", "Sun, 06 Nov 1994 12:00:01 GMT", {"now": NOON}, 1.0),
    ("a float", "Sun, 06 Nov 1994 12:00:01 GMT", {"now": NOON + 0.25}, 0.75),
    ("a Fraction", "Sun, 06 Nov 1994 12:00:01 GMT", {"now": Fraction(NOON * 3 + 1, 3)}, 0.666666667),
    (
        "a datetime",
        "Sun, 06 Nov 1994 12:00:01 GMT",
        {"now": datetime(1994, 11, 6, 12, 0, 0, 250_000, UTC)},
        0.75,
    ),
    (
        "a datetime elsewhere",
        "Sunday, 06-Nov-94 12:00:01 GMT",
        {"now": datetime(1994, 11, 6, 13, 30, tzinfo=timezone(timedelta(hours=1, minutes=30)))},
        1.0,
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "now", "retry_after"), [pytest.param(*row, id=fact) for fact, *row in RETRY_AFTERS]
)
def test_parse_retry_after(header, now, retry_after):
    assert parse_retry_after(header, **now) == retry_after


def test_without_now_the_clock_is_read(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: NOON * 10**9 + 1)
    assert parse_retry_after("Sun Nov  6 12:00:01 1994") == 0.999999999
    monkeypatch.undo()
    in_a_minute = email.utils.formatdate(time.time() + 60, usegmt=True)
    assert 50 < parse_retry_after(in_a_minute) <= 60
