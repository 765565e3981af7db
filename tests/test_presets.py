"""Tests what docs/presets.md does not show of the presets: against published formulas, and against botocore."""

from itertools import islice
from types import SimpleNamespace

import pytest
from botocore.retries.standard import ExponentialBackoff
from reference import delays, numbers, operations, preview, streams, strings

MS, S = 10**6, 10**9


def policy(string):
    return strings.parse("policy", string)


def ends(string, count):
    """The minimum and the maximum delay of each index."""
    rows = islice(preview.rows(policy(string)), count)
    return [(low, high) for low, _, high in rows]


@pytest.mark.parametrize(
    ("preset", "low", "high", "cap"),
    [("azure-core", 640, 960, 60_000), ("azure-core-java", 760, 840, 8_000)],
)
def test_azure_caps_the_randomized_delay(preset, low, high, cap):
    """min(2^n * U(0.8 d, 1.2 d), 60 s) in .NET, min(2^n * U(0.95 d, 1.05 d), 8 s) in Java."""
    published = [(min(2**n * low, cap) * MS, min(2**n * high, cap) * MS) for n in range(12)]
    assert ends(preset, 12) == published


def test_job_queues_match_their_formulas():
    sidekiq = [(n**4 + 15, n**4 + 15 + 10 * (n + 1) - 1) for n in range(25)]
    faktory = [(n**4 + 15, n**4 + 15 + 29 * (n + 1)) for n in range(25)]
    celery = [(0, min(600, 2**n)) for n in range(15)]
    for preset, published in (("sidekiq", sidekiq), ("faktory", faktory), ("celery", celery)):
        assert ends(preset, len(published)) == [(low * S, high * S) for low, high in published]
    tenths = S // 10
    river = [(9 * a**4 * tenths, 11 * a**4 * tenths) for a in range(1, 25)]
    oban = [(10 * (15 + 2**a) * tenths, 11 * (15 + 2**a) * tenths) for a in range(1, 20)]
    assert ends("river", 24) == river
    assert ends("oban", 19) == oban


def test_sidekiq_stops_after_about_three_weeks():
    *_, last = preview.preview(policy("sidekiq"))
    assert 20 <= last[4] / (86_400 * S) <= 21


def test_cenkalti_backoff_stops_after_fifteen_minutes():
    operation = operations.Operation(policy("cenkalti-v4"), 42, 0)
    assert operation.outcome("transient", 899 * S)[0] == "wait"
    assert operation.outcome("transient", 900 * S)[0] == "max_elapsed"


# botocore is AWS's implementation of version 2.1 of its standard mode.


def botocore_delay(attempt, *, share=1.0, service=None, throttled=False, retry_after=None):
    detector = SimpleNamespace(is_throttling_error_from_context=lambda _: throttled)
    headers = {} if retry_after is None else {"x-amz-retry-after": str(retry_after)}
    backoff = ExponentialBackoff(
        random=lambda: share, service_name=service, throttling_detector=detector
    )
    return backoff.delay_amount(
        SimpleNamespace(attempt_number=attempt, http_response=SimpleNamespace(headers=headers))
    )


@pytest.mark.parametrize(
    ("preset", "service"), [("aws-sdk-2026", None), ("aws-dynamodb-2026", "dynamodb")]
)
def test_windows_match_botocore(preset, service):
    for index in range(12):
        published = botocore_delay(index + 1, service=service)
        assert delays.window(policy(preset), index) == round(published * S)
        published = botocore_delay(index + 1, service=service, throttled=True)
        throttled = policy(preset) | {"base": policy(preset)["throttled_base"]}
        assert delays.window(throttled, index) == round(published * S)


@pytest.mark.parametrize("outcome", ["transient", "throttled"])
@pytest.mark.parametrize("retry_after", [None, 0, 1, 49, 2000, 5000, 5500, 60_000])
def test_delays_match_botocore(outcome, retry_after):
    operation = operations.Operation(policy("aws-sdk-2026:max_retries=12"), streams.stream(42), 0)
    for index in range(12):
        share = numbers.draw(42, index) / 2**64
        published = botocore_delay(
            index + 1, share=share, throttled=outcome == "throttled", retry_after=retry_after
        )
        wait = None if retry_after is None else retry_after * MS
        assert operation.outcome(outcome, 0, wait)[1] == pytest.approx(published * S, abs=2)
