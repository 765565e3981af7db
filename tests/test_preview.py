"""Tests previews and fits against an enumeration of all possible delays."""

import random
from itertools import islice

import pytest
from reference import delays, errors, numbers, policies, preview, printing, strings

GROWTHS = ["constant", "linear", "exponential", "polynomial", "fibonacci"]
JITTERS = ["none", "full", "equal", "1/3", "additive,jitter_max=4ns,jitter_increment=3ns"]
JITTERS += ["slotted,jitter_slot=3ns", "slotted,jitter_slot=7ns"]
SEEDS = range(60)


def small(rng):
    """A policy of a few nanoseconds."""
    cap = rng.randint(1, 40)
    low = [rng.randint(0, cap) for _ in range(4)]
    string = f"{rng.choice(GROWTHS)}:base={low[0]}ns,cap={cap}ns"
    string += f",floor={rng.choice([0, low[1]])}ns,offset={rng.choice([0, low[2]])}ns"
    string += f",throttled_base={low[3]}ns,cap_on={rng.choice(['window', 'delay'])}"
    return strings.parse("policy", f"{string},jitter={rng.choice(JITTERS)}")


def all_delays(p, index, monkeypatch):
    """The delay of every value in the range of an index."""
    low, high = delays.range_at(p, index)
    values = high - low + 1
    for value in range(values):
        monkeypatch.setattr(delays, "draw", lambda *_, value=value: -(-value * 2**64 // values))
        yield delays.delay(p, 0, index)


def longest(p, attempts, monkeypatch):
    monkeypatch.setattr(delays, "draw", lambda *_: 2**64 - 1)
    return sum(delays.delay(p, 0, index) for index in range(attempts - 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_match_an_enumeration(seed, monkeypatch):
    p = small(random.Random(seed))
    totals = [0, 0, 0]
    for index, row in enumerate(islice(preview.preview(p), 8)):
        found = list(all_delays(p, index, monkeypatch))
        expected = [min(found), sum(found) // len(found), max(found)]
        totals = [total + x for total, x in zip(totals, expected, strict=True)]
        assert list(row) == expected + totals


def test_the_mean_of_decorrelated_follows_its_recursion():
    """Without a cap E(d) = (base + 3 E(previous)) / 2: 2, 3.5, 5.75 times the base."""
    rows = preview.preview(strings.parse("policy", "exponential:base=1ms,jitter=decorrelated"))
    means = [mean for _, mean, *_ in islice(rows, 5)]
    assert means == [2_000_000, 3_500_000, 5_750_000, 9_125_000, 14_187_500]


def test_decorrelated_restarts_at_4096():
    rows = list(islice(preview.rows(strings.parse("policy", "decorrelated:base=1ms,cap=1s")), 4100))
    assert rows[4096:] == rows[:4]
    assert rows[4095][2] == 10**9


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("field", ["base", "cap"])
def test_fits_match_an_enumeration(seed, field, monkeypatch):
    rng = random.Random(seed)
    p = small(rng)
    attempts, total = rng.randint(1, 6), rng.randint(0, 150)
    printed = printing.shown("policy", p)
    beyond = 200  # above every total that is requested
    if field == "base":
        candidates = range(1, p["cap"] + 1)
    else:
        least = max(p["base"], p["floor"], p["offset"], p["throttled_base"])
        candidates = [*range(least, beyond), numbers.MAX]
    fitted = [policies.policy(printed | {field: x}) for x in candidates]
    fitting = [each for each in fitted if longest(each, attempts, monkeypatch) <= total]
    if fitting:
        assert preview.fit(p, field, attempts, total) == fitting[-1]
    else:
        with pytest.raises(errors.PolicyError) as rejected:
            preview.fit(p, field, attempts, total)
        assert rejected.value.code == "does_not_fit"
        assert rejected.value.value == longest(fitted[0], attempts, monkeypatch)


@pytest.mark.parametrize(
    ("field", "attempts", "total", "code", "limit"),
    [
        ("max_attempts", 0, 2**64, "too_small", 1),
        ("max_attempts", 65_537, 2**64, "too_large", 65_536),
        ("max_elapsed", 65_536, 2**63, "too_large", 2**63 - 1),
    ],
)
def test_arguments_out_of_range_are_rejected(field, attempts, total, code, limit):
    with pytest.raises(errors.PolicyError) as rejected:
        preview.fit(strings.parse("policy", "default"), "base", attempts, total)
    found = rejected.value
    assert (found.field, found.code, found.limit) == (field, code, limit)
