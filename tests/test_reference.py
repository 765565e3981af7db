"""Tests the reference against numbers that others published."""

import statistics
from pathlib import Path

import pytest
from reference import delays, numbers, policies, sequences, streams

HERE = Path(__file__).parent
MS, S = 10**6, 10**9


def first_delays(policy, count, seed=42, key=b"job-1"):
    checked, stream = policies.policy(policy), streams.stream(seed, key)
    return [delays.delay(checked, stream, index) for index in range(count)]


def test_siphash_matches_its_paper():
    """Aumasson and Bernstein, SipHash, appendix A."""
    k0, k1 = (int.from_bytes(bytes(half), "little") for half in (range(8), range(8, 16)))
    assert streams.siphash_2_4(k0, k1, bytes(range(15))) == 0xA129CA6149BE45E5


@pytest.mark.parametrize("line", (HERE / "oracles/splittable_random.txt").read_text().splitlines())
def test_draws_match_java(line):
    """java.util.SplittableRandom of OpenJDK 17 (oracles/SplittableRandomOracle.java)."""
    seed, *draws = map(int, line.split())
    assert [numbers.draw(seed, index) for index in range(4)] == draws


def test_draws_match_vignas():
    draws = [1985237415132408290, 2979275885539914483, 13511426838097143398]
    assert [numbers.draw(1477776061723855037, index) for index in range(3)] == draws


# Computed from the design by two independent programs, before the reference existed.
DESIGN = [
    (
        {"growth": "exponential", "base": 100 * MS, "cap": 20 * S, "jitter": "full"},
        [11399434, 83043876, 229309811, 83486434, 444551853, 1764541314, 5148071778, 1456081860],
    ),
    (
        {"growth": "exponential", "base": 100 * MS, "cap": 20 * S, "jitter": "equal"},
        [55699717, 141521938, 314654906, 441743217, 1022275926],
    ),
    (
        {"growth": "exponential", "base": 100 * MS, "cap": 20 * S, "cap_on": "delay"}
        | {"jitter": "decorrelated"},
        [122798868, 211443471, 406318015, 216771854, 252902377, 463223733],
    ),
    (
        {"growth": "exponential", "base": S, "multiplier": (8, 5), "cap": 120 * S}
        | {"jitter": "proportional", "jitter_below": (1, 5), "jitter_above": (1, 5)},
        [845597737, 1545740403, 2635033117, 3447780218, 5971233756],
    ),
    (
        {"growth": "exponential", "base": 102_400, "cap": 52_428_800}
        | {"jitter": "slotted", "jitter_slot": 51_200},
        [0, 51200, 204800, 51200, 409600, 1792000],
    ),
]


@pytest.mark.parametrize(("policy", "expected"), DESIGN, ids=[p["jitter"] for p, _ in DESIGN])
def test_delays_match_the_design(policy, expected):
    assert first_delays(policy, len(expected)) == expected


def test_keyed_streams_match_the_design():
    assert streams.stream(42, b"job-1") == 7581291595918318509
    assert streams.stream(42, b"job-2") == 8759028382642537096
    assert streams.stream(42, b"") == 9180279597629049377
    assert streams.stream(0, b"job-1") == 7286339267344372445
    draws = [2102824480705859425, 7659445620746856405, 10575048500073652896, 1925066116767119951]
    assert [numbers.draw(7581291595918318509, index) for index in range(4)] == draws


def test_decorrelated_has_the_mean_of_its_recursion():
    """Without a cap E(d) = (base + 3 E(previous)) / 2: 2, 3.5, 5.75 times the base."""
    policy = {"growth": "exponential", "base": S, "jitter": "decorrelated"}
    runs = [first_delays(policy, 3, key=b"%d" % client) for client in range(4000)]
    for index, mean in enumerate([2, 3.5, 5.75]):
        assert statistics.mean(run[index] for run in runs) == pytest.approx(mean * S, rel=0.03)


def test_samples_reach_both_ends_and_are_monotone():
    words = [0, 1, 2**63, 2**64 - 2, 2**64 - 1]
    assert [numbers.sample(word, 5, 7) for word in words] == [5, 5, 6, 7, 7]
    assert numbers.sample(2**64 - 1, 0, numbers.MAX) == numbers.MAX


def test_a_reset_continues_the_draws():
    constant = {"growth": "constant", "base": 1, "jitter": "full"}
    iterator = sequences.Iterator(policies.policy(constant), 42)
    iterator.take(1000)
    iterator.reset()
    for index in range(5):
        assert numbers.draw(iterator.stream, index) == numbers.draw(42, 1000 + index)
