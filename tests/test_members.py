"""Tests the member of a shared budget against one budget in one process, and what its vectors reach."""

import json
import random
from itertools import product
from pathlib import Path

import pytest
from reference import budgets, strings
from reference.members import OUTCOMES, Member

S = 10**9
VECTORS = Path(__file__).parent / "vectors"
BUDGETS = [
    "quota:max_tokens=20,cost=2,cost_timeout=3",
    "throttle:max_tokens=10,ratio=0.4",
    "ratio:max_tokens=3,ratio=0.3",
    "rate:max_tokens=3,per=2s",
    "ttl:min_per_second=0,ratio=1/3",
]


def cases(layer):
    return json.loads((VECTORS / f"{layer}.json").read_text())["cases"]


def test_no_more_than_a_million_are_counted():
    """Too many for the vectors, which evaluators of every language must answer."""
    quota = strings.parse("budget", "quota")
    member = Member(quota, quota, 1, 1, S, 42)
    member.waiting["transient"] = 999_999
    assert [member.request("transient", 0)[0] for _ in range(2)] == ["waits", "refused"]
    assert member.request("timeout", 0)[0] == "waits"
    member.add(0, 999_999)
    for _ in range(2):
        member.note("operation_began", 0)
    assert member.counts[0] == 1_000_000


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("seed", range(5))
def test_without_leases_the_grants_are_those_of_one_budget(budget, seed):
    """The note of 15.7: several members, each event sent at once, and swaps that are lost."""
    rng = random.Random(seed)
    shared = strings.parse("budget", budget)
    alone, text = budgets.BudgetState(shared), None
    members = [Member(shared, shared, 1, 1, S, number) for number in range(3)]
    held = [0]
    for turn in range(300):
        now, member = turn * S // 10, rng.choice(members)
        event = rng.choice(
            ["operation_began", "attempt_failed", "operation_succeeded", *["retry_requested"] * 3]
        )
        outcome, of = rng.choice(OUTCOMES), rng.choice(held)
        if event == "retry_requested":
            assert member.request(outcome, now)[0] == "waits"
        else:
            member.note(event, now, of)
        member.begin(now)
        after, _, _ = member.step(text, now)
        # The retries of a throttle cost nothing, so it would be contended for (rule 4.4). The others are too small.
        if rng.random() < 0.2 and not budget.startswith("throttle"):
            member.lost(now)
            after, _, _ = member.step(text, now)
        text = after
        granted, _ = member.stored(now)
        is_granted, holds = alone.step(
            event, now, outcome, of if event == "operation_succeeded" else 0
        )
        assert sum(granted.values()) == bool(is_granted)
        assert text.partition(" | ")[0] == alone.text()
        held.append(holds)


def test_states_are_told_from_other_texts():
    for case in cases("budget_state_texts"):
        budget = strings.parse("budget", case["budget"])
        assert budgets.is_state_text(budget, case["text"]) == case["valid"], case["id"]


def test_random_vectors_reach_every_action_in_every_situation():
    reached = set()
    for case in cases("exchanges"):
        phase, away = "none", False
        for step in case["steps"]:
            do = step["do"]
            if case["id"].startswith("random-"):
                is_away = step["away"] if do in ("note", "request", "cancel") else away
                reached.add((step.get("answer", do), phase, is_away))
            phase = {"begin": "begun", "step": "stepped", "lost": "lost"}.get(do, phase)
            phase = "none" if do in ("stored", "failed") else phase
            away = step["away"]
    always = product(["note"], ["none", "begun", "stepped", "lost"], [False, True])
    answered = product(["cancel", "late", "failed"], ["begun", "stepped"], [False])
    asked = product(["refused", "waits"], ["none", "begun", "stepped"])
    ends = product(
        [("step", "begun"), ("step", "lost"), ("stored", "stepped"), ("lost", "stepped")],
        [False, True],
    )
    expected = {
        *always,
        *answered,
        *((answer, phase, answer == "refused") for answer, phase in asked),
        *((*end, is_away) for end, is_away in ends),
        *(("begin", "none", is_away) for is_away in (False, True)),
        ("cancel", "none", False),
        ("late", "none", False),
    }
    assert expected - reached == set()
