"""Tests of what contents.py reads."""

import contents
import pytest


def test_dependencies_are_those_of_the_line_above_with_less_depth():
    crates = contents.parse(
        "0|top v0.1.0 (/top)|MIT\n1|a v1.0.0|Zlib\n2|b v2.0.0|MIT\n1|b v2.0.0|MIT (*)\n"
    )
    a, b = ("a", "1.0.0"), ("b", "2.0.0")
    assert crates == {("top", "0.1.0"): ("MIT", {a, b}), a: ("Zlib", {b}), b: ("MIT", set())}
    for wrong in ("1|a v1.0.0|MIT\n", ""):
        with pytest.raises(AssertionError):
            contents.parse(wrong)


FILES = """\
backoff-1.2.3-aarch64-unknown-linux-musl.tar.gz        backoff-cli      aarch64-unknown-linux-musl
libbackoff-1.2.3-x86_64-pc-windows-gnu.tar.gz          bindings-c       x86_64-pc-windows-gnu
backoff_rs-1.2.3-cp311-abi3-manylinux_2_17_aarch64.whl bindings-python  aarch64-unknown-linux-gnu
backoff_rs-1.2.3-cp311-abi3-win_amd64.whl              bindings-python  x86_64-pc-windows-gnu
backoff-wasm-1.2.3.tgz                                 bindings-wasm    wasm32-unknown-unknown
backoff-core-1.2.3.crate
backoff_rs-1.2.3.tar.gz
backoff-go-1.2.3.zip
"""


@pytest.mark.parametrize("line", FILES.splitlines())
def test_the_name_of_a_file_says_what_is_linked_into_it(line):
    file, *found = line.split()
    assert list(contents.described(file, "1.2.3")[1:]) == (found or [None, None])


def test_other_files_are_an_error():
    with pytest.raises(SystemExit, match=r"other\.txt"):
        contents.described("other.txt", "1.2.3")
