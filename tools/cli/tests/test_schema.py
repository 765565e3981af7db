"""Tests the JSON and the CSV of simulations against `tools/cli/schema.json`.

BACKOFF is the path of the program.
"""

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

PROGRAM = os.environ.get("BACKOFF", "backoff")
SCHEMA = json.loads((Path(__file__).parent.parent / "schema.json").read_text())
QUEUE = ["simulate", "queue", "--rate=20,40", "--duration=5s", "--runs=3"]
COMMANDS = {
    "simulate": [
        ["simulate", "occ", "--clients=2,3", "--runs=3"],
        ["simulate", "serial", "--clients=3", "--runs=1", "--policy=none;budget=sre"],
        ["simulate", "layers", "--clients=9", "--runs=2", "--policy=none:max_retries=2"],
        ["simulate", "latency", "--rate=5", "--duration=5s", "--runs=2"],
        [*QUEUE, "--outage=1s..2s", "--interval=500ms"],
        [*QUEUE, "--group=a=none:max_retries=1", "--group=default;weight=2;budget=sre"],
        [*QUEUE, "--max-time=1s", "--timeout=1ns", "--policy=none:max_retries=0"],
    ],
    "compare": [["compare", "none", "default", "--runs=1"]],
    "advise": [["advise", "--clients=50", "--capacity=200", "--latency=20ms", "--runs=2"]],
}
CASES = [(kind, command) for kind, commands in COMMANDS.items() for command in commands]


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, check=True).stdout.decode()


def validator(kind):
    schema = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize(("kind", "command"), CASES)
def test_lines_are_valid(kind, command):
    lines = [json.loads(line) for line in run(*command, "--json").splitlines()]
    assert lines
    for line in lines:
        validator(kind).validate(line)


def test_the_schema_refuses_what_is_missing_or_unknown():
    line = json.loads(run("simulate", "occ", "--clients=2", "--runs=1", "--json").splitlines()[0])
    simulate = validator("simulate")
    assert simulate.is_valid(line)
    assert not simulate.is_valid(line | {"more": 1})
    assert not simulate.is_valid(line | {"calls": 1})
    for member in ("model", "policy", "clients", "runs", "calls", "time_ms"):
        assert not simulate.is_valid({key: line[key] for key in line if key != member})


@pytest.mark.parametrize("command", [command for kind, command in CASES if kind == "simulate"])
def test_rows_say_what_lines_say(command):
    """A column such as `calls_mean` is the member `mean` of the member `calls`."""
    lines = [json.loads(line) for line in run(*command, "--json").splitlines()]
    rows = list(csv.DictReader(io.StringIO(run(*command, "--csv=-"), newline="")))
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines, strict=True):
        for column, cell in row.items():
            value = line.get(column)
            if column not in line:
                member, _, part = column.rpartition("_")
                value = line[member] and line[member][part]
            expected = "" if value is None else value
            assert cell == expected if isinstance(expected, str) else float(cell) == expected, (
                column
            )
