"""Compares the ABI with that of the last release, with abidiff of Debian's package abigail-tools. What a program sees of an
ABI is the header and the symbols, so a library is compiled from these: functions that do nothing, with debug information.
`cargo xtask test --all c` runs it."""

import json
import re
import subprocess

import grown
import pytest
from installation import FOLDER, GIVEN, PREFIX, run, so_version, symbol_nodes

HEADER = (PREFIX / "include/backoff.h").read_text(encoding="utf-8")
ABI = json.loads((PREFIX / "share/backoff/abi.json").read_text(encoding="utf-8"))
VERSION = ABI["version"]
SYMBOLS = (FOLDER / "symbols.map").read_text(encoding="utf-8")
TODAY = VERSION, HEADER, SYMBOLS
STRUCT = re.compile(r"(struct (?:BACKOFF_ALIGNED\(8\) )?(backoff_\w+) \{)(.*?)\};", re.DOTALL)
#: Enumerators and macros. The version may change.
NUMBER = re.compile(r"\b(BACKOFF_(?!VERSION)\w+) (?:= |UINT\d\d_C\()(\d+)")
RESERVED = re.compile(r"\s+uint64_t reserved(\[\d+\])?$")


def members(text):
    return text.split(";")[:-1]


def folded(header, old):
    """A header in which the reserved words of a struct of the old one, and what stands there now, are bytes."""
    old_members = {name: members(body) for _, name, body in STRUCT.findall(old)}

    def fold(match):
        head, name, body = match.groups()
        before = old_members.get(name, [])
        if not before or not RESERVED.match(before[-1]):
            return match[0]
        kept, rest = members(body)[: len(before) - 1], members(body)[len(before) - 1 :]
        size = f"sizeof(struct {{{';'.join([*rest, ''])}}})"
        return f"{head}{';'.join(kept)}; char later[{size}];}};"

    return STRUCT.sub(fold, header)


def library(folder, header, symbols, old):
    """The library of a header and of a version script."""
    header, old = (re.sub(r"//.*|/\*(?s:.*?)\*/", "", text) for text in (header, old))
    functions = re.findall(r"^[\w *]*\bbackoff_\w+\([^;{}]*\)(?=;$)", header, re.MULTILINE)
    bodies = "".join(f"{function} {{ __builtin_trap(); }}\n" for function in functions)
    folder.mkdir()
    (folder / "abi.c").write_text(folded(header, old) + bodies, encoding="utf-8")
    (folder / "symbols.map").write_text(symbols, encoding="utf-8")
    script = f"-Wl,--version-script={folder}/symbols.map"
    run("cc", "-g", "-shared", "-fPIC", script, folder / "abi.c", "-o", folder / "abi.so")
    return folder / "abi.so"


def breaks(folder, old, new):
    """What breaks programs of the old ABI, which is a version, a header and a version script; empty if nothing does, or if
    the new version has another SONAME."""
    (old_version, old_header, old_symbols), (version, header, symbols) = old, new
    if so_version(old_version) != so_version(version):
        return ""
    lost = set(NUMBER.findall(old_header)).difference(NUMBER.findall(header))
    found = [f"{name} was {number}\n" for name, number in lost]
    nodes = symbol_nodes(old_symbols)
    if symbol_nodes(symbols)[: len(nodes)] != nodes:
        found += ["the symbols of a release are not the same\n"]
    abis = {"old": (old_header, old_symbols), "new": (header, symbols)}
    libraries = [library(folder / name, *abi, old_header) for name, abi in abis.items()]
    command = ["abidiff", "--no-added-syms", *libraries]
    done = subprocess.run(command, capture_output=True, text=True)
    # The first two bits are errors of abidiff.
    assert done.returncode & 3 == 0, done.stdout + done.stderr
    return "".join(found) + (done.stdout if done.returncode else "")


if GIVEN["release"]:

    def test_the_last_release(tmp_path):
        tag = GIVEN["release"]
        files = ("include/backoff.h", "bindings-c/symbols.map")
        old = [run("git", "show", f"{tag}:{file}", cwd=FOLDER) for file in files]
        found = breaks(tmp_path, (tag.removeprefix("v"), *old), TODAY)
        assert not found, found


def later():
    header, symbols = grown.replaced("include/backoff.h"), SYMBOLS + grown.node(SYMBOLS)
    return VERSION, header, symbols


def test_a_later_version_may_add(tmp_path):
    assert breaks(tmp_path, TODAY, later()) == ""


def test_it_may_not_remove_that_again(tmp_path):
    found = breaks(tmp_path, later(), TODAY)
    assert "BACKOFF_REASON_EXHAUSTED was 8" in found
    assert "1 Removed" in found


#: Replacements that break the ABI, in the header or in the list of symbols, and what is said of them.
BROKEN = {
    "a result of another type": ("uint32_t backoff_version(", "uint64_t backoff_version(", "return type changed"),
    "a parameter less": ("backoff_retry(const backoff_loop *loop,", "backoff_retry(", "parameter"),
    "a larger struct": ("  uint64_t reserved[6];", "  uint64_t more; uint64_t reserved[6];", "array type size changed"),
    "a smaller opaque struct": (
        "backoff_policy {\n  uint64_t opaque[48];", "backoff_policy {\n  uint64_t opaque[40];", "type size changed",
    ),
    "a member of another type": ("  uint64_t elapsed_ns;", "  uint32_t elapsed_ns;", "type of 'uint64_t elapsed_ns' changed"),
    "another number of a reason": ("BACKOFF_REASON_BUDGET = 6", "BACKOFF_REASON_BUDGET = 9", "from value '6' to '9'"),
    "another number of a kind": ("BACKOFF_GROWTH_LINEAR = 2", "BACKOFF_GROWTH_LINEAR = 9", "BACKOFF_GROWTH_LINEAR was 2"),
    "a longer text": ("TEXT_SIZE UINT32_C(769)", "TEXT_SIZE UINT32_C(800)", "BACKOFF_TEXT_SIZE was 769"),
    "a symbol less": ("    backoff_retry;\n", "", "1 Removed"),
    "a symbol more in an old node": ("    backoff_retry;\n", "    backoff_retry;\n    backoff_more;\n", "not the same"),
    "another version of all symbols": (f"BACKOFF_{so_version(VERSION)} {{", "BACKOFF_9 {", f"{len(ABI['functions'])} Removed"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_only_another_soname_allows_a_break(name, tmp_path):
    old, new, found = BROKEN[name]
    assert HEADER.count(old) + SYMBOLS.count(old) == 1
    broken = HEADER.replace(old, new), SYMBOLS.replace(old, new)
    assert found in breaks(tmp_path, TODAY, (VERSION, *broken))
    assert breaks(tmp_path, TODAY, ("9.0.0", *broken)) == ""
