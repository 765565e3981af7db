"""The stubs say what the extension does, and a type checker finds what they forbid."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]


def run(tmp_path, module, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_stubs_match_the_extension(tmp_path):
    assert "no issues found in 4 modules" in run(tmp_path, "mypy.stubtest", "backoff_rs")


@pytest.mark.parametrize("file", ["tests/typing_cases.py", "examples/retry.py"])
def test_strict(tmp_path, file):
    path = str(FOLDER / file)
    assert "no issues found" in run(tmp_path, "mypy", "--strict", "--cache-dir", tmp_path, path)
