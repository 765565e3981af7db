"""Tests the presets against published numbers, copied by hand from their sources."""

from itertools import islice
from types import SimpleNamespace

import pytest
from botocore.retries.standard import ExponentialBackoff
from reference import delays, numbers, operations, preview, streams, strings

MS, S = 10**6, 10**9


def policy(string):
    return strings.parse("policy", string)


def windows(preset, count):
    return [delays.window(policy(preset), index) for index in range(count)]


def ends(string, count):
    """The minimum and the maximum delay of each index."""
    rows = islice(preview.rows(policy(string)), count)
    return [(low, high) for low, _, high in rows]


@pytest.mark.parametrize(
    ("preset", "unit", "published"),
    [
        ("aws-sdk-standard", S, [1, 2, 4, 8, 16, 20, 20]),
        ("aws-sdk-2026", MS, [50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000]),
        ("aws-dynamodb-2026", MS, [25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000]),
        ("aws-simulator", MS, [10, 20, 40, 80, 160, 320, 640, 1280, 2000, 2000]),
        ("grpc-retry", MS, [100, 200, 400, 800, 1000, 1000]),
        ("gax", S, [1, 2, 4, 8, 16, 30, 30]),
        ("envoy", MS, [25, 50, 100, 200, 250, 250]),
        ("resilience4j", MS, [500, 500, 500]),
        ("polly-v8", S, [2, 2, 2]),
        ("polly-v8-linear", S, [2, 4, 6]),
        ("polly-v8-exponential", S, [2, 4, 8]),
        ("k8s-crashloop", S, [10, 20, 40, 80, 160, 300, 300]),
        ("k8s-workqueue", MS, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120]),
        ("k8s-conflict", MS, [10, 50, 250]),
        ("temporal", S, [1, 2, 4, 8, 16, 32, 64, 100, 100]),
        ("sidekiq", S, [15, 16, 31, 96, 271, 640]),
        ("river", S, [1, 16, 81, 256, 625]),
        ("oban", S, [17, 19, 23, 31, 47]),
    ],
)
def test_windows_match_published_ones(preset, unit, published):
    assert windows(preset, len(published)) == [window * unit for window in published]


def test_the_workqueue_of_kubernetes_ends_at_1000_seconds():
    assert windows("k8s-workqueue", 20)[17:] == [655_360 * MS, 1000 * S, 1000 * S]


def test_grpc_connect_matches_its_document():
    """connection-backoff.md: 1 s, 1.6, plus and minus 0.2 of at most 120 s."""
    assert windows("grpc-connect", 3) == [S, 1_600 * MS, 2_560 * MS]
    rows = ends("grpc-connect", 20)
    assert rows[0] == (800 * MS, 1_200 * MS)
    assert rows[-1] == (96 * S, 144 * S)


def test_grpc_retry_matches_its_proposal():
    """A6: min(initialBackoff * 2^(n-1), maxBackoff) * random(0.8, 1.2), 4 attempts."""
    published = [(80, 120), (160, 240), (320, 480)]
    assert ends("grpc-retry", 3) == [(low * MS, high * MS) for low, high in published]
    assert policy("grpc-retry")["max_retries"] == 4 - 1


def test_google_cloud_adds_up_to_a_second():
    """min(2^n + random_number_milliseconds, maximum_backoff) with at most 1000 ms and 32 s."""
    published = [(1, 2), (2, 3), (4, 5), (8, 9), (16, 17), (32, 32), (32, 32)]
    assert ends("google-cloud", 7) == [(low * S, high * S) for low, high in published]


def test_gax_waits_at_least_a_nanosecond():
    """1 ns and a random number below the window."""
    assert ends("gax", 6) == [(1, window * S) for window in (1, 2, 4, 8, 16, 30)]


def test_cenkalti_backoff_matches_its_table():
    """Its documentation, in seconds: the interval and the range of the randomized interval."""
    published = [
        (0.5, 0.25, 0.75),
        (0.75, 0.375, 1.125),
        (1.125, 0.562, 1.687),
        (1.687, 0.8435, 2.53),
        (2.53, 1.265, 3.795),
        (3.795, 1.897, 5.692),
        (5.692, 2.846, 8.538),
        (8.538, 4.269, 12.807),
        (12.807, 6.403, 19.210),
    ]
    ours = zip(windows("cenkalti-v4", 9), ends("cenkalti-v4", 9), strict=True)
    for (window, (low, high)), row in zip(ours, published, strict=True):
        assert [x / S for x in (window, low, high)] == pytest.approx(row, rel=1e-3)
    assert ends("cenkalti-v4", 30)[-1] == (30 * S, 90 * S)


def test_envoy_takes_a_random_number_modulo_the_window():
    """random % 25, % 50, ... % 250 in milliseconds."""
    published = [(0, window - 1) for window in (25, 50, 100, 200, 250, 250)]
    assert ends("envoy", 6) == [(low * MS, high * MS) for low, high in published]


@pytest.mark.parametrize(
    ("preset", "low", "high", "cap"),
    [("azure-core", 640, 960, 60_000), ("azure-core-java", 760, 840, 8_000)],
)
def test_azure_caps_the_randomized_delay(preset, low, high, cap):
    """min(2^n * U(0.8 d, 1.2 d), 60 s) in .NET, min(2^n * U(0.95 d, 1.05 d), 8 s) in Java."""
    published = [(min(2**n * low, cap) * MS, min(2**n * high, cap) * MS) for n in range(12)]
    assert ends(preset, 12) == published


def test_ethernet_waits_below_two_to_the_n_slots_of_512_bit_times():
    """IEEE 802.3, 4.2.3.2.5: 0 <= r < 2^min(n, 10), slots of 51.2 us, 16 attempts."""
    assert ends("ethernet", 15) == [(0, (2 ** min(n, 10) - 1) * 51_200) for n in range(1, 16)]
    assert policy("ethernet")["max_retries"] == 16 - 1


def test_conflicts_in_kubernetes_wait_up_to_a_tenth_longer():
    """wait.Backoff: d + U(0, 0.1 d)."""
    assert ends("k8s-conflict", 3) == [(10 * MS, 11 * MS), (50 * MS, 55 * MS), (250 * MS, 275 * MS)]


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


@pytest.mark.parametrize(
    ("preset", "retries"),
    [
        ("default", 3),
        ("aws-sdk-standard", 3 - 1),
        ("aws-sdk-2026", 3 - 1),
        ("aws-dynamodb-2026", 4 - 1),
        ("resilience4j", 3 - 1),
        ("polly-v8", 3),
        ("envoy", 1),
        ("azure-core", 3),
        ("sidekiq", 25),
        ("faktory", 25),
        ("river", 25 - 1),
        ("oban", 20 - 1),
        ("celery", 3),
        ("k8s-conflict", 4 - 1),
        ("temporal", 2**32),
    ],
)
def test_presets_retry_as_often_as_their_sources(preset, retries):
    assert policy(preset)["max_retries"] == retries


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
