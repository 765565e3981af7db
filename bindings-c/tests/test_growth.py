"""How the ABI grows: programs that were compiled against today's header run on a later version of the library
(grown.py). `cargo xtask test c` runs it."""

import ctypes
import json
import os
import re
import shutil
import subprocess

import grown
import installation
import pytest
from installation import FOLDER, GIVEN, PREFIX, run, so_version, symbol_nodes

ABI = json.loads((PREFIX / "share/backoff/abi.json").read_text(encoding="utf-8"))
VERSION = ABI["version"]
SYMBOLS = symbol_nodes((FOLDER / "symbols.map").read_text(encoding="utf-8"))
#: What a loop over a policy prints: its waits, its end, the end again that it writes, and the stats.
TODAY = """\
wait 1 5 0 transient none
wait 2 5 5 transient none
stop 3 0 10 transient max_retries
ok
stop 3 0 10 transient max_retries
max_retries 1
"""
WAITS = "".join(f"wait {n} 5 {n * 5 - 5} transient none\n" for n in range(1, 8))
NEW_REASON = (
    f"{WAITS}stop 8 0 35 transient exhausted\nok\nstop 8 0 35 transient exhausted\nexhausted 1\n"
)


def numbers(version):
    return [int(part) for part in version.split(".")]


def test_each_function_is_in_the_node_of_a_release():
    versions, functions, inherited = zip(*SYMBOLS, strict=True)
    listed = [name for node in functions for name in node]
    assert set(listed) == set(ABI["functions"])
    assert len(listed) == len(set(listed))
    assert versions[0] == so_version(VERSION)
    assert inherited == ("", *versions[:-1])
    assert sorted(versions, key=numbers) == list(versions)
    assert numbers(versions[-1]) <= numbers(VERSION)


@pytest.fixture(scope="session")
def later():
    folder = PREFIX.parent / "grown"
    shutil.rmtree(folder, ignore_errors=True)
    grown.build(folder, PREFIX.parent / "grown-target")
    return folder


def compiled(folder, tree, *options):
    """The program of grown.c with the header and the library of an installed tree."""
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    program = folder / "grown"
    run(
        *("cc", "-std=c99", *warnings, *options, f"-I{tree}/include", FOLDER / "tests/grown.c"),
        *(tree / "lib/libbackoff.so", "-o", program),
    )
    return program


def on(tree):
    """The environment in which programs run with the library of a tree."""
    return {"LD_LIBRARY_PATH": f"{tree}/lib"}


def test_a_program_of_today_does_the_same_on_a_later_library(later, tmp_path):
    program = compiled(tmp_path, PREFIX)
    for tree in (PREFIX, later):
        assert run(program, "constant:base=5ns,max_retries=2", env=on(tree)) == TODAY


def test_a_program_of_today_treats_a_new_reason_as_a_stop(later, tmp_path):
    program, policy = compiled(tmp_path, PREFIX), "constant:base=5ns,max_retries=7"
    assert run(program, policy, env=on(later)) == NEW_REASON
    old_reason = NEW_REASON.replace("exhausted", "max_retries")
    assert run(program, policy, env=on(PREFIX)) == old_reason


def test_the_evaluator_of_today_gives_the_same_answers_on_a_later_library(later, tmp_path):
    library, include = PREFIX / "lib/libbackoff.so", PREFIX / "include"
    evaluator = installation.evaluator(tmp_path / "evaluate", library, include, ["cc"])
    installation.answers(evaluator, env=on(later))


def test_the_wrapper_of_today_runs_on_a_later_library(later):
    build = GIVEN["make"][1].removeprefix("BUILD=")
    run("make", "--no-print-directory", *GIVEN["make"], f"{build}/wrapper-c++11", cwd=FOLDER)
    assert run(f"{build}/wrapper-c++11", env=on(later)).endswith(", 0 failed\n")


def test_a_later_library_has_the_numbers_and_sizes_of_today(later):
    constant = ctypes.CDLL(later / "lib/libbackoff.so").backoff_constant
    constant.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]
    sizes = {f"sizeof({name})": struct["size"] for name, struct in ABI["structs"].items()}
    known = ABI["constants"] | sizes
    for group in ABI["enums"].values():
        known |= group
    value, found = ctypes.c_uint64(), {}
    for name in known:
        assert (
            constant(name.encode(), len(name), value) == ABI["enums"]["backoff_code"]["BACKOFF_OK"]
        ), name
        found[name] = value.value
    assert found == known
    assert {"BACKOFF_REASON_CANCELLED", "BACKOFF_NO_TIME", "sizeof(backoff_loop)"} < set(known)


def test_a_later_program_has_what_the_later_library_adds(later, tmp_path):
    program = compiled(tmp_path, later, "-DLATER", "-DCALLS_LATER")
    printed = run(program, "constant:base=5ns,max_retries=7", env=on(later))
    with_began = re.sub(r"^(wait|stop) .*", r"\g<0> began 1000", NEW_REASON, flags=re.MULTILINE)
    assert printed == f"begin\n{with_began}42\n"


def test_todays_library_refuses_what_a_later_program_asks_of_it(later, tmp_path):
    program = compiled(tmp_path, later, "-DLATER")
    assert run(program, "constant:base=5ns", env=on(PREFIX)) == "unsupported\n"


def test_the_loader_says_which_version_a_program_needs(later, tmp_path):
    program = compiled(tmp_path, later, "-DLATER", "-DCALLS_LATER")
    done = subprocess.run(
        [program, "none"], capture_output=True, text=True, env=os.environ | on(PREFIX)
    )
    assert done.returncode != 0
    assert f"version `BACKOFF_{SYMBOLS[-1][0]}.9' not found" in done.stderr
