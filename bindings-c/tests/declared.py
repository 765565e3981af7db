"""backoff.h, backoff.ffi.h, abi.json and the library say the same.

Usage: declared.py ABI LIBRARY, with the compilers in CC and CXX
"""

import ctypes
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from library import ABI, CONSTANTS, F, code, main, ref, u64

SHARE = Path(sys.argv[1]).parent
HEADER = SHARE.parents[1] / "include/backoff.h"
FFI = SHARE / "backoff.ffi.h"
COMPILERS = {"c": shlex.split(os.environ["CC"]), "c++": shlex.split(os.environ["CXX"])}
SIZES = {f"sizeof({name})": about["size"] for name, about in ABI["structs"].items()}
#: The plain header has no macros, so no numbers of 64 bits: `backoff_constant` knows them.
LARGE = re.findall(r"#define (BACKOFF_\w+) UINT64_C", HEADER.read_text(encoding="utf-8"))
IN_BOTH = {*CONSTANTS} - {*LARGE}
#: The macros of the header that are no numbers.
MACROS = {"H", "ALIGNED", "ENUM", "MUST_CHECK", "PARAMS_INIT"}


def compiled(language, standard, text, *options):
    """What the compiler writes."""
    command = [*COMPILERS[language], f"-std={standard}", "-Werror", "-x", language, *options, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def by_name():
    for name, number in {**CONSTANTS, **SIZES}.items():
        value = u64()
        yield (
            name,
            (code(F.constant(name.encode() + b"x", len(name), ref(value))), value.value),
            ("ok", number),
        )
    for name in [
        "", "BACKOFF", "BACKOFF_OKAY", "backoff_ok", "BACKOFF_OK\0", " BACKOFF_OK", "OK", "sizeof(backoff_policy",
        "sizeof(backoff_polic)", "sizeof(struct backoff_policy)", "backoff_policy", "x" * 10**6,
    ]:  # fmt: skip
        value = u64()
        found = code(F.constant(name.encode(), len(name), ref(value)))
        yield name[:40], (found, value.value), ("unknown_name", u64().value)


def one_after_another():
    everything = {**CONSTANTS, **SIZES}
    found, name, value = [], ctypes.c_char_p(), u64()
    codes = []
    for index in range(len(everything) + 1):
        codes.append(code(F.constant_at(index, ref(name), ref(value))))
        found.append((name.value.decode(), value.value))
    yield "codes", codes, ["ok"] * len(everything) + ["end"]
    yield "all", sorted(found[:-1]), sorted(everything.items())
    yield "unchanged at the end", found[-1], found[-2]


def facts(header, pointer=8):
    """A program that compiles if the header has what abi.json has, with the same types."""
    text = f"""#ifdef __cplusplus
        #include <type_traits>
        #define SAME(type, other) static_assert(std::is_same<type, other>::value, #type)
        #define _Static_assert static_assert
        extern "C" {{
        #else
        #define SAME(type, other) _Static_assert(1, #type)
        #endif
        #include <stddef.h>
        #include <stdint.h>
        #include "{header}"\n"""
    for name, number in CONSTANTS.items():
        if header == HEADER or name in IN_BOTH:
            text += f'_Static_assert({name} == {number}ull, "{name}");\n'
    for enum in ABI["enums"]:
        text += f'_Static_assert(sizeof({enum}) == 4, "{enum}");\n'
    for name, about in ABI["structs"].items():
        if name in ("backoff_loop", "backoff_label") and pointer == 4:
            continue
        text += f'_Static_assert(sizeof({name}) == {about["size"]}, "{name}");\n'
        for one in about["members"]:
            place = f"{name}, {one['name']}"
            text += f'_Static_assert(offsetof({place}) == {one["offset"]}, "{place}");\n'
            text += f"typedef {declaration(one['type'], name + '_' + one['name'])};\n"
            text += f"SAME(decltype({name}::{one['name']}), {name}_{one['name']});\n"
    for name, about in ABI["functions"].items():
        parameters = ", ".join(parameter["type"] for parameter in about["parameters"]) or "void"
        text += f"{about['returns']} {name}({parameters});\n"
    return text + "#ifdef __cplusplus\n}\n#endif\n"


def declaration(kind, name):
    """`uint64_t name[2]` of `uint64_t[2]`, and `void (*name)(void)` of `void (*)(void)`."""
    if " (*)" in kind:
        return kind.replace("(*)", f"(*{name})", 1)
    kind, bracket, length = kind.partition("[")
    return f"{kind} {name}{bracket}{length}"


def compilers():
    check = ["-fsyntax-only", "-Wall", "-Wextra"]
    for header in [HEADER, FFI]:
        for language, standard in [("c", "c11"), ("c++", "c++11")]:
            done = compiled(language, standard, facts(header), *check)
            yield (header.name, standard), done.stderr, ""
        # Only the compiler: there may be no headers of 32 bits.
        small = [*check, "-m32", "-ffreestanding"]
        if compiled("c", "c11", "int one;", *small).returncode == 0:
            done = compiled("c", "c11", facts(header, pointer=4), *small)
            yield (header.name, "32 bits"), done.stderr, ""


def names():
    """The headers declare nothing else."""
    macros = compiled("c", "c11", f'#include "{HEADER}"', "-E", "-dM").stdout
    macros = set(re.findall(r"#define BACKOFF_(\w+)", macros)) - MACROS
    yield "macros", macros, {name.removeprefix("BACKOFF_") for name in ABI["constants"]}
    for header in [HEADER, FFI]:
        text = compiled("c", "c11", f'#include <stdint.h>\n#include "{header}"', "-E", "-P").stdout
        found = set(re.findall(r"\b(backoff_\w+)\(", text))
        yield (header.name, "functions"), found, set(ABI["functions"])
        found = set(re.findall(r"\b(BACKOFF_\w+) = ", text))
        macros = ABI["constants"] if header == HEADER else LARGE
        yield (header.name, "numbers"), found, {*CONSTANTS} - {*macros}
        found = set(re.findall(r"\bstruct (backoff_\w+) \{", text))
        found |= set(
            re.findall(r"\bstruct __attribute__\(\(aligned\(8\)\)\) (backoff_\w+) \{", text)
        )
        yield (header.name, "structs"), found, set(ABI["structs"])
    text = FFI.read_text(encoding="utf-8")
    yield "directives, comments and attributes", re.findall(r"#|/\*|//|__|alignas", text), []


def aligned():
    """The opaque structs are aligned to 8 where uint64_t is aligned to 4, as on i686."""
    text = f"""#include <stdint.h>
        typedef uint64_t aligned_to_4 __attribute__((aligned(4)));
        #define uint64_t aligned_to_4
        #include "{HEADER}"
        _Static_assert(_Alignof(struct {{ uint64_t word; }}) == 4, "uint64_t");\n"""
    for name, about in ABI["structs"].items():
        if about["members"][0]["name"] == "opaque":
            text += f'_Static_assert(_Alignof({name}) == 8, "{name}");\n'
    yield "opaque structs", compiled("c", "c11", text, "-fsyntax-only").stderr, ""


if __name__ == "__main__":
    main([by_name, one_after_another, compilers, names, aligned])
