"""Tests every row of docs/presets.md against the reference."""

from itertools import islice
from pathlib import Path

import pytest
from reference import delays, fields, presets, preview, strings, values

PAGE = (Path(__file__).parent.parent / "docs/presets.md").read_text(encoding="utf-8")


def table(heading):
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in rows[2:]]


def nanoseconds(text):
    return values.duration("base", text.strip(), 0)


def ends(policy, index):
    """The minimum and the maximum delay of an index."""
    if policy["jitter"] == "decorrelated":
        row = next(islice(preview.rows(policy), index % delays.RESTART, None))
    else:
        row = preview.of_range(policy, *delays.range_at(policy, index))
    return [row[0], row[2]]


@pytest.mark.parametrize("row", table("Policies") + table("The articles"), ids=lambda row: row[0])
def test_delays_match(row):
    _, string, windows, first, last, *_ = row
    policy = strings.parse("policy", string.strip("`"))
    retries = policy["max_retries"]
    if windows:
        published = [nanoseconds(window) for window in windows.split(",")]
        assert [delays.window(policy, index) for index in range(len(published))] == published
    assert bool(first) == bool(last) == (retries > 0)
    if retries:
        assert ends(policy, 0) == [nanoseconds(end) for end in first.split(" to ")]
        assert ends(policy, retries - 1) == [nanoseconds(end) for end in last.split(" to ")]


@pytest.mark.parametrize(("of", "heading"), [("policy", "Policies"), ("budget", "Budgets")])
def test_presets_match(of, heading):
    rows = {row[0].strip("`"): row[1].strip("`") for row in table(heading)}
    assert rows == presets.PRESETS[of]


def test_the_default_limit_is_the_one_of_the_page():
    assert "up to 1 h" in PAGE
    assert strings.parse("policy", "default")["retry_after_max"] == fields.HOUR
