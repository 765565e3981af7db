"""`docs/presets.md`: every line of its tables is what SPEC.md says, and gives the numbers that
were written down there from the sources."""

import itertools
from pathlib import Path

import pytest
import reference as ref
import reference_preview
import reference_text

PAGE = (Path(__file__).parents[1] / "docs/presets.md").read_text(encoding="utf-8")
FAR = 100  # where every line without a number of retries has come to stand still


def tables():
    """The tables of the page, each a list of rows, each a list of cells."""
    rows = []
    for line in PAGE.splitlines():
        if line.startswith("|"):
            rows.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
        elif rows:
            yield rows[2:]
            rows = []


POLICIES, BUDGETS, ARTICLES = tables()
LINES = [row[:5] for row in POLICIES + ARTICLES]


def test_the_presets_are_those_of_the_specification():
    for of, table in (("policy", POLICIES), ("budget", BUDGETS)):
        assert {row[0]: row[1] for row in table} == reference_text.PRESETS[of]


def ns(text):
    return reference_text.duration("base", text, 0)


@pytest.mark.parametrize(("name", "line", "windows", "first", "last"), LINES)
def test_the_numbers_of_a_line(name, line, windows, first, last):
    policy = reference_text.parse("policy", line)
    if windows:
        expected = [ns(window) for window in windows.split(", ")]
        assert [ref.window(policy, index) for index in range(len(expected))] == expected

    retries = min(policy["max_retries"], FAR)
    if not retries:
        assert not first
        assert not last
        return
    rows = list(itertools.islice(reference_preview.rows(policy), retries))
    for (smallest, _, largest), ends in ((rows[0], first), (rows[-1], last)):
        assert [smallest, largest] == [ns(end) for end in ends.split(" to ")]
