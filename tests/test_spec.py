"""Tests the tables and examples of SPEC.md against the reference."""

import re
from pathlib import Path

import pytest
from reference import errors, fields, operations, parse_error, presets, strings

SPEC = (Path(__file__).parent.parent / "SPEC.md").read_text(encoding="utf-8")


def clause(begin, end):
    return SPEC[SPEC.index(f"\n{begin}") : SPEC.index(f"\n{end}")]


def cells(row):
    return [cell.strip().strip("`") for cell in row.strip("|").split(" | ")]


def numbered(names, first=1):
    return [(str(number), name) for number, name in enumerate(names, first)]


@pytest.mark.parametrize(
    ("begin", "end", "names", "first"),
    [
        ("5.1 ", "5.2 ", fields.FIELDS, 1),
        ("13.2 ", "13.3 ", operations.OUTCOMES, 1),
        ("13.3 ", "13.4 ", operations.REASONS, 1),
        ("15.1 ", "15.2 ", fields.BUDGET_FIELDS, 33),
    ],
)
def test_numbers_match(begin, end, names, first):
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", clause(begin, end), re.MULTILINE)
    assert rows == numbered(names, first)


def test_codes_match():
    assert re.findall(r"(\d+)\s+`(\w+)`", clause("8.6 ", "8.7 ")) == numbered(errors.CODES)


@pytest.mark.parametrize(
    ("of", "begin", "end"), [("policy", "12.1", "## 13"), ("budget", "15.1", "15.2")]
)
def test_presets_match(of, begin, end):
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| `(.+)` \|$", clause(begin, end), re.MULTILINE)
    assert rows == list(presets.PRESETS[of].items())


EXAMPLES = [cells(row) for row in clause("11.6 ", "11.7 ").splitlines() if row.startswith("| `")]


def test_there_are_ten_examples():
    assert len(EXAMPLES) == 10


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_examples_of_parse_errors_match(example):
    string, *expected = example
    with pytest.raises(parse_error.ParseError) as caught:
        strings.parse("policy", string)
    error = caught.value
    details = [
        error.code,
        error.at,
        error.found or "-",
        error.field or "-",
        error.value,
        error.limit,
    ]
    assert [str(detail) for detail in details] == expected


MESSAGES = [cells(row) for row in clause("11.7 ", "11.8 ").splitlines() if " | `at " in row]


def test_peers_match():
    rows = re.findall(r"^\| `(\w+)` \| (`[a-z, `]+`) \|$", clause("11.7 ", "11.8 "), re.MULTILINE)
    named = {key: " ".join(re.findall(r"\w+", names)) for key, names in rows}
    assert named == parse_error.PEERS
    peers = " ".join(named.values()).split()
    peers.remove("backofflimit")  # of two libraries, which mean two fields
    keys = [key.replace("_", "") for key in strings.KEYS["policy"]]
    assert len({*peers, *keys}) == len(peers) + len(keys)


def test_there_are_eight_messages():
    assert len(MESSAGES) == 8


@pytest.mark.parametrize("example", MESSAGES, ids=lambda example: example[0])
def test_examples_of_messages_match(example):
    string, expected = example
    with pytest.raises(parse_error.ParseError) as caught:
        strings.parse("policy", string)
    assert str(caught.value).split(";")[0] == expected
