"""Tests the sweep on a Dask cluster of two workers on this machine.

BACKOFF is the path of the program.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = os.environ.get("BACKOFF", "backoff")
SWEEP = Path(__file__).parent / "sweep_dask.py"
OCC = ["occ", "--clients", "10,20", "--runs", "30", "--policy", "none", "--policy", "default"]


def sweep(*arguments):
    command = [sys.executable, SWEEP, "--backoff", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.parametrize("options", ["--json", "--csv -", ""])
def test_a_cluster_prints_what_one_process_prints(options):
    whole = subprocess.run(
        [PROGRAM, "simulate", *OCC, *options.split()], capture_output=True, check=True
    )
    run = sweep("--workers", "2", "--shards", "5", f"--merge={options}", "--", *OCC)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout == whole.stdout
    assert len(run.stdout.splitlines()) >= 4


def test_the_error_of_a_worker_is_shown():
    run = sweep("--shards", "2", "--", "occ", "--clients", "0")
    assert run.returncode != 0
    assert "`0` is not a whole number" in run.stderr.decode()
