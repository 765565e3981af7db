"""Every test runs against the installed wheel."""

import os
import sysconfig
from pathlib import Path

import backoff_rs
import pytest


def pytest_sessionstart():
    module = Path(backoff_rs.__file__).resolve()
    installed = Path(sysconfig.get_path("platlib")).resolve()
    if not module.is_relative_to(installed):
        pytest.exit(f"{module} is not the installed package of {installed}", returncode=2)
    if "BACKOFF_DIST" not in os.environ:
        pytest.exit("BACKOFF_DIST must name the folder of the wheel and the sdist", returncode=2)
