"""libbackoff.wasm from its archive. `cargo xtask test c` runs it on Wasmtime, and with `--all` on Chicory."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from installation import FOLDER, GIVEN, ran, run

PYTHON = Path(GIVEN["tools"]) / "python"
VECTORS = FOLDER.parent / "tests/vectors"
#: What calls functions of the caller, what asks the operating system for randomness, and what takes a struct with
#: pointers.
NOT_IN_MODULE = {"backoff_retry", "backoff_stream_from_entropy", "backoff_stats_print_with"}
#: `__data_end` is of the Rust compiler.
OF_MEMORY = {"memory", "__heap_base", "__data_end"}
LIST = """
import sys, wasmtime
module = wasmtime.Module.from_file(wasmtime.Engine(), sys.argv[1])
print(*(one.name for one in module.imports), *(one.name for one in module.exports))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wasm")
    run("tar", "--strip-components=1", "-xzf", GIVEN["module"], "-C", folder)
    return folder


@pytest.fixture(scope="module", params=["Wasmtime", "Chicory"] if GIVEN["is_all"] else ["Wasmtime"])
def host(request, tree):
    if request.param == "Wasmtime":
        example, environment = [PYTHON, tree / "examples/on_wasmtime.py"], {}
        pinned = re.search("wasmtime==(.+)", (FOLDER / "tests/requirements.txt").read_text())
    else:
        pom, libraries = tree / "examples/pom.xml", f"{tree}/lib/*"
        copy = ["dependency:copy-dependencies", f"-DoutputDirectory={tree}/lib"]
        run("mvn", "--batch-mode", "--quiet", "--file", pom, *copy)
        example = ["java", "-cp", libraries, tree / "examples/OnChicory.java"]
        environment = {"CHICORY": libraries}
        pinned = re.search("compiler</artifactId>\\s*<version>(.+)<", pom.read_text())
    yield SimpleNamespace(example=example, environment=environment)
    ran("hosts of libbackoff.wasm", request.param, pinned[1])


def test_the_module_imports_nothing_and_exports_the_functions_of_the_header(tree):
    functions = set(json.loads((tree / "include/abi.json").read_text())["functions"])
    assert functions > NOT_IN_MODULE
    found = run(PYTHON, "-c", LIST, tree / "libbackoff.wasm").split()
    assert sorted(found) == sorted(functions - NOT_IN_MODULE | OF_MEMORY)


def test_the_vectors(host, tree):
    script, abi = FOLDER / "tests/module_vectors.py", tree / "include/abi.json"
    printed = run(PYTHON, script, abi, tree / "libbackoff.wasm", env=host.environment)
    assert printed.endswith(" passed, 0 failed\n")


def case(layer, id):
    cases = json.loads((VECTORS / f"{layer}.json").read_text(encoding="utf-8"))["cases"]
    return next(case for case in cases if case["id"] == id)


def test_the_example(host, tree):
    """Its policy, stream and budget are those of vectors."""
    delays = case("jitters", "full")["delays"][:3]
    expected = [f"delay {index}: {delay} ns" for index, delay in enumerate(delays)]
    for step in case("decisions", "shared-quota")["steps"]:
        if step["do"] == "outcome" and step["operation"] < 3:
            answer = step["answer"]
            answer = f"stop, {answer['stop']}" if "stop" in answer else f"wait {answer['wait']} ns"
            expected.append(f"request {step['operation']}: {answer}")
    expected.append(case("text_errors", "rule-cap-below-base")["error"]["message"])
    assert run(*host.example, tree / "libbackoff.wasm").splitlines() == expected


def test_the_page_has_the_examples():
    page = (FOLDER / "docs/webassembly.md").read_text(encoding="utf-8")
    programs = re.findall(r"^~~~(?:python|java|xml)\n(.*?)^~~~$", page, re.MULTILINE | re.DOTALL)
    examples = sorted((FOLDER / "examples/wasm").iterdir())
    assert sorted(programs) == sorted(example.read_text() for example in examples)
