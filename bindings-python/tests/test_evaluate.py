"""The evaluator: which lines are requests, and the bytes of its answers."""

import json
import subprocess
import sys

import evaluate
import pytest
import vectors
from backoff_rs import Budget, Outcome, Policy

NONE = b'{"error":"not_a_request","at":0}\n'
FULL = b'{"canonical":"exponential:base=100ms,cap=20s,jitter=full","delay_ns":"%d"}\n'


def answer(line):
    return evaluate.answer(line).encode()


REQUESTS = [
    ("all members", b'"seed":"42","key":"job-1","index":3', 83486434),
    ("a seed of zeros", b'"seed":"' + b"0" * 5000 + b'42","key":"job-1","index":3', 83486434),
    ("an index in other forms", b'"seed":"42","key":"job-1","index":0.300e1', 83486434),
    ("an index with a negative exponent", b'"seed":"42","key":"job-1","index":30E-1', 83486434),
    ("the last of repeated members", b'"index":1,"seed":"1","seed":"42","key":7,"key":"job-1","index":3', 83486434),
    ("an index of 0", b'"seed":"42","key":"job-1","index":-0e99999999999999999999', 11399434),
    ("no index", b'"seed":"42","key":"job-1"', 11399434),
    ("an escape", rb'"seed":"42","key":"\u006aob-1"', 11399434),
    ("unknown members", rb'"seed":"42","key":"job-1","x":[1e999999999999999999999,{"\ud83d\ude80":"\\ud800"},' + b"9" * 5000 + b"]", 11399434),
    ("whitespace", b'\t "seed" :\r "42" , "key" : "job-1" ', 11399434),
]  # fmt: skip


@pytest.mark.parametrize(
    ("members", "delay"), [pytest.param(*row, id=fact) for fact, *row in REQUESTS]
)
def test_request(members, delay):
    line = b'{"policy":"full:base=0.1s,cap=20s",' + members + b"}\r\n"
    assert answer(line) == FULL % delay
    assert answer(line.rstrip()) == FULL % delay


def test_defaults():
    expected = answer(b'{"policy":"full:base=100ms,cap=20s","seed":"0","key":null,"index":0}\n')
    assert answer(b'{"policy":"full:base=100ms,cap=20s"}') == expected
    # An empty key is a key.
    assert answer(b'{"policy":"full:base=100ms,cap=20s","key":""}') != expected


POLICIES = [
    (b"full:base=1s,cap=2", b'{"error":"missing_unit","at":18}\n'),
    (b"default", b'{"canonical":"exponential:base=100ms,cap=20s,jitter=full,max_retries=3","delay_ns":"88331081"}\n'),
    (b"constant:base=2s,cap=1s", b'{"error":"cap_below_base","at":21}\n'),
    (b"", b'{"error":"unknown_head","at":0}\n'),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "expected"), POLICIES, ids=[line for line, _ in POLICIES])
def test_policy(policy, expected):
    assert answer(b'{"policy":"' + policy + b'"}\n') == expected


NOT_REQUESTS = [
    b"",
    b"\r",
    b"null",
    b'["none"]',
    b"{}",
    b'{"policy":null}',
    b'{"policy":1}',
    b'{"policy":"none"',
    b'{"policy":"none"}}',
    b'{"policy":"none",}',
    b"{'policy':'none'}",
    b'{"policy":"none","seed":42}',
    b'{"policy":"none","seed":null}',
    b'{"policy":"none","seed":""}',
    b'{"policy":"none","seed":"-1"}',
    b'{"policy":"none","seed":"1e3"}',
    b'{"policy":"none","seed":" 1"}',
    '{"policy":"none","seed":"٣"}'.encode(),
    b'{"policy":"none","seed":"18446744073709551616"}',
    b'{"policy":"none","seed":"' + b"9" * 5000 + b'"}',
    b'{"policy":"none","key":1}',
    b'{"policy":"none","key":false}',
    b'{"policy":"none","index":null}',
    b'{"policy":"none","index":"1"}',
    b'{"policy":"none","index":true}',
    b'{"policy":"none","index":-1}',
    b'{"policy":"none","index":1.5}',
    b'{"policy":"none","index":4294967296}',
    b'{"policy":"none","index":4294967295.5}',
    b'{"policy":"none","index":1e-9}',
    b'{"policy":"none","index":1e999999999999999999999}',
    b'{"policy":"none","index":01}',
    b'{"policy":"none","index":NaN}',
    b'{"policy":"none","x":Infinity}',
    b'{"policy":"none","x":"\x01"}',
    b'{"policy":"none","x":"\xff"}',
    b'{"policy":"none","x":"\xed\xa0\x80"}',
    b'\xef\xbb\xbf{"policy":"none"}',
    rb'{"policy":"none","x":"\ud800"}',
    rb'{"policy":"none","x":"\uDC00\ud800"}',
    rb'{"policy":"none","x":"\ud83d\\\ude80"}',
    rb'{"policy":"none","\udfff":1}',
    rb'{"policy":"\ud800","policy":"none"}',
    b'{"policy":"none","x":' + b"[" * 10**4 + b"]" * 10**4 + b"}",
]


@pytest.mark.parametrize("line", NOT_REQUESTS, ids=[f"{n}" for n in range(len(NOT_REQUESTS))])
def test_not_a_request(line):
    assert answer(line + b"\n") == NONE


def asked(**members):
    """The answer to a request, whose bytes must be those of compact JSON."""
    found = evaluate.answer(json.dumps(members).encode())
    assert found == json.dumps(json.loads(found), separators=(",", ":")) + "\n"
    return json.loads(found)


def has_times(case, *names):
    """Whether these are times of a request, which are at most 2^63 - 1."""
    return all(int(case.get(name) or 0) < 2**63 for name in names)


def is_request(case):
    """Whether a case of decisions can be a request: a key of it is text."""
    if not all(has_times(step, "now", "deadline", "retry_after") for step in case["steps"]):
        return False
    return case["key"] is None or bytes.fromhex(case["key"]).isascii()


@pytest.mark.parametrize(
    "case", [case for case in vectors.cases("decisions") if is_request(case.values[0])]
)
def test_steps(case):
    key = vectors.optional(lambda key: bytes.fromhex(key).decode(), case["key"])
    members = {name: case[name] for name in ["policy", "budget", "seed", "steps"]}
    answered = asked(**members, key=key)
    assert answered["canonical"] == str(Policy.parse(case["policy"]))
    budget = case["budget"]
    assert answered["budget"] == (budget and str(Budget.parse(budget)))
    steps = [step for step in case["steps"] if "answer" in step]
    for step, found in zip(steps, answered["answers"], strict=True):
        retries = found.pop("retries")
        assert retries == step.get("retries", retries)
        assert found == step["answer"]


@pytest.mark.parametrize("case", vectors.cases("previews"))
def test_preview(case):
    names = ["min", "mean", "max", "total_min", "total_mean", "total_max"]
    rows = [[row[name] for name in names] for row in case["rows"]]
    preview = {"first": case["first"], "count": case["count"]}
    assert asked(policy=case["policy"], preview=preview) == {"rows": rows}


@pytest.mark.parametrize(
    "case", [case for case in vectors.cases("fits") if has_times(case.values[0], "total")]
)
def test_fit(case):
    answered = asked(
        policy=case["policy"],
        fit={"field": case["field"], "attempts": case["attempts"], "total": case["total"]},
    )
    if "error" in case:
        error = case["error"]
        expected = {"error": error["code"]} | {
            name: str(error[name]) for name in ["field", "value", "limit"]
        }
        assert answered == expected
    else:
        assert answered == {"canonical": case["canonical"]}


@pytest.mark.parametrize(
    "case", [case for case in vectors.cases("retry_after") if has_times(case.values[0], "now")]
)
def test_retry_after(case):
    answered = asked(retry_after={"value": case["value"], "now": case["now"]}, policy=7)
    assert answered == {"retry_after": case["retry_after"]}


@pytest.mark.parametrize("case", vectors.cases("http_responses"))
def test_response(case):
    answered = asked(response={name: case[name] for name in ["status", "fields", "now"]})
    outcome = Outcome.of_http_status(case["status"])
    assert answered == {"outcome": outcome, "retry_after": case["retry_after"]}


def is_state_request(case):
    return all(has_times(step, "now", "store_now") for step in case["steps"])


@pytest.mark.parametrize(
    "case", [case for case in vectors.cases("budget_states") if is_state_request(case.values[0])]
)
def test_state(case):
    answered = asked(budget=case["budget"], state={"text": case["start"], "events": case["steps"]})
    assert answered["budget"] == str(Budget.parse(case["budget"]))
    for step, found in zip(case["steps"], answered["answers"], strict=True):
        assert found == {name: step[name] for name in ["granted", "holds", "state"]}


@pytest.mark.parametrize("case", vectors.cases("budget_state_texts"))
def test_state_text(case):
    answered = asked(budget=case["budget"], state={"text": case["text"], "events": []})
    assert answered.get("error") == (None if case["valid"] else "not_a_state")


@pytest.mark.parametrize(
    "case", [case for case in vectors.cases("exchanges") if is_state_request(case.values[0])]
)
def test_exchange(case):
    names = ["local", "lease", "fallback", "timeout", "seed", "steps"]
    answered = asked(budget=case["budget"], exchange={name: case[name] for name in names})
    assert answered["local"] == str(Budget.parse(case["local"]))
    for step, found in zip(case["steps"], answered["answers"], strict=True):
        assert found.keys() <= step.keys()
        assert found == {name: step[name] for name in found}
    assert answered["stats"] == case["stats"]


BEGIN = {"do": "begin", "operation": 0, "now": "0"}
FAILED = {"do": "outcome", "operation": 0, "now": "0", "outcome": "timeout"}
CANCEL = {"do": "cancel", "operation": 0, "now": "0"}


def test_errors_of_strings():
    """The policy's comes first."""
    steps = [BEGIN, FAILED]
    assert asked(policy="none", budget="sre:x=1", steps=steps) == {
        "error": "unknown_key", "at": 4, "of": "budget",
    }  # fmt: skip
    assert asked(policy="nope", budget="sre:x=1", steps=steps) == {
        "error": "unknown_head", "at": 0,
    }  # fmt: skip
    assert asked(policy="none", budget="sre:x=1")["delay_ns"] == "0"
    for form in [
        {"preview": {"first": 0, "count": 1}},
        {"fit": {"field": "cap", "attempts": 1, "total": "0"}},
    ]:
        assert asked(policy="nope", **form) == {"error": "unknown_head", "at": 0}


def test_the_first_form_counts():
    preview = {"preview": {"first": 0, "count": 0}}
    fit = {"fit": {"field": "cap", "attempts": 1, "total": "0"}}
    retry_after = {"retry_after": {"value": "1", "now": "0"}}
    assert asked(policy="none", **preview) == {"rows": []}
    # One attempt waits for nothing, whatever the cap.
    assert asked(policy="none", **preview, **fit) == {"canonical": "constant:base=0s"}
    assert asked(policy="none", **preview, **fit, steps=[])["answers"] == []
    assert asked(policy="none", **preview, **fit, steps=1, **retry_after) == {
        "retry_after": "1000000000"
    }
    # Also if it is null.
    assert asked(policy="none", steps=None) == {"error": "not_a_request", "at": 0}


NOT_FORMS = [
    ("preview", row)
    for row in [
        None, [], {}, {"first": 0}, {"count": 1}, {"first": 10001, "count": 1},
        {"first": 0, "count": 1001}, {"first": -1, "count": 1}, {"first": "0", "count": 1},
        {"first": 0.5, "count": 1}, {"first": 0, "count": None},
    ]
] + [
    ("fit", {"field": "base", "attempts": 4, "total": "1"} | row)
    for row in [
        {"field": "floor"}, {"field": None}, {"attempts": -1}, {"attempts": 2**32},
        {"attempts": "4"}, {"total": 1}, {"total": str(2**63)}, {"total": "-1"}, {"total": None},
    ]
] + [
    ("retry_after", {"value": "1", "now": "0"} | row)
    for row in [{"value": None}, {"value": 1}, {"now": 0}, {"now": None}, {"now": str(2**63)}]
] + [
    ("steps", steps)
    for steps in [
        {}, "begin", [None], [[]], [{}], [BEGIN, BEGIN], [FAILED], [CANCEL],
        [BEGIN, FAILED | {"operation": 1}], [BEGIN | {"do": "start"}], [BEGIN | {"do": None}],
        [BEGIN | {"operation": "0"}], [BEGIN | {"operation": 2**32}], [BEGIN | {"now": 0}],
        [BEGIN | {"now": None}], [BEGIN | {"now": str(2**63)}], [BEGIN | {"deadline": 0}],
        [BEGIN | {"deadline": ""}], [BEGIN, FAILED | {"outcome": "cancelled"}],
        [BEGIN, FAILED | {"outcome": 4}], [BEGIN, FAILED | {"outcome": None}],
        [BEGIN, FAILED | {"retry_after": 0}], [BEGIN, FAILED | {"retry_after": "+1"}],
        [BEGIN, {name: FAILED[name] for name in ["do", "operation", "now"]}],
    ]
]  # fmt: skip


EVENT = {"event": "attempt_over", "now": "0"}
REQUEST = {"event": "retry_requested", "now": "0", "outcome": "timeout"}
MEMBER = {"local": "sre", "lease": 1, "fallback": "0", "timeout": "0", "seed": "0", "steps": []}
NOTE = {"do": "note", "now": "0", "event": "attempt_over"}
LOAD = {"do": "step", "now": "0", "store_now": "0"}
NOT_FORMS += [
    ("response", {"status": 200, "fields": "", "now": "0"} | row)
    for row in [{"status": 65536}, {"status": "200"}, {"fields": None}, {"now": 0}]
] + [
    ("state", {"events": [], "text": None} | row)
    for row in [
        {"text": 5}, {"events": None}, {"events": {}}, {"events": [None]}, {"events": [{}]},
        {"events": [EVENT | {"event": "none"}]}, {"events": [EVENT | {"event": 2}]},
        {"events": [EVENT | {"now": 0}]}, {"events": [EVENT | {"held": None}]},
        {"events": [EVENT | {"held": str(2**64)}]}, {"events": [REQUEST | {"outcome": None}]},
        {"events": [REQUEST | {"outcome": "cancelled"}]}, {"events": [REQUEST | {"held": 5}]},
    ]
] + [
    ("exchange", MEMBER | row)
    for row in [
        {"local": None}, {"lease": 0}, {"lease": 1001}, {"lease": "1"}, {"fallback": "1000001"},
        {"fallback": 0}, {"timeout": str(2**63)}, {"timeout": None}, {"seed": str(2**64)},
        {"seed": 0}, {"steps": None}, {"steps": [None]}, {"steps": [{"now": "0"}]},
        {"steps": [{"do": "begin"}]}, {"steps": [{"do": "play", "now": "0"}]},
        {"steps": [NOTE | {"event": None}]}, {"steps": [NOTE | {"local": None}]},
        {"steps": [NOTE | {"times": 0}]}, {"steps": [NOTE | {"times": 100_001}]},
        {"steps": [{"do": "request", "now": "0", "outcome": "refused"}]},
        {"steps": [{"do": "cancel", "now": "0"}]}, {"steps": [LOAD | {"store_now": 0}]},
        {"steps": [LOAD | {"text": 5}]}, {"steps": [{"do": "failed", "now": "0", "stored": 1}]},
    ]
]  # fmt: skip


@pytest.mark.parametrize(("form", "of"), NOT_FORMS, ids=str)
def test_a_form_that_is_not_a_request(form, of):
    """A policy or a budget that does not parse does not matter."""
    for text in ["none", "sre", "nope"]:
        assert asked(policy=text, budget=text, **{form: of}) == {"error": "not_a_request", "at": 0}


def test_steps_that_may_not_come_now():
    def answers(*steps):
        return asked(budget="sre", exchange=MEMBER | {"steps": list(steps)})["answers"]

    begin, stored, lost = ({"do": do, "now": "0"} for do in ["begin", "stored", "lost"])
    failed, unreadable = {"do": "failed", "now": "0", "stored": True}, LOAD | {"text": "x"}
    assert answers(LOAD, stored, lost, failed) == [{"error": "not_now"}] * 4
    for steps in [
        [begin, begin], [begin, stored], [begin, LOAD, lost, stored],
        [begin, LOAD, unreadable, stored], [begin, LOAD, stored, stored], [begin, failed, LOAD],
    ]:  # fmt: skip
        *others, last = answers(*steps)
        assert last == {"error": "not_now"}
        assert not any("error" in answer for answer in others)


def test_budgets_that_are_not_shared():
    assert asked(budget="envoy", exchange=MEMBER) == {
        "error": "not_shared",
        "at": 0,
        "of": "budget",
    }
    local = MEMBER | {"local": "sre:x=1"}
    assert asked(budget="envoy", exchange=local) == {"error": "unknown_key", "at": 4, "of": "local"}
    assert asked(budget="x", exchange=local) == {"error": "unknown_head", "at": 0, "of": "budget"}


def test_members_of_the_forms():
    steps = [BEGIN, FAILED, CANCEL]
    done = asked(policy="none", steps=steps)
    assert done["answers"] == [
        {"wait": "0", "retries": 1},
        {"stop": "cancelled", "delay": "0", "retries": 1},
    ]
    assert asked(policy="none", steps=steps, budget=None, seed="0", key=None, index="x") == done
    for wrong in [{"budget": 1}, {"seed": 0}, {"key": 0}, {"policy": None}]:
        members = {"policy": "none", "steps": steps} | wrong
        assert asked(**members) == {"error": "not_a_request", "at": 0}
    # The other forms ignore them.
    preview = {"first": 0, "count": 1}
    assert asked(policy="none", preview=preview, seed=0, key=0, index="x", budget=1) == {
        "rows": [["0"] * 6]
    }


def test_the_program():
    lines = [b'{"policy":"none"}', *NOT_REQUESTS] * 300 + [b'{"policy":"none"}']
    done = subprocess.run(
        [sys.executable, evaluate.__file__], input=b"\n".join(lines), capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    one = b'{"canonical":"constant:base=0s","delay_ns":"0"}\n'
    assert done.stdout == (one + NONE * len(NOT_REQUESTS)) * 300 + one
