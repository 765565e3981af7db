"""Notes the versions of the packages of the extras, on which the tests ran, for docs/compatibility.md."""

import json
import os
import tomllib
from importlib.metadata import version
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_versions():
    extras = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    rows = []
    for package, *_ in extras.values():
        name, _ = package.split(">=")
        rows.append(
            {"language": "Python", "group": "adapters", "name": name, "version": version(name)}
        )
    if ran := os.environ.get("BACKOFF_RAN"):
        with Path(ran).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
