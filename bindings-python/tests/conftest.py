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
    if not Path(os.environ.get("BACKOFF_WHEEL", "")).is_file():
        pytest.exit("BACKOFF_WHEEL must name the wheel that is installed", returncode=2)
