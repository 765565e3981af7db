"""Tests Retry-After against RFC 9110 and Python's calendar, statuses against botocore and http."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
from botocore.retries.standard import TransientRetryableChecker
from reference import retry_after

S = 10**9
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def since_1970(moment):
    return (moment - EPOCH) // timedelta(seconds=1) * S


@pytest.mark.parametrize(
    "example",
    ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"],
)
def test_the_examples_of_the_rfc_are_one_instant(example):
    """RFC 9110, 5.6.7; 784111777 is published in many places."""
    assert retry_after.http_date(example, 10**18) == 784_111_777 * S
    assert retry_after.parse_retry_after(example, 784_111_700 * S) == 77 * S


def test_the_examples_of_retry_after():
    """RFC 9110, 10.2.3."""
    assert retry_after.parse_retry_after("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_790 * S) == 9 * S
    assert retry_after.parse_retry_after("120", 0) == 120 * S


def test_only_days_of_the_month_are_accepted():
    for year in (1900, 1995, 1996, 2000, 2023, 2100, 2400):
        for month in range(1, 13):
            for day in range(32):
                name = datetime(2000, month, 1, tzinfo=UTC).strftime("%b")
                found = retry_after.http_date(f"Sun, {day:02} {name} {year} 00:00:00 GMT", 0)
                try:
                    expected = since_1970(datetime(year, month, day, tzinfo=UTC))
                except ValueError:
                    expected = None
                assert found == expected


def test_statuses_that_botocore_retries_are_retryable():
    for status in TransientRetryableChecker._TRANSIENT_STATUS_CODES:
        assert retry_after.of_http_status(status) not in ("success", "permanent")


def test_statuses_match_their_names():
    for status in HTTPStatus:
        outcome = retry_after.of_http_status(status)
        assert (outcome == "timeout") == status.name.endswith("_TIMEOUT")
        assert (outcome == "success") == (status < 400)
    assert retry_after.of_http_status(HTTPStatus.TOO_MANY_REQUESTS) == "throttled"
    assert retry_after.of_http_status(HTTPStatus.SERVICE_UNAVAILABLE) == "throttled"
