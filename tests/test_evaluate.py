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
        "steps": [],
        "fit": {"field": "base", "attempts": 1, "total": "0"},
        "preview": {"first": 0, "count": 0},
        "policy": "none:max_retries=0",
        "seed": "0",
    }
    expected = ["retry_after", "answers", "canonical", "rows", "delay_ns"]
    forms = ["retry_after", "steps", "fit", "preview", None]
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
    }
    broken = []
    for form, (valid, limits) in objects.items():
        broken += [{form: x} for x in (None, 5, "", [], [valid], {})]
        for name, value in valid.items():
            others = TIMES if name in ("now", "total") else WHOLE
            if name in ("field", "value"):
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
