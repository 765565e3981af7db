"""The tests run on any installation of the package, editable or from a wheel."""

import os

# Set to the installed wheel, it adds the test of the files that would be published.
collect_ignore = [] if os.environ.get("BACKOFF_WHEEL") else ["test_packaging.py"]


def pytest_report_header():
    return [f"BACKOFF_WHEEL is not set: without {file}" for file in collect_ignore]
