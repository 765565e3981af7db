"""The stubs match the extension, and type checkers find the errors in the typing cases."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
FILES = [
    "tests/typing_cases.py",
    "tests/typing_retry.py",
    "tests/typing_http.py",
    "examples/http_httpx.py",
]

#: Of the package, so that a checker that skips some is noticed.
MODULES = len([*(FOLDER / "python").rglob("*.py")]) + len(["_backoff.pyi"])


def run(tmp_path, module, *arguments, env=None):
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_stubs_match_the_extension(tmp_path):
    assert f"no issues found in {MODULES} modules" in run(tmp_path, "mypy.stubtest", "backoff_rs")


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy. What one test has checked, the next one need not check again."""
    folder = tmp_path_factory.mktemp("mypy")

    def check(*arguments):
        return run(folder, "mypy", "--strict", "--cache-dir", folder / "cache", *arguments)

    return check


def test_the_package_is_strictly_typed(mypy):
    assert f"no issues found in {MODULES} source files" in mypy("-p", "backoff_rs")


@pytest.mark.parametrize("file", FILES)
def test_strict(mypy, file):
    assert "no issues found" in mypy(FOLDER / file)


@pytest.mark.long
def test_the_types_are_complete(tmp_path):
    """For pyright, which does not infer the types of a library's attributes. Here it finds the
    library through the first Python of the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    arguments = ["--verifytypes", "backoff_rs", "--ignoreexternal"]
    output = run(tmp_path, "pyright", *arguments, env={**os.environ, "PATH": path})
    assert "Type completeness score: 100%" in output


def write_programs(folder):
    """The programs of the pages, as a user pastes them into files."""
    count = 0
    for page in [*FOLDER.glob("*.md"), *FOLDER.glob("docs/*.md")]:
        text = page.read_text("utf-8")
        programs = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for number, program in enumerate(programs):
            name = page.stem.lower().replace("-", "_")
            (folder / f"{name}_{number}.py").write_text(program, "utf-8")
        count += len(programs)
    assert count >= 30


def test_the_programs_of_the_pages_are_strictly_typed(mypy, tmp_path):
    write_programs(tmp_path)
    # The brokers of Dramatiq have no types.
    files = sorted(tmp_path.glob("*.py"))
    assert "no issues found" in mypy("--untyped-calls-exclude", "dramatiq", *files)


@pytest.mark.long
def test_pyright(tmp_path):
    """It must accept each line, and find an error at each `type: ignore`."""
    write_programs(tmp_path)
    for file in FILES:
        shutil.copy(FOLDER / file, tmp_path)
    rules = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": "error"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": ["*.py"], **rules}))
    output = run(tmp_path, "pyright", "--pythonpath", sys.executable)
    assert "0 errors, 0 warnings" in output
