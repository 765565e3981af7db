"""Tests of what all committed files must be like."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: An action by a whole hash, with its version: names can move.
PINNED = re.compile(r"uses: \S+@[0-9a-f]{40} # v\d")


def test_no_committed_file_names_a_folder_of_this_machine():
    """Other machines lack it."""
    pattern = "(/root|/home/[a-z]+|/tmp)/[a-z]"
    command = ["git", "grep", "-nIE", pattern, "--", ".", ":!Cargo.lock"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("", "")


def test_the_workflows_run_actions_by_their_commits():
    files = (ROOT / ".github/workflows").iterdir()
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    uses = [line for line in lines if "uses:" in line]
    assert len(uses) > 20
    assert [line for line in uses if not PINNED.search(line)] == []
