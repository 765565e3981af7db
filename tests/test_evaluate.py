"""Tests the evaluator of the reference against answers that are worked out by hand.

`cases/not_requests.py` says which lines are not requests.
"""

import json
import subprocess
import sys
from pathlib import Path

import evaluate

HERE = Path(__file__).parent
NOT_A_REQUEST = {"error": "not_a_request", "at": 0}
S = 10**9


def answers(lines):
    run = subprocess.run(
        [sys.executable, HERE / "evaluate.py"],
        input=b"\n".join(lines),
        capture_output=True,
        check=True,
    )
    return run.stdout.split(b"\n")


def answer(**request):
    return json.loads(evaluate.answer(json.dumps(request).encode()))


def test_delays_are_answered_byte_for_byte():
    first = "exponential:base=100ms,cap=20s,jitter=full"
    asked = {
        '{"policy":"full:base=1s"}': ("exponential:base=1s,jitter=full", 883310809),
        ' {"index" : 1e0 , "policy":"full:base=1s","seed":"000"}\r': (
            "exponential:base=1s,jitter=full",
            863055994,
        ),
        '{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":2}': (
            first,
            229309811,
        ),
        '{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":-0}': (
            first,
            11399434,
        ),
        '{"policy":"none","x":["\\ud83d\\ude00"]}': ("constant:base=0s", 0),
    }
    asked = {
        string.encode(): f'{{"canonical":"{canonical}","delay_ns":"{delay}"}}'.encode()
        for string, (canonical, delay) in asked.items()
    }
    repeated = b'{"policy":5,"policy":"full:base=1","\\u0070olicy":"full:base"}'
    asked[repeated] = b'{"error":"missing_value","at":9}'
    asked[b""] = asked[b'{"policy":null}'] = b'{"error":"not_a_request","at":0}'
    assert answers(asked) == [*asked.values(), b""]


def test_delays_of_fields():
    """The run of `vectors/resets.json`, "full"."""

    def found(via, index, count, **fields):
        policy = {"growth": "exponential", "base": "100000000", "cap": "20000000000"} | fields
        asked = {"via": via, "index": index, "count": count}
        return answer(policy=policy, seed="42", key="job-1", delays=asked)

    run = ["11399434", "83043876", "229309811"]
    for via, index in (("at", 0), ("fill", 0), ("next", 0), ("next", 7)):
        assert found(via, index, 3, jitter="full") == {"delays": run}
    assert found("at", 1, 1, jitter="full") == {"delays": run[1:2]}
    assert found("next", 0, 3, jitter="full", max_retries="2") == {"delays": run[:2]}
    # A reset never repeats a draw: the growth begins again, the draws go on.
    assert found("reset", 2, 1, jitter="full") != {"delays": run[:1]}
    assert found("reset", 2, 2) == {"delays": ["100000000", "200000000"]}
    error = {"error": "cap_below_base", "field": "cap", "value": "5", "limit": "100000000"}
    assert found("at", 0, 1, cap="5") == error
    error = {"error": "unknown_kind", "field": "jitter", "value": "0", "limit": "7"}
    assert found("at", 0, 1, jitter="constructor") == error


def step(operation, do, now=0, **more):
    return {"operation": operation, "do": do, "now": str(now), **more}


def failed(operation, now=0, **more):
    return step(operation, "outcome", now, outcome="transient", **more)


def test_steps():
    """A quota of 5 tokens grants one retry, and a cancellation refunds nothing."""
    answered = answer(
        policy="constant:base=1s,max_retries=1,max_elapsed=1m",
        budget="quota:max_tokens=5,cost=5",
        steps=[
            step(4294967295, "begin", 5),
            failed(4294967295, 7, retry_after="3000000000"),
            failed(4294967295, 8),
            step(0.0, "begin"),
            failed(0),
            step(0, "cancel"),
            step(1, "begin", deadline="00999999999"),
            failed(1, retry_after=None, deadline="ignored"),
            step(2, "begin", deadline=None, outcome="ignored"),
            step(2, "cancel"),
            step(3, "begin"),
            step(3, "outcome", outcome="success", retry_after="0"),
        ],
    )
    assert answered == {
        "canonical": "constant:base=1s,max_retries=1,max_elapsed=1m",
        "budget": "quota:max_tokens=5",
        "answers": [
            {"wait": str(3 * S), "retries": 1},
            {"stop": "max_retries", "delay": "0", "retries": 1},
            {"stop": "budget", "delay": str(S), "retries": 0},
            {"stop": "budget", "delay": "0", "retries": 0},
            {"stop": "deadline", "delay": str(S), "retries": 0},
            {"stop": "cancelled", "delay": "0", "retries": 0},
            {"stop": "success", "delay": "0", "retries": 0},
        ],
    }


def test_steps_share_the_stream():
    """The first two delays of `vectors/resets.json`, "full"."""
    answered = answer(
        policy="full:base=100ms,cap=20s",
        seed="42",
        key="job-1",
        steps=[step(0, "begin"), failed(0), step(1, "begin"), failed(1), failed(0)],
    )
    assert answered["budget"] is None
    waits = [row["wait"] for row in answered["answers"]]
    assert waits == ["11399434", "11399434", "83043876"]


def test_previews():
    def rows(policy, first, count):
        found = answer(policy=policy, preview={"first": first, "count": count})["rows"]
        return [[int(x) // S for x in row] for row in found]

    assert rows("linear:base=1s", 1, 2) == [[2] * 3 + [3] * 3, [3] * 3 + [6] * 3]
    assert rows("full:base=2s", 0, 1) == [[0, 1, 2, 0, 1, 2]]
    assert rows("linear:base=1s,max_retries=2", 1, 1000) == [[2] * 3 + [3] * 3]
    assert rows("linear:base=1s", 10_000, 0) == []
    assert rows("linear:base=1s", 10_000, 1) == [[10_001] * 3 + [10_001 * 10_002 // 2] * 3]


def test_fits():
    def fit(policy, field, attempts, total):
        return answer(
            policy=policy, fit={"field": field, "attempts": attempts, "total": str(total)}
        )

    assert fit("constant:base=1s", "base", 3, 10 * S) == {"canonical": "constant:base=5s"}
    # 1 s + 2 s + 3 s + 3 s
    capped = {"canonical": "exponential:base=1s,cap=3s"}
    assert fit("exponential:base=1s", "cap", 5, 9 * S + 1) == capped
    error = {"error": "does_not_fit", "field": "cap", "value": str(2 * S), "limit": "5"}
    assert fit("constant:base=1s", "cap", 3, 5) == error
    error = {"error": "too_small", "field": "max_attempts", "value": "0", "limit": "1"}
    assert fit("constant:base=1s", "base", 0, 5) == error
    error = {"error": "too_large", "field": "max_attempts", "value": "65537", "limit": "65536"}
    assert fit("constant:base=1s", "base", 65_537, 5) == error
    shortest = {"canonical": "constant:base=1ns"}
    assert fit("constant:base=1s", "base", 65_536, 65_535) == shortest


def test_responses():
    def response(status, fields, now="0"):
        return answer(response={"status": status, "fields": fields, "now": now})

    assert response(503, "A: 1\r\nretry-AFTER: 7\r\n") == {
        "outcome": "throttled",
        "retry_after": str(7 * S),
    }
    assert response(200.0, "Retry-After-Ms: 0.5") == {"outcome": "success", "retry_after": "500000"}
    assert response(404, "RateLimit-Reset: 7") == {"outcome": "permanent", "retry_after": None}
    assert response(429, "RateLimit-Reset: 7", "5")["retry_after"] == str(7 * S)


def event(name, now=0, **more):
    return {"event": name, "now": str(now), **more}


def test_states():
    """A quota of 5 tokens grants one retry that costs 5, and a success gives it back."""
    request = event("retry_requested", outcome="transient")
    events = [
        request,
        request,
        event("attempt_failed", held="3"),
        event("operation_succeeded", held="5"),
    ]
    rows = [(True, "5", "1 0"), (False, "0", "1 0"), (None, "0", "1 0"), (None, "0", "2 5")]
    answers = [dict(zip(("granted", "holds", "state"), row, strict=True)) for row in rows]
    expected = {"budget": "quota:max_tokens=5", "answers": answers}
    assert answer(budget="quota:cost=5,max_tokens=5", state={"events": events}) == expected
    assert answer(budget="quota:max_tokens=5", state={"text": "0 5", "events": events}) == expected
    later = answer(budget="quota:max_tokens=5", state={"text": "7 0", "events": events[:1]})
    assert later["answers"] == [{"granted": False, "holds": "0", "state": "7 0"}]
    for text in ("", "0 6", "0", "0 5 | 0 0 0"):
        found = answer(budget="quota:max_tokens=5", state={"text": text, "events": []})
        assert found == {"error": "not_a_state", "at": 0, "of": "text"}


def asked_of_member(*steps, budget="quota:max_tokens=5", **more):
    asked = {"local": "sre", "lease": 1, "fallback": "1", "timeout": str(2 * S), "seed": "0"}
    return answer(budget=budget, exchange=asked | {"steps": list(steps)} | more)


def does(do, now=0, **more):
    return {"do": do, "now": str(now), **more}


def knows(away=False, due_in=None, unsent=False):
    return {"away": away, "due_in": due_in, "unsent": unsent, "timeout": str(2 * S)}


def stats(**counts):
    names = ["exchanges", "failed_exchanges", "lost_swaps", "local_decisions", "processes"]
    return dict.fromkeys(names, "0") | {name: str(count) for name, count in counts.items()}


def test_exchanges():
    """One of two requests is granted; the other is refused."""
    request = does("request", outcome="transient", times=2)
    load = does("step", store_now=str(120 * S), text="4 5 | 2 1 0")
    made = {
        "event": "retry_requested",
        "outcome": "transient",
        "held": "0",
        "count": "2",
        "granted": "1",
    }
    assert asked_of_member(request, does("begin"), load, does("stored", S)) == {
        "budget": "quota:max_tokens=5",
        "local": "ratio",
        "answers": [
            {"answer": "waits", "held": "0", "local": False, **knows(due_in="0")},
            knows(unsent=True),
            {"after": "5 0 | 2 2 0", "changed": True, "steps": [made], **knows(unsent=True)},
            {
                "granted": ["1", "0", "0"],
                "refused": ["1", "0", "0"],
                "held": ["5", "5", "5"],
                **knows(),
            },
        ],
        "stats": stats(exchanges=1, processes=2),
    }


def test_exchanges_that_end_without_the_store():
    """After two events that were sent, a loss, and a failure, they are unsent again."""
    note, load = (
        does("note", event="operation_began", times=2),
        does("step", store_now="0", text=None),
    )
    made = {"event": "operation_began", "outcome": None, "held": "0", "count": "2", "granted": "0"}
    unreadable = does("step", store_now="0", text="x")
    found = asked_of_member(
        *(
            note,
            does("begin"),
            load,
            does("lost"),
            unreadable,
            does("stored"),
            does("failed", stored=False),
        ),
        does("request", outcome="timeout"),
        budget="ratio:max_tokens=1",
    )
    counts = dict.fromkeys(["exchanges", "failed_exchanges", "lost_swaps", "local_decisions"], 1)
    assert found["stats"] == stats(**counts, processes=1)
    found = found["answers"]
    assert found[2] == {
        "after": "0 10 | 0 1 0",
        "changed": True,
        "steps": [made],
        **knows(unsent=True),
    }
    # Of the policy `full:base=1ms,cap=16ms`.
    assert 0 <= int(found[3]["wait"]) <= S // 1000
    assert found[4] == {"after": None, "changed": False, "steps": [], **knows(unsent=True)}
    assert found[5] == {"error": "not_now"}
    assert found[6] == knows(away=True, unsent=True)
    local = {"answer": "granted", "held": "0", "local": True}
    assert found[7] == local | knows(away=True, unsent=True)


def test_steps_that_may_not_come_now():
    load, failed = does("step", store_now="0", text=None), does("failed", stored=True)
    refused = {"error": "not_now"}
    for steps, is_refused in [
        ([load], [True]),
        ([does("stored")], [True]),
        ([does("lost")], [True]),
        ([failed], [True]),
        ([does("begin"), does("begin")], [False, True]),
        ([does("begin"), does("stored")], [False, True]),
        ([does("begin"), does("lost")], [False, False]),
        ([does("begin"), load, load, does("stored"), does("stored")], [False] * 4 + [True]),
        ([does("begin"), load, does("lost"), does("stored")], [False] * 3 + [True]),
        ([does("begin"), load, load | {"text": "x"}, does("stored")], [False] * 3 + [True]),
        ([does("begin"), failed, failed], [False, False, True]),
        ([does("late"), does("cancel", outcome="success")], [False, False]),
    ]:
        found = asked_of_member(*steps, budget="ratio:max_tokens=1")["answers"]
        assert [row == refused for row in found] == is_refused
