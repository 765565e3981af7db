"""The programs of the languages, which `cargo xtask` builds and describes in the variable BACKOFF_PROGRAMS."""

import json
import os
import subprocess
import sys
from pathlib import Path

# For the reference.
sys.path.insert(0, str(Path(__file__).parent.parent))

PATIENCE = 60


def of(scenario):
    """The programs of a scenario, by their names."""
    return json.loads(os.environ["BACKOFF_PROGRAMS"])[scenario]


def call(program, *arguments):
    """How `subprocess` calls a program."""
    return {
        "args": [*program["program"], *map(str, arguments)],
        "cwd": program["folder"],
        "env": os.environ | program["environment"],
    }


def answers(evaluator, requests):
    """What an evaluator answers to lines of JSON, both as bytes."""
    done = subprocess.run(**call(evaluator), input=requests, stdout=subprocess.PIPE, check=True)
    return done.stdout
