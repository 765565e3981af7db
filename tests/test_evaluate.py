"""Tests the evaluator of the reference against answers that are worked out by hand."""

import json
import subprocess
import sys
from pathlib import Path

import evaluate
import pytest

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
    not_requests = [
        *(b"", b"5", b"[]", b"null", b"{}", b'"default"', b'["\\ud800"]'),
        *(b'{"policy":null}', b'{"policy":"default"', b'\xef\xbb\xbf{"policy":"none"}'),
        *(b'{"policy":"\xff"}', b'{"policy":"\xed\xa0\x80"}'),
        *(b'{"policy":"none","key":"\\ud800"}', b'{"policy":"none","x":[{"\\udc00":1}]}'),
        *(
            b'{"policy":"none","index":' + index + b"}"
            for index in (b"-1", b"0.5", b"4294967296", b"NaN", b"true", b'"0"', b"1e99")
        ),
        *(
            b'{"policy":"none","seed":' + seed + b"}"
            for seed in (b"1", b"null", b'""', b'"-1"', b'"18446744073709551616"', b'"\xc2\xb2"')
        ),
        *(b'{"policy":"none","key":' + key + b"}" for key in (b"1", b"false", b"[]")),
    ]
    asked |= dict.fromkeys(not_requests, b'{"error":"not_a_request","at":0}')
    assert answers(asked) == [*asked.values(), b""]


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


def test_values_of_retry_after():
    def wait(value, now="0"):
        return answer(retry_after={"value": value, "now": now})["retry_after"]

    assert wait("120") == "120000000000"
    assert wait(" 007\t", str(2**63 - 1)) == "7000000000"
    assert wait("Thu, 01 Jan 1970 00:01:00 GMT", "1") == "59999999999"
    assert wait("soon") is None
    assert wait("") is None


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


def test_budgets_that_are_not_shared():
    assert asked_of_member(budget="x", local="y") == {
        "error": "unknown_head",
        "at": 0,
        "of": "budget",
    }
    assert asked_of_member(budget="envoy", local="sre:x=1") == {
        "error": "unknown_key",
        "at": 4,
        "of": "local",
    }
    assert asked_of_member(budget="envoy", local="envoy") == {
        "error": "not_shared",
        "at": 0,
        "of": "budget",
    }
    assert asked_of_member(local="envoy")["local"] == "concurrent"


def test_strings_that_do_not_parse():
    begun = [step(0, "begin")]
    policy = {"error": "unknown_unit", "at": 15}
    for form in ({}, {"preview": {"first": 0, "count": 1}}, {"steps": begun, "budget": "x"}):
        assert answer(policy="constant:base=1sec", **form) == policy
    budget = {"error": "unknown_head", "at": 0, "of": "budget"}
    assert answer(policy="default", steps=begun, budget="x") == budget
    assert answer(policy="default", steps=begun, budget="") == budget


def test_the_first_form_counts():
    every = {
        "retry_after": {"value": "1", "now": "0"},
        "response": {"status": 200, "fields": "", "now": "0"},
        "state": {"events": []},
        "exchange": {
            "local": "sre",
            "lease": 1,
            "fallback": "0",
            "timeout": "0",
            "seed": "0",
            "steps": [],
        },
        "steps": [],
        "fit": {"field": "base", "attempts": 1, "total": "0"},
        "preview": {"first": 0, "count": 0},
        "policy": "none:max_retries=0",
        "budget": "sre",
        "seed": "0",
    }
    expected = [
        "retry_after",
        "outcome",
        "answers",
        "local",
        "answers",
        "canonical",
        "rows",
        "delay_ns",
    ]
    forms = ["retry_after", "response", "state", "exchange", "steps", "fit", "preview", None]
    for form, member in zip(forms, expected, strict=True):
        assert member in answer(**every)
        # What follows the form does not matter, but the form itself does.
        if form:
            assert answer(**every | {form: None}) == NOT_A_REQUEST
            del every[form]


def test_members_of_other_forms_are_ignored():
    ignored = {"seed": 5, "key": 5, "index": -1, "budget": 5}
    preview = {"first": 0, "count": 1, "first ": 0}
    assert "rows" in answer(policy="none", preview=preview, **ignored)
    assert "retry_after" in answer(policy=5, retry_after={"value": "1", "now": "0"}, **ignored)
    assert "answers" in answer(policy="none", steps=[], index=-1)


TIMES = [5, "", "-1", "+1", " 1", "1.0", "1e3", "\u0665", str(2**63), "1" * 99, True, [], {}]
WHOLE = [None, -1, 0.5, "0", True, [], {}]
BEGUN = step(0, "begin")


@pytest.mark.parametrize(
    "steps",
    [
        *(None, {}, "", 5, True, [None], [5], ["begin"], [[]], [[BEGUN]], [{}]),
        *([{name: BEGUN[name] for name in BEGUN if name != left_out}] for left_out in BEGUN),
        *([BEGUN | {"operation": x}] for x in [*WHOLE, 2**32]),
        *([BEGUN | {"now": x}] for x in [*TIMES, None]),
        *([BEGUN | {"do": x}] for x in (None, 5, "", "Begin", "begin ", ["begin"], "constructor")),
        *([BEGUN | {"deadline": x}] for x in TIMES),
        *([BEGUN, failed(0, retry_after=x)] for x in TIMES),
        *([BEGUN, failed(0) | {"outcome": x}] for x in (None, 2, "", "Success", "cancelled")),
        [BEGUN, step(0, "outcome")],
        *([BEGUN, BEGUN], [BEGUN, step(0, "cancel"), BEGUN]),
        *([failed(0)], [step(0, "cancel")], [BEGUN, failed(1)], [failed(0), BEGUN]),
    ],
    ids=str,
)
def test_lists_that_are_not_steps(steps):
    assert answer(policy="none", steps=steps) == NOT_A_REQUEST


def test_objects_that_are_not_requests():
    objects = {
        "preview": ({"first": 0, "count": 1}, {"first": 10_000, "count": 1000}),
        "fit": ({"attempts": 1, "total": "1", "field": "cap"}, {"attempts": 2**32 - 1}),
        "retry_after": ({"now": "0", "value": "1"}, {}),
        "response": ({"now": "0", "status": 0, "fields": ""}, {"status": 2**16 - 1}),
    }
    broken = []
    for form, (valid, limits) in objects.items():
        broken += [{form: x} for x in (None, 5, "", [], [valid], {})]
        for name, value in valid.items():
            others = TIMES if name in ("now", "total") else WHOLE
            if name in ("field", "value", "fields"):
                others = [None, 5, True, [], {}]
            broken.append({form: {other: valid[other] for other in valid if other != name}})
            broken += [{form: valid | {name: x}} for x in others if x != value]
        for name, limit in limits.items():
            broken.append({form: valid | {name: limit + 1}})
    broken += [{"fit": objects["fit"][0] | {"field": x}} for x in ("", "Base", "floor", "toString")]
    broken += [{"steps": [], "budget": x} for x in (5, True, [], {})]
    broken += [{"steps": [], "seed": x} for x in (5, None, "", "-1")]
    broken += [{"steps": [], "key": x} for x in (5, True, [], {})]
    lines = [json.dumps({"policy": "none"} | request).encode() for request in broken]
    lines += [b'{"preview":{"first":0,"count":1}}', b'{"steps":[],"policy":null}', b'{"fit":{}}']
    expected = json.dumps(NOT_A_REQUEST, separators=(",", ":")).encode()
    assert answers(lines) == [*[expected] * len(lines), b""]


BOOLEANS = [None, 0, 1, "true", [], {}]
TEXTS = [5, True, [], {}]


@pytest.mark.parametrize(
    "events",
    [
        *(None, {}, "", 5, [None], [5], ["attempt_over"], [[]], [{}]),
        *([event("attempt_over", held=x)] for x in [*TIMES[:-5], None, str(2**64), 1]),
        *([event("attempt_over") | {"now": x}] for x in [*TIMES, None]),
        *(
            [event(x)]
            for x in (None, 5, "", "Attempt_over", "none", "constructor", ["attempt_over"])
        ),
        *([event("retry_requested", outcome=x)] for x in (None, 2, "", "Timeout", "cancelled")),
        *([event("retry_requested")], [{"event": "attempt_over"}], [{"now": "0"}]),
    ],
    ids=str,
)
def test_lists_that_are_not_events(events):
    assert answer(budget="sre", state={"events": events}) == NOT_A_REQUEST


@pytest.mark.parametrize(
    "steps",
    [
        *(None, {}, "", 5, [None], [5], ["begin"], [[]], [{}], [{"do": "begin"}], [{"now": "0"}]),
        *([does("begin") | {"now": x}] for x in [*TIMES, None]),
        *([does(x)] for x in (None, 5, "", "Begin", "flush", "play", "__init__", ["begin"])),
        *([does("note", event=x)] for x in (None, 5, "", "Attempt_over", "none", "begin")),
        *([does("note", event="attempt_over", held=x)] for x in (5, None, "", "-1", str(2**64))),
        *([does("note", event="attempt_over", local=x)] for x in BOOLEANS),
        *([does("note", event="attempt_over", times=x)] for x in [*WHOLE, 0, 100_001]),
        *([does("request", outcome=x)] for x in (None, 2, "", "Timeout", "refused")),
        *([does("request", outcome="timeout", times=x)] for x in [*WHOLE, 0, 100_001]),
        *([does("cancel", outcome=x)] for x in (None, 2, "", "Timeout", "refused")),
        *([does("step", store_now=x)] for x in [*TIMES, None]),
        *([does("step", store_now="0", text=x)] for x in TEXTS),
        *([does("failed", stored=x)] for x in BOOLEANS),
        *([does(x)] for x in ("note", "request", "cancel", "step", "failed")),
    ],
    ids=str,
)
def test_lists_that_are_not_steps_of_a_member(steps):
    assert asked_of_member(steps=steps) == NOT_A_REQUEST


def test_members_that_are_not_requests():
    for name, values in {
        "local": [None, 5, True, [], {}],
        "lease": [*WHOLE, 0, 1001],
        "fallback": [0, None, "", "-1", "share", "1000001", str(2**64 - 2), str(2**64)],
        "timeout": [*TIMES, None],
        "seed": [0, None, "", "-1", str(2**64)],
    }.items():
        for value in values:
            assert asked_of_member(**{name: value}) == NOT_A_REQUEST
    for form in ({"state": {"events": []}}, {"state": None}, {"exchange": {}}, {"exchange": None}):
        assert answer(**form) == NOT_A_REQUEST
        assert answer(budget=None, **form) == NOT_A_REQUEST
    for text in TEXTS:
        assert answer(budget="sre", state={"text": text, "events": []}) == NOT_A_REQUEST


def test_the_last_of_repeated_members_counts():
    line = (
        b'{"steps":5,"policy":"none","steps":[{"operation":0,"do":"x","now":5,"now":"0",'
        b'"do":"begin","\\u0064o":"begin"},{"operation":1,"operation":0,"do":"cancel","now":"0"}]}'
    )
    expected = (
        b'{"canonical":"constant:base=0s","budget":null,'
        b'"answers":[{"stop":"cancelled","delay":"0","retries":0}]}'
    )
    assert answers([line]) == [expected, b""]
