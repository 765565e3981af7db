"""Tests of servers, of job queues, and of budgets that processes in several languages share. Pytest does not collect
this file unless its name is an argument: the tests need the programs that `cargo xtask test processes` builds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fleet
import pytest
import queues
import servers

IS_ALL = os.environ.get("BACKOFF_EXTENT") == "all"


def test_the_servers_run_in_folders_that_only_root_may_enter(tmp_path):
    tmp_path.chmod(0o700)
    # Without input they stop at once.
    done = subprocess.run(
        [sys.executable, servers.__file__, "redis", "postgres"],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert {name: url.split(":")[0] for name, url in json.loads(done.stdout).items()} == {
        "redis": "redis",
        "postgres": "postgres",
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", queues.QUEUES)
def test_a_queue_schedules_the_delays_of_the_reference(name):
    scheduled, late = queues.schedule(name)
    assert queues.disagreement(queues.QUEUES[name][1], queues.expected(), scheduled, late) is None


@pytest.mark.parametrize(
    ("delays", "late", "problem"),
    [
        ([5.0, 9.0], [], None),
        ([5.5, 10.0], [], None),
        ([5.0, 12.0], [0.0, 2.0], None),
        ([5.0], [], "1 retries, expected 2"),
        ([5.0, 8.999], [], "retry 2 is -0.001000 ms after its delay, not 0 to 1"),
        ([6.001, 9.0], [], "retry 1 is 1.001000 ms after its delay, not 0 to 1"),
    ],
)
def test_delays_agree_to_the_resolution(delays, late, problem):
    assert queues.disagreement(1, [5.0, 9.0], delays, late) == problem


def test_the_delays_are_those_of_the_readme():
    # Ten times those of the base 100 ms, of which it has two.
    assert [int(delay) for delay in queues.expected()[:2]] == [113, 830]


@pytest.mark.parametrize(
    "plan",
    [fleet.REDIS if IS_ALL else fleet.REDIS_IN_SHORT, fleet.POSTGRES],
    ids=lambda plan: plan.store,
)
def test_processes_share_one_budget(plan, tmp_path):
    fleet.share(plan, tmp_path)
    ran = {
        "language": "All languages",
        "group": "one budget for eight processes, in",
        "name": plan.title,
        "version": servers.version(plan.store),
    }
    with Path(os.environ["BACKOFF_RAN"]).open("a", encoding="utf-8") as file:
        print(json.dumps(ran), file=file)
