"""Tests of the check of clients: who waits long enough agrees, and who does not is found."""

import clients
import pytest

STEPS = list(clients.steps())


def requests(late_ms):
    """The requests of a client whose gaps differ from the delays by this many ms."""
    now = 0
    for step, late in zip(STEPS, late_ms, strict=True):
        yield [now, now]
        now += (step[2] or 0) + late * 10**6


def test_the_delays_are_those_of_the_policy():
    lines = clients.expected_lines(STEPS).splitlines()
    assert len(lines) == 6
    # The Retry-After; then half of the window and up to as much again.
    assert lines[0] == "attempt 1: throttled, waiting 1000000000 ns"
    assert lines[5] == "done after 6 attempts: ready"
    for (*_, delay), window_ms in zip(STEPS[1:5], [200, 400, 800, 1600], strict=True):
        assert window_ms / 2 <= delay / 1e6 <= window_ms


@pytest.mark.parametrize("late_ms", [0, 1, 60_000])
def test_a_client_that_waits_long_enough_agrees(late_ms):
    assert clients.problems(STEPS, list(requests([late_ms] * 6)))[1] == []


@pytest.mark.parametrize("retry", range(1, 6))
def test_a_client_that_is_early_is_reported(retry):
    early = list(requests([-1 if place + 1 == retry else 0 for place in range(6)]))
    assert clients.problems(STEPS, early)[1] == [f"retry {retry} came 1.000 ms too early"]


def test_a_client_that_stops_or_fails_is_reported():
    exact = list(requests([0] * 6))
    assert clients.problems(STEPS, exact[:5])[1] == ["5 requests, expected 6"]
    server = clients.Server()
    program = {"program": ["/no/such/program"], "folder": None, "environment": {}}
    gaps, (failed, too_few) = clients.run(STEPS, server, "rust", program)
    assert gaps == []
    assert "No such file" in failed
    assert too_few == "0 requests, expected 6"


def test_the_table_has_a_row_for_each_retry():
    gaps, _ = clients.problems(STEPS, list(requests([3] * 6)))
    rows = clients.table(STEPS, {"rust": gaps}).splitlines()[2:]
    assert len(rows) == 6
    assert rows[1] == "1        503 with Retry-After      1000.000    1003.000"
    assert rows[4].endswith("  with the limit of the attempt")
