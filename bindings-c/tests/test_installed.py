"""The installed library in users' projects, with the build systems that they use. `cargo xtask test c` runs it."""

import re
from pathlib import Path

import installation
from installation import FOLDER, GIVEN, PREFIX, ran, run

TOOLS = Path(GIVEN["tools"])
#: `eval` keeps the paths with spaces together.
MOVED_USER = """
export PKG_CONFIG_PATH="$PWD/at last/lib/pkgconfig"
eval "cc '$1/examples/retry.c' $(pkg-config --cflags --libs backoff) -o retry"
LD_LIBRARY_PATH="$PWD/at last/lib" ./retry
"""


def test_an_installed_folder_can_be_moved_with_destdir_and_spaces(tmp_path):
    staged, moved = tmp_path / "staged", tmp_path / "moved folder"
    moved.mkdir()
    prefix = "/opt/back off"
    run(GIVEN["xtask"], "install", "--prefix", prefix, env={"DESTDIR": str(staged)})
    (staged / prefix.lstrip("/")).rename(moved / "at last")
    assert run("sh", "-ec", MOVED_USER, "sh", FOLDER, cwd=moved).endswith("done\n")


def test_the_package_of_cmake_accepts_the_versions_that_it_should(tmp_path):
    installation.cmake_versions(TOOLS / "cmake", tmp_path)


def test_a_project_with_cmake(tmp_path):
    ran("build systems", "CMake", installation.with_cmake(TOOLS / "cmake", tmp_path))


def test_a_project_with_meson(tmp_path):
    meson, ninja = TOOLS / "meson", TOOLS / "ninja"
    environment = {"PKG_CONFIG_PATH": f"{PREFIX}/lib/pkgconfig", "NINJA": str(ninja)}
    run(meson, "setup", tmp_path, installation.CONSUMERS, env=environment)
    run(ninja, "-C", tmp_path)
    installation.examples_run(tmp_path)
    ran("build systems", "Meson", run(meson, "--version").strip())


def test_a_parser_of_c_takes_the_plain_header():
    """The delay is that of README.md."""
    found = run(TOOLS / "python", FOLDER / "tests/plain_header.py", PREFIX)
    assert found == "229309811\n"


def test_the_page_for_any_language_quotes_its_examples():
    """And declarations of the header for parsers, which is generated."""
    page = (FOLDER / "docs/any-language.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    examples = FOLDER / "examples/languages/ruby"
    texts = [path.read_text(encoding="utf-8") for path in examples.iterdir()]
    header = (PREFIX / "share/backoff/backoff.ffi.h").read_text(encoding="utf-8").splitlines()
    for language, code in blocks:
        if language == "c":
            assert set(code.splitlines()) <= set(header)
        else:
            assert language == "ruby"
            assert any(code in text for text in texts), code
    assert len(blocks) > 6
