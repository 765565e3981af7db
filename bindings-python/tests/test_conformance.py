"""Every vector: delays at random access, as a batch and by an iterator, and all other layers."""

import contextlib
from array import array
from fractions import Fraction
from itertools import islice

import pytest
import vectors
from backoff_rs import (
    PROXY_STATUSES,
    Backoff,
    Budget,
    BudgetEvent,
    BudgetState,
    Decision,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    RandomStream,
    RetryStats,
    StopReason,
    http_verdict,
    is_idempotent_method,
    parse_retry_after,
)
from backoff_rs._backoff import _Member

#: The outcomes that are retried, in the order of the answers of an exchange.
OUTCOMES = ["transient", "throttled", "timeout"]
DELAYS = ["samples", "growths", "jitters", "caps", "articles"]
STRINGS = ["texts", "text_errors", "presets"]
#: tests/hosts plays the last.
HTTP = ["retry_after", "http_statuses", "http_responses", "http_methods", "http_requests"]
BUDGETS = ["resumptions", "budget_states", "budget_state_texts", "exchanges"]
DECISIONS = ["decisions", *BUDGETS, *HTTP, "previews", "fits", "stats"]


def test_every_file_of_vectors_is_read():
    names = {path.stem for path in vectors.FOLDER.glob("*.json")}
    read = {"draws", "streams", *DELAYS, "resets", "errors", *STRINGS, *DECISIONS}
    assert names == {*read, "loops"}  # test_retry_vectors.py plays the last.


@pytest.mark.parametrize("case", vectors.cases("draws"))
def test_draw(case):
    assert RandomStream(int(case["stream"])).draw(case["index"]) == int(case["draw"])


@pytest.mark.parametrize("case", vectors.cases("streams"))
def test_stream(case):
    stream = vectors.stream(case["seed"], case["key"])
    assert stream.state == int(case["stream"])


@pytest.mark.parametrize("case", vectors.cases(*DELAYS))
def test_at_random_access(case):
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    rows = zip(case["windows"], case["delays"], strict=True)
    for index, (window, delay) in enumerate(rows, case["first"]):
        assert policy.window_ns(index) == int(window)
        assert policy.delay_ns(stream, index) == int(delay)
        # An int divided by an int is the nearest float.
        assert policy.window(index) == int(window) / 10**9
        assert policy.delay(stream, index) == int(delay) / 10**9


@pytest.mark.parametrize("case", vectors.cases(*DELAYS))
def test_as_a_batch(case):
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    expected = [int(delay) for delay in case["delays"]]
    first, count = case["first"], len(expected)
    for typecode in "Qq":
        buffer = array(typecode, [0] * count)
        assert policy.fill_ns(stream, buffer, first) == count
        assert list(buffer) == expected
    assert policy.delays(stream, count, first) == [delay / 10**9 for delay in expected]


FROM_0 = [case for case in vectors.cases(*DELAYS) if case.values[0]["first"] == 0]


@pytest.mark.parametrize("case", FROM_0)
def test_by_an_iterator(case):
    policy, stream = vectors.policy(case["policy"]), vectors.stream(case["seed"], case["key"])
    count = len(case["delays"])
    expected = [int(delay) for delay in case["delays"][: policy.max_retries]]
    backoff = Backoff(policy, stream)
    assert asked(backoff, count) == expected
    assert backoff.index == len(expected)
    in_seconds = list(islice(Backoff(policy, stream), count))
    assert in_seconds == [delay / 10**9 for delay in expected]


def asked(backoff, count):
    """Requests this many delays. A request after the end returns none."""
    delays = []
    for _ in range(count):
        with contextlib.suppress(StopIteration):
            delays.append(backoff.next_ns())
    return delays


@pytest.mark.parametrize("case", vectors.cases("resets"))
def test_reset(case):
    stream = vectors.stream(case["seed"], case["key"])
    policy = vectors.policy(case["policy"])
    backoff, in_seconds = Backoff(policy, stream), Backoff(policy, stream)
    for count, run in zip(case["asked"], case["runs"], strict=True):
        expected = [int(delay) for delay in run]
        # Once more than asked, if it has ended.
        count += count > len(run)
        assert asked(backoff, count) == expected
        assert list(islice(in_seconds, count)) == [delay / 10**9 for delay in expected]
        for iterator in (backoff, in_seconds):
            assert iterator.index == len(expected)
            iterator.reset()
            assert iterator.index == 0
    assert backoff.stream == in_seconds.stream == RandomStream(int(case["stream"]))


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
    parse = PARSE[case["of"]]
    assert str(parse(case["text"])) == case["canonical"]
    assert str(parse(case["canonical"])) == case["canonical"]
    if case["of"] == "policy":
        policy = Policy.parse(case["text"])
        assert policy == vectors.policy(case["policy"]) == Policy.parse(case["canonical"])
        for name, text in case["policy"].items():
            check_field(policy, name, text)
    else:
        check_fields_of(Budget.parse(case["text"]))


#: The numbers that mean no limit, which None stands for.
NO_LIMITS = {"max_retries": 2**32, "max_attempts": 2**32 + 1} | dict.fromkeys(
    ["cap", "max_elapsed", "retry_after_max", "retry_after_max_extra"], 2**63 - 1
)


def check_field(policy, name, text):
    """The property has the value of the vector, a duration as the nearest float of seconds."""
    if text == str(NO_LIMITS.get(name)):
        assert getattr(policy, name) is None
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


@pytest.mark.parametrize("case", vectors.cases("presets"))
def test_preset(case):
    for text in (case["preset"], case["string"]):
        made = PARSE[case["of"]](text)
        assert str(made) == case["canonical"]
        for index, window in enumerate(case.get("windows", [])):
            assert made.window_ns(index) == int(window)
        if case["of"] == "budget":
            check_fields_of(made)


@pytest.mark.parametrize("case", vectors.cases("decisions"))
def test_decisions(case):
    policy, stream = Policy.parse(case["policy"]), vectors.stream(case["seed"], case["key"])
    budget = vectors.optional(Budget.parse, case["budget"])
    operations = {}
    for step in case["steps"]:
        now = int(step["now"])
        if step["do"] == "begin":
            deadline = vectors.optional(int, step["deadline"])
            operations[step["operation"]] = Operation(
                policy, stream, now_ns=now, deadline_ns=deadline, budget=budget
            )
            continue
        operation, answer = operations[step["operation"]], step["answer"]
        stop = vectors.optional(StopReason, answer.get("stop"))
        if step["do"] == "cancel":
            assert operation.cancel() is stop
        else:
            retry_after = vectors.optional(vectors.seconds, step["retry_after"])
            decision = operation.decide(step["outcome"], now_ns=now, retry_after=retry_after)
            delay = int(answer["delay" if stop else "wait"])
            assert decision == Decision(delay, stop)
            assert decision.delay == delay / 10**9
            assert bool(decision) is (stop is None)
            assert operation.retries == step["retries"]
        assert operation.attempts == operation.retries + 1
        assert operation.reason is stop


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


@pytest.mark.parametrize("case", vectors.cases("budget_states"))
def test_budget_states(case):
    budget = Budget.parse(case["budget"])
    start = case["start"]
    state = BudgetState.full(budget) if start is None else BudgetState.parse(budget, start)
    for step in case["steps"]:
        before, text = state, str(state)
        event = BudgetEvent(step["event"])
        outcome, held = vectors.optional(Outcome, step["outcome"]), int(step["held"])
        state, granted, holds = state.step(
            event, now_ns=int(step["now"]), outcome=outcome, held=held
        )
        assert str(before) == text
        assert (granted, holds) == (bool(step["granted"]), int(step["holds"]))
        assert str(state) == step["state"]
        assert state.version == int(step["state"].split()[0])
        again = BudgetState.parse(budget, step["state"])
        assert (again, hash(again)) == (state, hash(state))


@pytest.mark.parametrize("case", vectors.cases("exchanges"))
def test_exchanges(case):
    budget, local = Budget.parse(case["budget"]), Budget.parse(case["local"])
    numbers = [int(case[name]) for name in ("lease", "fallback", "timeout", "seed")]
    member = _Member(budget, local, *numbers)
    for step in case["steps"]:
        for _ in range(step.get("times", 1)):
            play(member, step, int(step["now"]))
        now = int(step["now"])
        due_in = None if step["due_in"] is None else int(step["due_in"])
        state = member.is_away(now), member.due_in(now), member.has_unsent()
        assert state == (step["away"], due_in, step["unsent"])
        assert member.timeout_ns() == int(step["timeout"])
    assert {name: str(count) for name, count in member.stats()} == case["stats"]


def play(member, step, now):
    match step["do"]:
        case "note":
            member.note(step["event"], int(step["held"]), step["local"], now)
        case "request":
            answer = member.request(step["outcome"], now)
            granted, held, local = step["answer"] == "granted", int(step["held"]), step["local"]
            assert answer == (None if step["answer"] == "waits" else (granted, held, local))
        case "cancel":
            member.cancel(step["outcome"])
        case "begin":
            member.begin(now)
        case "step":
            found = member.step(step["text"], int(step["store_now"]))
            if step["after"] is None:
                assert found is None
                return
            assert found == (step["after"], step["changed"])
            names = ["event", "outcome", "held", "count", "granted"]
            steps = [dict(zip(names, row, strict=True)) for row in member.steps()]
            for row in steps:
                row |= {name: str(row[name] or 0) for name in ["held", "count", "granted"]}
            assert steps == step["steps"]
        case "stored":
            rows = zip(OUTCOMES, step["granted"], step["refused"], step["held"], strict=True)
            assert member.stored(now) == [(name, *map(int, numbers)) for name, *numbers in rows]
        case "lost":
            assert member.lost(now) == vectors.optional(int, step["wait"])
        case "failed":
            member.failed(step["stored"], now)
        case "late":
            member.late(now)
        case unknown:
            pytest.fail(unknown)


@pytest.mark.parametrize("case", vectors.cases("budget_state_texts"))
def test_budget_state_texts(case):
    budget = Budget.parse(case["budget"])
    if case["valid"]:
        assert str(BudgetState.parse(budget, case["text"])) == case["text"]
    else:
        with pytest.raises(PolicyError, match="is not a state of the budget") as raised:
            BudgetState.parse(budget, case["text"])
        assert (raised.value.code, raised.value.field) == ("not_a_state", "text")


@pytest.mark.parametrize("case", vectors.cases("retry_after"))
def test_retry_after(case):
    retry_after_ns = vectors.optional(int, case["retry_after"])
    retry_after = vectors.optional(lambda ns: ns / 10**9, retry_after_ns)
    now = vectors.seconds(case["now"])
    for value in (case["value"], case["value"].encode()):
        assert parse_retry_after(value, now=now) == retry_after


@pytest.mark.parametrize("case", vectors.cases("http_statuses"))
def test_http_status(case):
    outcome = Outcome.of_http_status(case["status"])
    assert type(outcome) is Outcome
    assert outcome == case["outcome"]
    assert PROXY_STATUSES.get(case["status"]) == case["proxy_outcome"]


class Fields(list):
    def items(self):
        return self


@pytest.mark.parametrize("case", vectors.cases("http_responses"))
def test_http_response(case):
    fields = [line.removesuffix("\r").partition(":") for line in case["fields"].split("\n")]
    # As the headers of a client that keeps each field.
    headers = Fields([(name, value) for name, colon, value in fields if colon])
    verdict = http_verdict(case["status"], headers, now=vectors.seconds(case["now"]))
    assert verdict.outcome is Outcome.of_http_status(case["status"])
    wait_ns = vectors.optional(int, case["retry_after"])
    assert verdict.retry_after == vectors.optional(lambda ns: ns / 10**9, wait_ns)


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


@pytest.mark.parametrize("case", vectors.cases("http_methods"))
def test_http_method(case):
    assert is_idempotent_method(case["method"]) is case["idempotent"]


@pytest.mark.parametrize("case", vectors.cases("previews"))
def test_preview(case):
    first, count = case["first"], case["count"]
    rows = list(islice(Policy.parse(case["policy"]).preview(first + count), first, None))
    assert len(rows) == len(case["rows"])
    for row, expected in zip(rows, case["rows"], strict=True):
        for name, text in expected.items():
            assert getattr(row, f"{name}_ns") == int(text)
            assert getattr(row, name) == int(text) / 10**9


@pytest.mark.parametrize("case", vectors.cases("fits"))
def test_fit(case):
    policy = Policy.parse(case["policy"])
    fit = {"base": policy.fit_base, "cap": policy.fit_cap}[case["field"]]
    attempts, total = int(case["attempts"]), vectors.seconds(case["total"])
    if "error" in case:
        with pytest.raises(PolicyError) as caught:
            fit(attempts, total)
        check(caught.value, case["error"])
    else:
        assert str(fit(attempts, total)) == case["canonical"]


@pytest.mark.parametrize("case", vectors.cases("stats"))
def test_stats(case):
    stats, more = RetryStats(), RetryStats()
    for counted, records in ((stats, case["records"]), (more, case["more"])):
        for attempts, reason, times in records:
            for _ in range(int(times)):
                counted.record(int(attempts), reason)
    stats += more
    assert stats.prometheus() == case["text"]
