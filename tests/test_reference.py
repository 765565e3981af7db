"""Holds the reference against numbers that others published, and the vectors to their schema."""

import json
import re
import statistics
from pathlib import Path

import jsonschema
import pytest
import reference as ref
import reference_decisions as decisions
import reference_text as ref_text
import write_vectors

HERE = Path(__file__).parent
MS, S = 10**6, 10**9


def delays(policy, count, seed=42, key=b"job-1"):
    checked, stream = ref.policy(policy), ref.stream(seed, key)
    return [ref.delay(checked, stream, index) for index in range(count)]


def windows(policy, count):
    checked = ref.policy(policy)
    return [ref.window(checked, index) for index in range(count)]


def test_siphash_is_that_of_its_paper():
    """Aumasson and Bernstein, SipHash, appendix A."""
    k0, k1 = (int.from_bytes(bytes(half), "little") for half in (range(8), range(8, 16)))
    assert ref.siphash_2_4(k0, k1, bytes(range(15))) == 0xA129CA6149BE45E5


@pytest.mark.parametrize("line", (HERE / "oracles/splittable_random.txt").read_text().splitlines())
def test_draws_are_those_of_java(line):
    """java.util.SplittableRandom of OpenJDK 17 (oracles/SplittableRandomOracle.java)."""
    seed, *draws = map(int, line.split())
    assert [ref.draw(seed, index) for index in range(4)] == draws


def test_draws_are_those_that_vigna_published():
    draws = [1985237415132408290, 2979275885539914483, 13511426838097143398]
    assert [ref.draw(1477776061723855037, index) for index in range(3)] == draws


# Computed from the design by two programs before this one was written.
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
def test_delays_are_those_of_the_design(policy, expected):
    assert delays(policy, len(expected)) == expected


def test_keyed_streams_are_those_of_the_design():
    assert ref.stream(42, b"job-1") == 7581291595918318509
    assert ref.stream(42, b"job-2") == 8759028382642537096
    assert ref.stream(42, b"") == 9180279597629049377
    assert ref.stream(0, b"job-1") == 7286339267344372445
    draws = [2102824480705859425, 7659445620746856405, 10575048500073652896, 1925066116767119951]
    assert [ref.draw(7581291595918318509, index) for index in range(4)] == draws


def test_windows_are_those_of_cenkalti_backoff():
    """The table in its documentation, in milliseconds; it cuts them off at each step."""
    published = [500, 750, 1125, 1687, 2530, 3795, 5692, 8538, 12807]
    ours = windows({"growth": "exponential", "base": 500 * MS, "multiplier": (3, 2)}, 9)
    for window, millis in zip(ours, published, strict=True):
        assert millis * MS <= window < (millis + 8) * MS


def test_windows_are_those_of_grpc():
    """connection-backoff.md: 1 s, times 1.6, at most 120 s."""
    grpc = {"growth": "exponential", "base": S, "multiplier": (8, 5), "cap": 120 * S}
    ours = windows(grpc, 13)
    assert ours[:6] == [
        S,
        1_600_000_000,
        2_560_000_000,
        4_096_000_000,
        6_553_600_000,
        10_485_760_000,
    ]
    assert ours[10:] == [109_951_162_777, 120 * S, 120 * S]


def test_windows_are_those_of_sidekiq_and_river():
    """count^4 + 15 s with count from 0; attempt^4 s with attempt from 1."""
    fourth = {"growth": "polynomial", "base": S, "power": 4}
    assert windows(fourth | {"origin": 0, "offset": 15 * S}, 25) == [
        (count**4 + 15) * S for count in range(25)
    ]
    assert windows(fourth, 25) == [attempt**4 * S for attempt in range(1, 26)]


def test_ethernet_waits_below_two_to_the_n_slots():
    """IEEE 802.3, 4.2.3.2.5: r slots, 0 <= r < 2^min(n, 10), n = 1, 2, ..."""
    policy = ref.policy(DESIGN[4][0])
    for index in range(15):
        slots = [ref.delay(policy, ref.stream(client), index) // 51_200 for client in range(400)]
        assert max(slots) < 2 ** min(index + 1, 10)
        if index < 4:
            assert set(slots) == set(range(2 ** (index + 1)))


def test_decorrelated_has_the_mean_of_its_recursion():
    """Without a cap E(d) = (base + 3 E(previous)) / 2: 2, 3.5, 5.75 times the base."""
    policy = {"growth": "exponential", "base": S, "jitter": "decorrelated"}
    runs = [delays(policy, 3, key=b"%d" % client) for client in range(4000)]
    for index, mean in enumerate([2, 3.5, 5.75]):
        assert statistics.mean(run[index] for run in runs) == pytest.approx(mean * S, rel=0.03)


def test_samples_reach_both_ends_and_are_monotone():
    words = [0, 1, 2**63, 2**64 - 2, 2**64 - 1]
    assert [ref.sample(word, 5, 7) for word in words] == [5, 5, 6, 7, 7]
    assert ref.sample(2**64 - 1, 0, ref.MAX) == ref.MAX


def test_advance_is_where_the_draws_go_on():
    for index in range(10):
        assert ref.draw(ref.advance(42, 1000), index) == ref.draw(42, 1000 + index)


LAYERS = sorted(path.stem for path in (HERE / "vectors").glob("*.json"))


def test_every_layer_is_written_and_no_other():
    assert sorted(write_vectors.LAYERS) == LAYERS


@pytest.mark.parametrize("layer", LAYERS)
def test_vectors_fit_their_schema(layer):
    content = json.loads((HERE / "vectors" / f"{layer}.json").read_text())
    schema = json.loads((HERE / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(content, schema)
    assert content["count"] == len(content["cases"])
    first = content["cases"][0]
    jsonschema.validate(content | {"cases": [first]}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content | {"cases": [first], "unknown": 1}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content | {"cases": [first | {"unknown": 1}]}, schema)


def cases(layer):
    return json.loads((HERE / "vectors" / f"{layer}.json").read_text())["cases"]


def test_every_code_of_the_specification_has_a_vector():
    layers = ["errors", "text_errors", "fits"]
    assert {
        case["error"]["code"] for layer in layers for case in cases(layer) if "error" in case
    } >= set(ref.CODES)


def test_the_reference_has_the_fields_and_codes_of_the_specification():
    spec = (HERE.parent / "SPEC.md").read_text()

    def rows(begin, end):
        clause = spec[spec.index(f"\n{begin} ") : spec.index(f"\n{end} ")]
        return re.findall(r"^\| (\d+) \| `(\w+)` \|", clause, re.MULTILINE)

    def numbered(names, first=1):
        return [(str(number), name) for number, name in enumerate(names, first)]

    assert numbered(ref.FIELDS) == rows("5.1", "5.2")
    assert numbered(decisions.OUTCOMES) == rows("13.2", "13.3")
    assert numbered(decisions.REASONS) == rows("13.3", "13.4")
    assert numbered(ref.BUDGET_FIELDS, 33) == rows("15.1", "15.2")
    clause = spec[spec.index("8.6 The numbers") : spec.index("8.7 ")]
    assert numbered(ref.CODES) == re.findall(r"(\d+)\s+`(\w+)`", clause)


def test_the_presets_are_those_of_the_specification():
    spec = (HERE.parent / "SPEC.md").read_text()
    for of, begin, end in (("policy", "12.1", "## 13"), ("budget", "15.1", "15.2")):
        clause = spec[spec.index(f"\n{begin} ") : spec.index(f"\n{end}")]
        rows = re.findall(r"^\| `([a-z0-9-]+)` \| `(.+)` \|$", clause, re.MULTILINE)
        assert list(ref_text.PRESETS[of].items()) == rows
