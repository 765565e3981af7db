"""Temporal: the formula of its server, and its Protocol Buffers."""

import math

from backoff import agree, export, exported, policies, ranges
from google.protobuf import json_format
from temporalio.api.common.v1 import RetryPolicy

GROWTHS = [
    "exponential:base=BASE",
    "exponential:multiplier=1.5,base=BASE",
    "exponential:multiplier=1.01,base=BASE",
    "constant:base=BASE",
]
POLICIES = list(policies(300, GROWTHS, ["us", "ms", "s", "m"], [""], [""]))


def delays(policy, retries):
    """`ExponentialBackoffAlgorithm` in common/backoff/retry.go and `nextBackoffInterval` in
    service/history/workflow/retry.go (6805cae, 2026-08-21)."""
    initial, longest = (
        policy.initial_interval.ToNanoseconds(),
        policy.maximum_interval.ToNanoseconds(),
    )
    for attempt in range(1, retries + 1):
        interval = min(initial * math.pow(policy.backoff_coefficient, attempt - 1), 2.0**63)
        interval = min(int(interval), longest)
        yield interval, interval, interval


def parsed(text):
    policy = json_format.Parse(text, RetryPolicy())
    # `Validate` in common/retrypolicy/retry_policy.go.
    assert policy.backoff_coefficient >= 1
    assert policy.maximum_interval.ToNanoseconds() >= policy.initial_interval.ToNanoseconds() > 0
    return policy


def test_the_delays_are_those_of_temporal():
    count = 0
    for policy in POLICIES:
        text = export("temporal", policy)
        if text is None:
            continue
        retry, ours = parsed(text), ranges(policy)
        # 1.01 grows by 1% of a nanosecond less at each retry.
        agree(ours, delays(retry, len(ours)), 2)
        attempts = retry.maximum_attempts
        assert (len(ours) == 40) if attempts == 0 else (len(ours) == min(attempts - 1, 40))
        count += 1
    assert count > 200, count


def test_no_limit_is_zero_attempts():
    assert parsed(exported("temporal", "temporal")).maximum_attempts == 0
    for policy in ["temporal:max_retries=0", "off", "default:max_retries=0"]:
        assert parsed(exported("temporal", policy)).maximum_attempts == 1
