"""Invalid arguments: which exception, its message, and that nothing is changed by it."""

import contextlib
import math
import operator
from array import array
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from backoff_rs import (
    Backoff,
    Budget,
    Decision,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    PreviewRow,
    RandomStream,
    RetryStats,
    SharedBudget,
    StopReason,
    parse_retry_after,
)

MAX_NS = 2**63 - 1
POLICY = Policy("exponential", base=0.1, cap=20, jitter="full")
STREAM = RandomStream(42, "job-1")
OPERATION = Operation(POLICY, STREAM, now_ns=0)
STATS = RetryStats()
STORE = SimpleNamespace(load=print, compare_and_swap=print)
SECONDS = "base must be seconds (int, float, Decimal or Fraction) or a timedelta, not "
RATIO = "multiplier must be a float, int, Decimal, Fraction or a pair of ints, not "

FIELDS = (
    "growth, base, increment, multiplier, power, origin, offset, cap, cap_on, floor, jitter, "
    "jitter_below, jitter_above, jitter_max, jitter_increment, jitter_slot, max_retries, "
    "max_attempts, max_elapsed, throttled_base, retry_after, retry_after_max, retry_after_max_extra, "
    "waits, attempt_timeout, reset_after, elapsed_from"
)

NO_CONSTRUCTOR = "Budget has no constructor; Budget.parse(text) makes one"

NOW = (
    "now must be seconds since 1970 (int, float, Decimal or Fraction) or a datetime with a time "
    "zone, not "
)


WRONG_TYPES = [
    (lambda: Policy("constant", base=True), SECONDS + "bool"),
    (lambda: Policy("constant", base="1s"), SECONDS + "str"),
    (lambda: Policy("exponential", base=1, multiplier=True), RATIO + "bool"),
    (lambda: Policy("exponential", base=1, multiplier=(1.0, 2)), RATIO + "tuple"),
    (lambda: Policy("exponential", base=1, multiplier=(True, 2)), RATIO + "tuple"),
    (lambda: Policy("polynomial", base=1, power=2.0), "power must be an int, not float"),
    (lambda: Policy("polynomial", base=1, power=True), "power must be an int, not bool"),
    (lambda: Policy("constant", base=1, jitter=1), "jitter must be a str, not int"),
    (lambda: Policy(1, base=1), "growth must be a str, not int"),
    (
        lambda: Policy("constant", base=1, cpa=2),
        f"Policy() has no field 'cpa'; the fields are {FIELDS}",
    ),
    (
        lambda: Policy("constant", 1),
        "Policy() takes 1 positional argument, the growth, but 2 were given",
    ),
    (lambda: Policy("constant", growth="linear", base=1), "Policy() got growth twice"),
    (lambda: RandomStream(True), "seed must be an int, not bool"),
    (lambda: RandomStream(1.0), "seed must be an int, not float"),
    (lambda: RandomStream(1, True), "key must be a str, bytes-like, an int or a UUID, not bool"),
    (
        lambda: Policy("full", base=1, retries=3),
        f"Policy() has no field 'retries'; did you mean max_retries=N? The fields are {FIELDS}",
    ),
    (
        lambda: POLICY.replace(cap_one=3),
        f"replace() has no field 'cap_one'; did you mean cap_on? The fields are {FIELDS}",
    ),
    (lambda: POLICY.replace(waits=5), "waits must be an iterable of durations, not int"),
    (lambda: POLICY.replace(waits={1}), "waits must be an iterable of durations, not set"),
    (
        lambda: OPERATION.decide("transient", now_ns=0, delay="5s"),
        "delay must be seconds (int, float, Decimal or Fraction) or a timedelta, not str",
    ),
    (
        lambda: RandomStream(1, None),
        "key must be a str, bytes-like, an int or a UUID, not NoneType",
    ),
    (
        lambda: RandomStream(1, array("I", [2])),
        "key must be a str, bytes-like, an int or a UUID, not array.array",
    ),
    (lambda: POLICY.delay(STREAM, True), "index must be an int, not bool"),
    (lambda: POLICY.delay_ns(STREAM, 1.0), "index must be an int, not float"),
    (lambda: POLICY.delays(STREAM, 1.5), "count must be an int, not float"),
    (lambda: POLICY.delay_ns(POLICY, 0), "stream must be a RandomStream, not backoff_rs.Policy"),
    (lambda: Backoff("full"), "policy must be a Policy, not str"),
    (lambda: Backoff(POLICY, 42), "stream must be a RandomStream, not int"),
    (lambda: Policy("constant", base=1, max_retries=5.0), "max_retries must be an int, not float"),
    (
        lambda: Policy("constant", base=1, retry_after=2),
        "retry_after must be a str, not int",
    ),
    (lambda: Policy.parse(b"none"), "text must be a str, not bytes"),
    (lambda: Budget.parse(["sre"]), "text must be a str, not list"),
    (lambda: POLICY.preview(1.5), "count must be an int, not float"),
    (lambda: POLICY.fit_base("4", 1), "max_attempts must be an int, not str"),
    (lambda: POLICY.fit_cap(4, "1s"), SECONDS.replace("base", "max_elapsed") + "str"),
    (lambda: Budget(), NO_CONSTRUCTOR),
    (lambda: Budget("sre", text="sre"), NO_CONSTRUCTOR),
    (lambda: Outcome.of_http_status("200"), "status must be an int, not str"),
    (lambda: Operation("full", STREAM, now_ns=0), "policy must be a Policy, not str"),
    (lambda: Operation(POLICY, 42, now_ns=0), "stream must be a RandomStream, not int"),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, budget="sre"),
        "budget must be a Budget, not str",
    ),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, budget=SharedBudget(STORE, "a", "sre")),
        "budget must be a Budget, not backoff_rs.SharedBudget: only retry and retrying take one",
    ),
    (lambda: Operation(POLICY, STREAM, now_ns=0.5), "now_ns must be an int, not float"),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, deadline_ns=1.0),
        "deadline_ns must be an int, not float",
    ),
    (lambda: OPERATION.decide(2, now_ns=0), "outcome must be an Outcome or its name, not int"),
    (
        lambda: OPERATION.decide(StopReason.SUCCESS, now_ns=0),
        "outcome must be an Outcome or its name, not backoff_rs.StopReason",
    ),
    (lambda: OPERATION.decide("timeout", now_ns=True), "now_ns must be an int, not bool"),
    (
        lambda: OPERATION.decide("timeout", now_ns=0, retry_after="1"),
        SECONDS.replace("base", "retry_after") + "str",
    ),
    (lambda: STATS.record(1.0, "success"), "attempts must be an int, not float"),
    (
        lambda: STATS.record(1, None),
        "reason must be a StopReason or its name, not NoneType",
    ),
    (
        lambda: STATS.record(1, Outcome.SUCCESS),
        "reason must be a StopReason or its name, not backoff_rs.Outcome",
    ),
    (
        lambda: Decision(1, Outcome.SUCCESS),
        "reason must be a StopReason or its name, not backoff_rs.Outcome",
    ),
    (lambda: STATS.merge(1), "other must be a RetryStats, not int"),
    (
        lambda: operator.iadd(STATS, 1),
        "unsupported operand type(s) for +=: 'backoff_rs.RetryStats' and 'int'",
    ),
    (lambda: parse_retry_after(120), "header must be a str or bytes, not int"),
    (lambda: parse_retry_after("1", now="1"), NOW + "str"),
    (lambda: parse_retry_after("1", now=timedelta(1)), NOW + "datetime.timedelta"),
    (lambda: parse_retry_after("1", now=True), NOW + "bool"),
    (
        lambda: parse_retry_after("1", now=datetime(2026, 1, 1)),
        "now must have a time zone",
    ),
]


@pytest.mark.parametrize(
    ("call", "message"),
    [pytest.param(*row, id=f"{i}-{row[1][:40]}") for i, row in enumerate(WRONG_TYPES)],
)
def test_wrong_type(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


OUT_OF_RANGE = [
    (lambda: POLICY.delay(STREAM, -1), "negative", "index", -1, 0),
    (lambda: Outcome.of_http_status(2**16), "too_large", "status", 2**16, 2**16 - 1),
    (lambda: Outcome.of_http_status(-1), "negative", "status", -1, 0),
    (lambda: POLICY.delay_ns(STREAM, 2**32), "too_large", "index", 2**32, 2**32 - 1),
    (lambda: STREAM.draw(2**32), "too_large", "index", 2**32, 2**32 - 1),
    (lambda: POLICY.delays(STREAM, -1), "negative", "count", -1, 0),
    (lambda: POLICY.delays(STREAM, 2**64), "too_large", "count", 2**64, 2**64 - 1),
    (lambda: POLICY.delays(STREAM, 1, 2**32), "too_large", "first", 2**32, 2**32 - 1),
    (lambda: POLICY.fill_ns(STREAM, array("Q"), -1), "negative", "first", -1, 0),
    (lambda: RandomStream(-1), "negative", "seed", -1, 0),
    (lambda: RandomStream(2**64), "too_large", "seed", 2**64, 2**64 - 1),
    (lambda: RandomStream(1, "a\ud800"), "not_unicode", "key", "a\ud800", 0),
    (lambda: POLICY.preview(-1), "negative", "count", -1, 0),
    (lambda: POLICY.fit_base(0, 1), "too_small", "max_attempts", 0, 1),
    (lambda: POLICY.fit_base(65537, 1), "too_large", "max_attempts", 65537, 65536),
    (lambda: POLICY.fit_cap(2**70, 1), "too_large", "max_attempts", 2**70, 65536),
    (lambda: POLICY.fit_cap(4, 1e300), "too_large", "max_elapsed", 1e300, MAX_NS),
    (
        lambda: Operation(POLICY, STREAM, now_ns=0, deadline_ns=2**64),
        "too_large", "deadline_ns", 2**64, 2**64 - 1,
    ),
    (lambda: OPERATION.decide("sucess", now_ns=0), "unknown_outcome", "outcome", "sucess", 0),
    (lambda: OPERATION.decide("a\ud800", now_ns=0), "unknown_outcome", "outcome", "a\ud800", 0),
    (lambda: OPERATION.decide("timeout", now_ns=-1), "negative", "now_ns", -1, 0),
    (
        lambda: OPERATION.decide("timeout", now_ns=0, retry_after=-math.inf),
        "not_finite", "retry_after", -math.inf, 0,
    ),
    (lambda: OPERATION.decide("timeout", now_ns=0, retry_after=1e-10), "too_small", "retry_after", 1e-10, 1),
    (lambda: STATS.record(2**64, "success"), "too_large", "attempts", 2**64, 2**64 - 1),
    (lambda: STATS.record(1, "timeout"), "unknown_reason", "reason", "timeout", 0),
    (lambda: Decision(2**63), "too_large", "delay_ns", 2**63, MAX_NS),
    (lambda: Decision(1, "ok"), "unknown_reason", "reason", "ok", 0),
    (
        lambda: PreviewRow(1, 2, 3, 4, 5, 2**63),
        "too_large", "total_max_ns", 2**63, MAX_NS,
    ),
    (lambda: parse_retry_after("1", now=-1), "negative", "now", -1, 0),
    (lambda: parse_retry_after("1", now=2**35), "too_large", "now", 2**35, 2**64 - 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "code", "field", "value", "limit"),
    [pytest.param(*row, id=f"{row[2]}-{row[1]}-{i}") for i, row in enumerate(OUT_OF_RANGE)],
)
def test_out_of_range(call, code, field, value, limit):
    with pytest.raises(PolicyError) as caught:
        call()
    error = caught.value
    assert (error.code, error.field, error.value, error.limit) == (code, field, value, limit)
    in_seconds = field in {"max_elapsed", "retry_after", "now"} and code != "not_finite"
    assert str(error).startswith(f"{field} {value!r}{'s' if in_seconds else ''} ")


@pytest.mark.parametrize(
    ("now", "code", "limit"),
    [
        (datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), "negative", 0),
        (datetime(9999, 1, 1, tzinfo=UTC), "too_large", 2**64 - 1),
    ],
    ids=["negative", "too_large"],
)
def test_a_datetime_out_of_range(now, code, limit):
    with pytest.raises(PolicyError, match=r"^now datetime\.datetime\(") as caught:
        parse_retry_after("1", now=now)
    error = caught.value
    assert (error.code, error.field, error.value, error.limit) == (code, "now", now, limit)


class Showing(str):
    """A str with a repr of its own."""

    __slots__ = ()

    def __repr__(self):
        return str.__str__(self)


Control = type("Con\ntrol\x1b[2J", (), {"__repr__": lambda _: "a\nb\r\x1b[2J\x00\u2028\u202e'ż\\"})
ESCAPED = r"a\nb\r\x1b[2J\x00\u2028\u202e'ż" + "\\"
LONG = Showing("\n" * 100)

CONTROLS = [
    (lambda: Policy("constant", base=Control()), TypeError, r"Con\ntrol\x1b[2J"),
    (lambda: RandomStream(1, Control()), TypeError, r"Con\ntrol\x1b[2J"),
    (lambda: Operation(Control(), STREAM, now_ns=0), TypeError, r"Con\ntrol\x1b[2J"),
    (lambda: Policy(Showing(repr(Control())), base=1), PolicyError, f"growth {ESCAPED} is unknown"),
    (lambda: Policy("constant", base=1, **{Showing("a\nb"): 1}), TypeError, r"no field a\nb;"),
    (lambda: OPERATION.decide(LONG, now_ns=0), PolicyError, "outcome " + r"\n" * 60 + "... is"),
]


@pytest.mark.parametrize(
    ("call", "error", "part"),
    [pytest.param(*row, id=str(at)) for at, row in enumerate(CONTROLS)],
)
def test_a_message_is_one_printable_line(call, error, part):
    with pytest.raises(error) as caught:
        call()
    assert part in str(caught.value)
    assert str(caught.value).isprintable()


class Index:
    """An object whose __index__ counts its calls."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.calls = 0

    def __index__(self):
        self.calls += 1
        if isinstance(self.outcome, type):
            raise self.outcome
        return self.outcome


INDEXED = [
    ("power", lambda value: Policy("polynomial", base=1, power=value)),
    ("origin", lambda value: Policy("polynomial", base=1, origin=value)),
    ("multiplier", lambda value: Policy("exponential", base=1, multiplier=value)),
    ("base", lambda value: Policy("exponential", base=value)),
    ("seed", RandomStream),
    ("index", STREAM.draw),
    ("first", lambda value: POLICY.delays(STREAM, 1, value)),
    ("count", lambda value: POLICY.delays(STREAM, value)),
    ("max_retries", lambda value: Policy("constant", base=1, max_retries=value)),
    ("max_attempts", lambda value: POLICY.fit_base(value, 1)),
    ("now_ns", lambda value: OPERATION.decide("success", now_ns=value)),
    ("deadline_ns", lambda value: Operation(POLICY, STREAM, now_ns=0, deadline_ns=value)),
    ("retry_after", lambda value: OPERATION.decide("timeout", now_ns=0, retry_after=value)),
    ("attempts", lambda value: STATS.record(value, "success")),
]


@pytest.mark.parametrize(("field", "call"), [pytest.param(*row, id=row[0]) for row in INDEXED])
def test_index_is_called_once_and_its_exceptions_pass_through(field, call):
    good = Index(2)
    call(good)
    assert good.calls == 1
    below = Index(-1)
    # A negative retry_after counts as 0.
    is_0 = contextlib.nullcontext()
    rejected = pytest.raises(PolicyError, match=f"^{field} .* is below 0")
    with is_0 if field == "retry_after" else rejected:
        call(below)
    assert below.calls == 1
    for exception in (KeyboardInterrupt, MemoryError, ValueError):
        with pytest.raises(exception) as caught:
            call(Index(exception))
        assert caught.type is exception
    for wrong in (TypeError, "2"):
        with pytest.raises(
            TypeError, match=rf"^{field} must be .*, not test_argument_errors\.Index(\nwhile .*)?$"
        ):
            call(Index(wrong))


def test_an_error_changes_no_iterator():
    backoff = Backoff(POLICY, STREAM)
    next(backoff)
    with pytest.raises(TypeError):
        backoff.reset(1)
    with pytest.raises(AttributeError):
        backoff.index = 0
    assert (backoff.index, backoff.stream) == (1, STREAM)
    assert backoff.next_ns() == 83043876


def test_an_error_changes_no_operation_and_no_stats():
    budget = Budget.parse("quota:max_tokens=1,cost=1")
    operation = Operation(POLICY, STREAM, now_ns=0, budget=budget)
    for arguments in ({"outcome": "time"}, {"now_ns": -1}, {"retry_after": math.nan}):
        with pytest.raises(PolicyError):
            operation.decide(**{"outcome": "timeout", "now_ns": 0, **arguments})
    with pytest.raises(TypeError):
        operation.decide("timeout", 0)
    assert (operation.retries, operation.reason) == (0, None)
    assert operation.decide("timeout", now_ns=0).delay_ns == 11399434
    stats = RetryStats()
    for arguments in ((-1, "success"), (1, "sucess")):
        with pytest.raises(PolicyError):
            stats.record(*arguments)
    assert stats.prometheus() == RetryStats().prometheus()
