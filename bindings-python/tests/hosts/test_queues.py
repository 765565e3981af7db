"""The programs that show the delays of one job in each queue."""

import json
import subprocess
import sys

import pytest
from processes import FOLDER, FULL_100MS_NS, PATIENCE

#: The resolution of each engine. Delays are rounded up.
RESOLUTIONS_NS = {"celery": 1000, "dramatiq": 10**6}


@pytest.mark.parametrize(("queue", "resolution_ns"), RESOLUTIONS_NS.items())
@pytest.mark.parametrize(("failures", "retries"), [(2, 2), (9, 3)])
def test_delays(redis, queue, resolution_ns, failures, retries):
    program = FOLDER.parent / "queues" / f"{queue}_job.py"
    job = ["full:base=100ms,max_retries=3", "42", "job-1", str(failures)]
    done = subprocess.run(
        [sys.executable, program, redis.url, *job], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    expected = [-(-delay // resolution_ns) * resolution_ns for delay in FULL_100MS_NS[:retries]]
    assert json.loads(done.stdout) == {"delays": [delay / 10**6 for delay in expected]}
