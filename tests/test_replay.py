"""Tests the replay of a fleet's budget: a right record passes, and each wrong one is found."""

import copy

import pytest
from integrations import replay

S = 10**9


def exchange(before, after, now, steps, stored="yes"):
    return {"before": before, "now": str(now), "steps": steps, "after": after, "stored": stored}


def retry(granted, count=1):
    asked = {"event": "retry_requested", "outcome": "transient", "held": 0}
    return {**asked, "count": count, "granted": int(granted)}


# By hand: two tokens that fill within two seconds. A retry costs 2 * 10^9 of the 4 * 10^9 of a full budget.
RATE = "rate:max_tokens=2,per=2s"
RECORD = [
    exchange(None, f"1 {2 * S} {5 * S}", 5 * S, [retry(True)]),
    exchange(f"1 {2 * S} {5 * S}", f"2 0 {5 * S}", 5 * S, [retry(True)]),
    exchange(f"2 0 {5 * S}", f"2 0 {5 * S}", 5 * S, [retry(False)], "unchanged"),
    exchange(f"2 0 {5 * S}", f"3 0 {6 * S}", 6 * S, [retry(True)], "unknown"),
    exchange(f"3 0 {6 * S}", f"4 {S} {6 * S + S // 2}", 6 * S + S // 2, [retry(False)]),
]
FINAL = RECORD[-1]["after"]


def test_a_right_record_in_any_order():
    counts = replay.replay(RATE, FINAL, reversed(RECORD))
    assert counts == {
        "exchanges": 5,
        "requests": 5,
        "granted": 3,
        "unanswered": 1,
        "gaps": 0,
        "seconds": 1.5,
        "limit": 3,
    }


def test_what_was_lost_does_not_count():
    lost = exchange(f"2 0 {5 * S}", f"3 0 {9 * S}", 9 * S, [retry(True)], "unknown")
    assert replay.replay(RATE, FINAL, [*RECORD, lost])["granted"] == 3


def test_what_a_killed_process_did_not_record_is_a_gap():
    for missing in range(4):
        record = [row for number, row in enumerate(RECORD) if number != missing]
        if missing == 2:  # it changed nothing
            continue
        with pytest.raises(replay.Disagreement, match="nothing that was recorded follows"):
            replay.replay(RATE, FINAL, record)
        assert replay.replay(RATE, FINAL, record, gaps=1)["gaps"] == 1
    # The last one may be missing, too.
    assert replay.replay(RATE, FINAL, RECORD[:-1], gaps=1)["gaps"] == 1
    with pytest.raises(replay.Disagreement, match="nothing that was recorded follows"):
        replay.replay(RATE, FINAL, RECORD[2:4], gaps=1)


def broken(number, **changes):
    record = copy.deepcopy(RECORD)
    record[number].update(changes)
    return record


@pytest.mark.parametrize(
    ("record", "final", "message"),
    [
        (broken(2, steps=[retry(True)]), FINAL, "the reference 0"),
        (broken(1, steps=[retry(2, count=2)]), FINAL, "the reference 1"),
        (broken(1, after=f"2 1 {5 * S}"), FINAL, "the reference has the state 2 0"),
        (broken(4, now=str(7 * S)), FINAL, "the reference 1"),
        (RECORD[:1] + RECORD[2:], FINAL, "nothing that was recorded follows the state 1 "),
        (RECORD, "9 0 0", "nothing that was recorded follows the state 4 "),
        ([*RECORD, RECORD[1]], FINAL, "two exchanges were stored"),
        ([*RECORD, exchange("7 7 7", "8 8 8", 0, [])], FINAL, "1 exchanges of the record"),
        (broken(0, stored="no"), FINAL, "\"stored\" is 'no'"),
    ],
)
def test_a_wrong_record(record, final, message):
    with pytest.raises(replay.Disagreement, match=message):
        replay.replay(RATE, final, record)
