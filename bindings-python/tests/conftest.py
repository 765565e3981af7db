"""The tests run on any installation of the package, editable or from a wheel."""

import os

import pytest
from backoff_rs.testing import fake_time

#: Tests of the files that would be published, and of adapters, and what they need.
NEEDS = {
    "hosts": ["BACKOFF_SERVERS"],
    "test_wheel.py": ["BACKOFF_WHEEL"],
    "test_packaging.py": ["BACKOFF_WHEEL", "BACKOFF_SDIST"],
}

collect_ignore = [
    file for file, variables in NEEDS.items() if not all(map(os.environ.get, variables))
]


@pytest.fixture
def time():
    """A fake clock."""
    with fake_time() as time:
        yield time


def pytest_report_header():
    return [f"without {file}: set {' and '.join(NEEDS[file])}" for file in collect_ignore]
