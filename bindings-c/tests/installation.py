"""What the tests of the installed library know: `cargo xtask test c` describes it in the variable BACKOFF_C."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent
GIVEN = json.loads(os.environ["BACKOFF_C"])
PREFIX = Path(GIVEN["prefix"])
#: Both examples of the folder of consumers, with both libraries, and the end of what they print.
EXAMPLES = {
    "retry-shared": "done\n",
    "retry-static": "done\n",
    "decide-shared": "attempt 3: stop, success\n",
    "decide-static": "attempt 3: stop, success\n",
}
CONSUMERS = FOLDER / "tests/consumers"


def run(*command, **options):
    """The standard output of a program, which succeeds."""
    environment = os.environ | options.pop("env", {})
    command = list(map(str, command))
    done = subprocess.run(command, capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


def so_version(version):
    """What the SONAME ends in. Versions with the same are compatible, as the package for CMake says."""
    major, minor, _ = version.split(".")
    return f"0.{minor}" if major == "0" else major


def symbol_nodes(text):
    """The version, the functions and the inherited version of each node of a symbols.map."""
    node = r"^BACKOFF_([\d.]+) \{(.*?)^\}(?: BACKOFF_([\d.]+))?;$"
    function = re.compile(r"^    (backoff_\w+);$", re.MULTILINE)
    found = re.findall(node, text, re.DOTALL | re.MULTILINE)
    return [(version, function.findall(body), inherited) for version, body, inherited in found]


def ran(group, name, version=""):
    """Notes that a test ran there, for docs/compatibility.md."""
    row = {"language": "C and C++", "group": group, "name": name, "version": version}
    with Path(os.environ["BACKOFF_RAN"]).open("a", encoding="utf-8") as file:
        print(json.dumps(row), file=file)


def cmake_versions(cmake, build):
    """`find_package` of other versions."""
    run(cmake, "-S", CONSUMERS / "versions", "-B", build)


def with_cmake(cmake, build):
    """Builds and runs the consumers. Returns the version of CMake."""
    run(cmake, "-S", CONSUMERS, "-B", build, env={"CMAKE_PREFIX_PATH": str(PREFIX)})
    run(cmake, "--build", build)
    examples_run(build)
    return run(cmake, "--version").split()[2]


def examples_run(build):
    """Runs the programs, and checks that just those with the shared library need it."""
    for name, end in EXAMPLES.items():
        assert run(build / name).endswith(end)
        is_shared = "[libbackoff.so." in run("readelf", "-d", build / name)
        assert is_shared == name.endswith("-shared")


def evaluator(program, library, include, compiler, *options):
    """Compiles the evaluator with a library."""
    run(
        *(*compiler, "-std=c99", "-O1", *options, f"-I{FOLDER}/tests", f"-I{include}"),
        *(FOLDER / "tests/evaluate.c", library, "-o", program),
    )
    return program


def answers(*command, **options):
    """The evaluator gives every answer that the vectors have."""
    last = run(sys.executable, FOLDER / "tests/answers.py", *command, **options).splitlines()[-1]
    assert last.endswith(" passed, 0 failed")
    assert not last.startswith("0 ")
