"""The vectors: all requests of the line protocol, and what it does not ask."""

import json
from array import array
from fractions import Fraction
from itertools import islice
from types import SimpleNamespace

import evaluate
import pytest
import vectors
from backoff_rs import (
    PROXY_STATUSES,
    Backoff,
    Budget,
    Decision,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    RandomStream,
    RetryStats,
    SharedBudget,
    StopReason,
    http_verdict,
    is_idempotent_method,
    parse_retry_after,
)

LINES = (vectors.FOLDER / "requests.jsonl").read_text("utf-8").splitlines()
REQUESTS = [row for row in map(json.loads, LINES) if "asked" in row]
DELAYS = ["samples", "growths", "jitters", "caps", "articles"]


def test_every_file_of_vectors_is_read():
    names = {path.stem for path in vectors.FOLDER.glob("*.json")}
    asked = {row["id"].split("/")[0] for row in REQUESTS} - {"protocol"}
    # Other tests play the last two, and the defaults.
    others = {"budget_levels", "defaults", "ratios", "stats_labels", "loops", "http_requests"}
    assert names - asked == {"resumptions", "http_methods", "stats", *others}


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in REQUESTS])
def test_request(row):
    for _, line, answer in row["asked"]:
        line = line.encode() if isinstance(line, str) else bytes(line)
        assert evaluate.answer(line) == answer + "\n"


@pytest.mark.parametrize("case", vectors.cases("draws"))
def test_draw(case):
    assert RandomStream(int(case["stream"])).draw(case["index"]) == int(case["draw"])


@pytest.mark.parametrize("case", vectors.cases("streams"))
def test_stream(case):
    stream = vectors.stream(case["seed"], case["key"])
    assert stream.state == int(case["stream"])


@pytest.mark.parametrize("case", vectors.cases(*DELAYS))
def test_seconds(case):
    """An int divided by an int is the nearest float."""
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    first, windows = case["first"], [int(window) / 10**9 for window in case["windows"]]
    delays = [int(delay) / 10**9 for delay in case["delays"]]
    indices = range(first, first + len(delays))
    assert [policy.window(index) for index in indices] == windows
    assert [policy.delay(stream, index) for index in indices] == delays
    assert policy.delays(stream, len(delays), first) == delays
    signed = array("q", [0] * len(delays))
    assert policy.fill_ns(stream, signed, first) == len(delays)
    assert list(signed) == list(map(int, case["delays"]))
    if first == 0:
        backoff = Backoff(policy, stream)
        assert list(islice(backoff, len(delays))) == delays[: policy.max_retries]
        assert backoff.index == len(delays[: policy.max_retries])


@pytest.mark.parametrize("case", vectors.cases("errors"))
def test_error(case):
    expected = case["error"]
    with pytest.raises(PolicyError) as caught:
        vectors.policy(case["policy"])
    error = caught.value
    assert (error.code, error.field) == (expected["code"], expected["field"])
    if error.code == "unknown_kind":
        # Kinds are names here: the vector's number becomes an unknown name, whose value is 0.
        assert error.value == 0
        return
    check(error, expected)


def check(error, expected):
    facts = (error.code, error.field, error.value, error.limit)
    value, limit = int(expected["value"]), int(expected["limit"])
    assert facts == (expected["code"], expected["field"], value, limit)
    assert (error.at, error.found) == (expected.get("at"), expected.get("found"))
    assert str(error) == expected["message"]


PARSE = {"policy": Policy.parse, "budget": Budget.parse}


@pytest.mark.parametrize("case", vectors.cases("texts"))
def test_text(case):
    if case["of"] == "policy":
        policy = Policy.parse(case["text"])
        assert policy == vectors.policy(case["policy"]) == Policy.parse(case["canonical"])
        for name, text in case["policy"].items():
            check_field(policy, name, text)
    else:
        check_fields_of(Budget.parse(case["text"]))


#: The numbers that mean no limit, which None stands for.
NO_LIMITS = {"max_retries": 2**32, "max_attempts": 2**32 + 1} | dict.fromkeys(
    [
        "cap",
        "max_elapsed",
        "retry_after_max",
        "retry_after_max_extra",
        "attempt_timeout",
        "reset_after",
    ],
    2**63 - 1,
)


def check_field(policy, name, text):
    """The property has the value of the vector, a duration as the nearest float of seconds."""
    if text == str(NO_LIMITS.get(name)):
        assert getattr(policy, name) is None
    elif isinstance(text, list):
        assert getattr(policy, name) == tuple(float(wait) for wait in vectors.value(name, text))
    elif name in vectors.RATIOS:
        assert getattr(policy, name) == Fraction(text)
    else:
        value = vectors.value(name, text)
        assert getattr(policy, name) == (float(value) if isinstance(value, Fraction) else value)


#: The unit of each field of a budget, as a budget string writes it.
BUDGET_FIELDS = {
    "max_tokens": "", "cost": "", "cost_throttled": "", "cost_timeout": "", "ratio": "",
    "per": "s", "ttl": "s", "min_per_second": "", "min_concurrent": "",
}  # fmt: skip


def check_fields_of(budget):
    """The properties of a budget make an equal one."""
    values = {name: getattr(budget, name) for name in BUDGET_FIELDS}
    pairs = (
        f"{name}={value:.9f}s" if BUDGET_FIELDS[name] else f"{name}={value}"
        for name, value in values.items()
        if value is not None
    )
    assert str(Budget.parse(f"{budget.kind}:{','.join(pairs)}")) == str(budget)


@pytest.mark.parametrize("case", vectors.cases("text_errors"))
def test_text_error(case):
    with pytest.raises(PolicyError) as caught:
        PARSE[case["of"]](case["text"])
    check(caught.value, case["error"])


@pytest.mark.parametrize("case", vectors.cases("resumptions"))
def test_resumed_operations(case):
    operation = Operation.resume(
        Policy.parse(case["policy"]),
        RandomStream(int(case["stream"])),
        int(case["retries"]),
        began_ns=int(case["begun"]),
        deadline_ns=vectors.optional(int, case["deadline"]),
    )
    retry_after = vectors.optional(vectors.seconds, case["retry_after"])
    decision = operation.decide(case["outcome"], now_ns=int(case["now"]), retry_after=retry_after)
    answer = case["answer"]
    stop = vectors.optional(StopReason, answer.get("stop"))
    assert decision == Decision(int(answer["delay" if stop else "wait"]), stop)
    assert operation.retries == int(case["retries_after"])
    assert operation.refuse_retry() is StopReason(case["refused"])
    assert operation.retries == int(case["retries_refused"])


@pytest.mark.parametrize("case", vectors.cases("retry_after"))
def test_retry_after(case):
    retry_after_ns = vectors.optional(int, case["retry_after"])
    retry_after = vectors.optional(lambda ns: ns / 10**9, retry_after_ns)
    now = vectors.seconds(case["now"])
    for value in (case["value"], case["value"].encode()):
        assert parse_retry_after(value, now=now) == retry_after


@pytest.mark.parametrize("case", vectors.cases("http_statuses"))
def test_proxy_status(case):
    assert type(Outcome.of_http_status(case["status"])) is Outcome
    assert PROXY_STATUSES.get(case["status"]) == case["proxy_outcome"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("\udce9", None), ("caf\xe9", None), ("2, \udce9", 2.0), ("x" * 1023 + "\udce9", None)],
)
def test_an_http_response_with_other_bytes_than_ascii(value, seconds):
    """As aiohttp reads them. They have no meaning."""
    for name in ("Retry-After", "retry-after-ms", "RateLimit-Reset"):
        for status in (200, 429, 503):
            http_verdict(status, {name: value})
    assert http_verdict(503, {"Retry-After": value}).retry_after == seconds
    assert parse_retry_after(value) == seconds


def test_an_http_response_without_headers():
    verdict = http_verdict(503)
    assert (verdict.outcome, verdict.retry_after) == ("throttled", None)


@pytest.mark.parametrize(
    ("headers", "what"), [({b"Retry-After": "3"}, "names"), ({"Retry-After": b"3"}, "values")]
)
def test_headers_that_are_bytes(headers, what):
    with pytest.raises(TypeError, match=f"the {what} of headers must be str, not bytes"):
        http_verdict(503, headers)


def test_headers_that_are_pairs():
    with pytest.raises(TypeError, match="headers must be a mapping of names, not list"):
        http_verdict(503, [("Retry-After", "3")])


@pytest.mark.parametrize("case", vectors.cases("http_methods"))
def test_http_method(case):
    assert is_idempotent_method(case["method"]) is case["idempotent"]


@pytest.mark.parametrize("case", vectors.cases("previews"))
def test_seconds_of_a_preview(case):
    for row in islice(Policy.parse(case["policy"]).preview(case["first"] + 20), 20):
        for name in evaluate.ROW:
            assert getattr(row, name) == getattr(row, f"{name}_ns") / 10**9


@pytest.mark.parametrize("case", [row for row in vectors.cases("fits") if "error" in row.values[0]])
def test_an_error_of_a_fit(case):
    policy = Policy.parse(case["policy"])
    with pytest.raises(PolicyError) as caught:
        getattr(policy, f"fit_{case['field']}")(
            int(case["attempts"]), vectors.seconds(case["total"])
        )
    check(caught.value, case["error"])


@pytest.mark.parametrize("case", vectors.cases("ratios"))
def test_ratio_of_a_float(case):
    field = case["field"]
    jitter = "none" if field == "multiplier" else "proportional"
    fields = {"growth": "exponential", "base": 1, "jitter": jitter, field: float(case["number"])}
    if case["ratio"] is None:
        with pytest.raises(PolicyError, match="has a term above 1000000"):
            Policy(**fields)
    else:
        assert getattr(Policy(**fields), field) == Fraction(case["ratio"])


@pytest.mark.parametrize("case", vectors.cases("stats"))
def test_stats(case):
    stats, more = RetryStats(), RetryStats()
    for counted, records in ((stats, case["records"]), (more, case["more"])):
        for attempts, reason, times in records:
            for _ in range(int(times)):
                counted.record(int(attempts), reason)
    stats += more
    assert stats.prometheus() == case["text"]


@pytest.mark.parametrize("case", vectors.cases("stats_labels"))
def test_labels_of_stats(case):
    stats = RetryStats()
    for attempts, reason, times in case["records"]:
        for _ in range(int(times)):
            stats.record(int(attempts), reason)
    labels = dict(case["labels"])
    if len(labels) < len(case["labels"]):
        return  # a mapping has a name once
    if case["text"] is None:
        with pytest.raises(ValueError, match=r"cannot (begin the name|be the name)"):
            stats.prometheus(prefix=case["prefix"], labels=labels)
        return
    assert stats.prometheus(prefix=case["prefix"], labels=labels) == case["text"]


@pytest.mark.parametrize("case", vectors.cases("budget_levels"))
def test_levels_of_budgets(case):
    policy, budget, operations = Policy.parse("constant:base=0s"), Budget.parse(case["budget"]), {}
    store, shared = SimpleNamespace(load=print, compare_and_swap=print), None
    if budget.kind != "concurrent":
        shared = SharedBudget(store, "test", case["budget"])
    for step in case["steps"]:
        now, number = int(step["now"]), step.get("operation")
        match step["do"]:
            case "begin":
                operations[number] = Operation(policy, RandomStream(0), now_ns=now, budget=budget)
            case "outcome":
                operations[number].decide(step["outcome"], now_ns=now)
            case "cancel":
                operations[number].cancel()
            case "level":
                exact = tuple(int(step[name]) for name in ("level", "max", "unit"))
                level = budget.level(now)
                assert level == exact
                assert (level.left, level.most) == (exact[0] / exact[2], exact[1] / exact[2])
                if shared is not None:
                    store.load = lambda _key, loaded=(step["state"], now): loaded
                    assert shared.level() == exact
