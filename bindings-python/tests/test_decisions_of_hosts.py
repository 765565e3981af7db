"""Decisions about operations whose state a host keeps are those of an Operation."""

import pytest
from backoff_rs import Operation, Policy, PolicyError, RandomStream
from backoff_rs._backoff import _decision_after

STREAM = RandomStream(42, "job-1")


@pytest.mark.parametrize(
    "policy",
    [
        "full:base=100ms,max_retries=3",
        "decorrelated:base=10ms,cap=1s,max_retries=6",
        "equal:base=1s,max_elapsed=20s",
        "constant:base=1s,throttled_base=3s,max_retries=0",
        "aws-sdk-2026",
    ],
)
@pytest.mark.parametrize(
    ("outcome", "retry_after"),
    [
        ("success", None),
        ("transient", None),
        ("timeout", 0.25),
        ("throttled", 7200),
        ("permanent", None),
    ],
)
def test_it_goes_on_where_the_operation_is(policy, outcome, retry_after):
    policy = Policy.parse(policy)
    before, now_ns = Operation(policy, STREAM, now_ns=0), 0
    for retries in range(8):
        operation = Operation(policy, STREAM, now_ns=0)
        for _ in range(retries):
            operation.decide("transient", now_ns=0)
        expected = operation.decide(outcome, now_ns=now_ns, retry_after=retry_after)
        decision = _decision_after(policy, STREAM, retries, now_ns, outcome, retry_after)
        assert decision == expected
        if not (granted := before.decide("transient", now_ns=now_ns)):
            break
        now_ns += granted.delay_ns


@pytest.mark.parametrize(
    ("retries", "elapsed_ns", "field"), [(-1, 0, "retries"), (0, 2**64, "elapsed_ns")]
)
def test_numbers_out_of_range(retries, elapsed_ns, field):
    with pytest.raises(PolicyError) as raised:
        _decision_after(Policy.parse("default"), STREAM, retries, elapsed_ns, "transient", None)
    assert raised.value.field == field
