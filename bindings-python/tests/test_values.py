"""Policies, streams and errors are values: equal, hashable, frozen, copied and pickled."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from backoff_rs import Backoff, Policy, PolicyError, Stream

POLICIES = [
    (
        Policy("exponential", base=0.1, cap=20, jitter="full"),
        "Policy('exponential', base=0.1, multiplier=2, offset=0, cap=20, cap_on='window', "
        "floor=0, jitter='full')",
    ),
    (
        Policy("exponential", base=1, cap=60, multiplier=1.6, jitter="decorrelated"),
        "Policy('exponential', base=1, multiplier=1.6, cap=60, cap_on='window', floor=0, "
        "jitter='decorrelated')",
    ),
    (
        Policy("exponential", base=1, multiplier=Fraction(10, 3)),
        "Policy('exponential', base=1, multiplier=(10, 3), offset=0, "
        "cap=Decimal('9223372036.854775807'), cap_on='window', floor=0, jitter='none')",
    ),
    (
        Policy("polynomial", base=1e-9, cap=60, jitter="proportional", jitter_below=0.2),
        "Policy('polynomial', base=1e-09, power=2, origin=1, offset=0, cap=60, "
        "cap_on='window', floor=0, jitter='proportional', jitter_below=0.2, jitter_above=0)",
    ),
    (
        Policy("linear", base=1, cap=60, cap_on="result", jitter="additive", jitter_max=0.5),
        "Policy('linear', base=1, increment=1, offset=0, cap=60, cap_on='result', floor=0, "
        "jitter='additive', jitter_max=0.5, jitter_increment=0)",
    ),
    (
        Policy("fibonacci", base=1, cap=60, floor=0.25, jitter="slotted", jitter_slot=51.2e-6),
        "Policy('fibonacci', base=1, offset=0, cap=60, cap_on='window', floor=0.25, "
        "jitter='slotted', jitter_slot=5.12e-05)",
    ),
]
VALUES = [
    (Stream(42), "Stream(42)"),
    (Stream(42, "job-1"), "Stream(7581291595918318509)"),
    *POLICIES,
]
IN_SCOPE = {"Policy": Policy, "Stream": Stream, "Decimal": Decimal}


@pytest.mark.parametrize(("value", "text"), VALUES, ids=[text[:70] for _, text in VALUES])
def test_value(value, text):
    assert repr(value) == text
    copies = [eval(text, IN_SCOPE), copy.copy(value), copy.deepcopy(value)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copies.append(pickle.loads(pickle.dumps(value, protocol)))
    for same in copies:
        assert same == value
        assert (same != value) is False
        assert hash(same) == hash(value)
        assert repr(same) == text
    assert value != text
    with pytest.raises(AttributeError):
        value.base = 1
    with pytest.raises(TypeError):
        type("Sub", (type(value),), {})


def test_different_values_differ():
    values = [value for value, _ in VALUES]
    assert len(set(values)) == len(values)


def test_fields_read_as_they_were_resolved():
    policy = Policy("exponential", base=0.1, cap=20)
    resolved = {
        "growth": "exponential", "base": 0.1, "multiplier": Fraction(2), "offset": 0.0,
        "cap": 20.0, "cap_on": "window", "floor": 0.0, "jitter": "none",
    }  # fmt: skip
    unused = {
        "increment", "power", "origin", "jitter_below", "jitter_above", "jitter_max",
        "jitter_increment", "jitter_slot",
    }  # fmt: skip
    assert {name: getattr(policy, name) for name in resolved} == resolved
    assert {getattr(policy, name) for name in unused} == {None}


OTHER_FIELDS = [
    (Policy("linear", base=1, increment=0.5), {"increment": 0.5}),
    (Policy("polynomial", base=1), {"power": 2, "origin": 1}),
    (Policy("constant", base=1, jitter="proportional", jitter_above=0.3),
     {"jitter_below": Fraction(0), "jitter_above": Fraction(3, 10)}),
    (Policy("constant", base=1, jitter="additive", jitter_max=0.5),
     {"jitter_max": 0.5, "jitter_increment": 0.0}),
    (Policy("constant", base=1, jitter="slotted", jitter_slot=0.25), {"jitter_slot": 0.25}),
    (Policy("constant", base=1, offset=0.5, floor=0.25, cap_on="result"),
     {"growth": "constant", "offset": 0.5, "floor": 0.25, "cap_on": "result"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "fields"), OTHER_FIELDS, ids=[str(list(fields)) for _, fields in OTHER_FIELDS]
)
def test_fields_of_other_policies(policy, fields):
    assert {name: getattr(policy, name) for name in fields} == fields


def test_key():
    assert Stream(42, "żółw") == Stream(42, "żółw".encode())
    assert Stream(42, b"job-1") == Stream(42, bytearray(b"job-1")) == Stream(42, "job-1")
    assert Stream(42, memoryview(b"jxoxbx-x1x")[::2]) == Stream(42, "job-1")
    assert Stream(42, "") != Stream(42)
    for length in (4095, 4096, 4097, 8192, 10_000):
        key = bytes(i % 251 for i in range(length))
        same = [bytearray(key), memoryview(key[::-1])[::-1]]
        same.append(memoryview(key).cast("B", (1, length)))
        assert {Stream(42, other) for other in same} == {Stream(42, key)}


def test_entropy():
    assert len({Stream.from_entropy() for _ in range(1000)}) == 1000


def test_error():
    with pytest.raises(PolicyError) as caught:
        Policy("constant", base=2, cap=1)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.code, error.field, error.value, error.limit) == (
        "cap_below_base", "cap", 10**9, 2 * 10**9,
    )  # fmt: skip
    assert str(error) == "cap 1s is below base 2s"


def test_an_iterator_is_no_value():
    """A clone would give two jobs the same jitter."""
    backoff = Backoff(POLICIES[0][0])
    for clone in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            clone(backoff)
    assert backoff != Backoff(backoff.policy, backoff.stream)
    assert iter(backoff) is backoff
    assert backoff.policy == POLICIES[0][0]
    assert repr(backoff) == f"<Backoff({backoff.policy!r}, {backoff.stream!r}) at index 0>"
