"""libbackoff in Python: what backoff.h declares, through ctypes. Its names lose their prefix.

Usage of the scripts that import it: SCRIPT HEADER LIBRARY ...
"""

import ctypes
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

from module import Module

TEXT = re.sub(r"//.*|/\*(?s:.*?)\*/", "", Path(sys.argv[1]).read_text(encoding="utf-8"))
#: The numbers. Those of codes lose ERROR_, too.
NUMBERS = {
    name.removeprefix("ERROR_"): int(number)
    for name, number in re.findall(r"BACKOFF_(\w+)(?: = | UINT(?:32|64)_C\()(\d+)", TEXT)
}
N = SimpleNamespace(**NUMBERS)
PLAIN = dict.fromkeys(re.findall(r"typedef enum \w+ (\w+);", TEXT), ctypes.c_uint32) | {
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "char": ctypes.c_char,
    "void": None,
}


def declared(text: str) -> tuple[str, type]:
    """The name and the type of a parameter or of a member."""
    *words, name = re.sub(r"\b(const|struct)\b", "", text).replace("*", " * ").split()
    if "*" in words:
        return name, ctypes.c_void_p
    name, _, length = name.rstrip("]").partition("[")
    return name, PLAIN[words[0]] * int(length) if length else PLAIN[words[0]]


def parameters(text: str) -> list[str]:
    return [] if text.strip() == "void" else text.split(",")


def member(text: str) -> tuple[str, type]:
    function = re.fullmatch(r"\s*(\w+) \(\*(\w+)\)\((.*)\)", text, re.DOTALL)
    if function is None:
        return declared(text)
    result, name, given = function.groups()
    return name, ctypes.CFUNCTYPE(PLAIN[result], *(declared(one)[1] for one in parameters(given)))


def struct(name: str, members: str) -> type[ctypes.Structure]:
    fields = [member(one) for one in members.split(";")[:-1]]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


#: The structs.
S = SimpleNamespace(
    **{
        name: struct(name, members)
        for name, members in re.findall(
            r"^struct [^;{]*?backoff_(\w+) \{(.*?)^\};", TEXT, re.DOTALL | re.MULTILINE
        )
    }
)
#: The result and the parameters of each function.
DECLARED = re.findall(r"^(.*?)\bbackoff_(\w+)\(([^)]*)\);", TEXT, re.MULTILINE)
RESULTS = {name: result.strip() for result, name, _ in DECLARED}
FUNCTIONS = {name: parameters(given) for _, name, given in DECLARED}
LIBRARY = (Module if sys.argv[2].endswith(".wasm") else ctypes.CDLL)(sys.argv[2])


def function(name: str) -> Callable[..., int]:
    called = getattr(LIBRARY, f"backoff_{name}")
    called.argtypes = [declared(one)[1] for one in FUNCTIONS[name]]
    is_text = RESULTS[name] == "const char *"
    called.restype = ctypes.c_char_p if is_text else PLAIN[RESULTS[name]]
    return called


#: The functions.
F = SimpleNamespace(**{name: function(name) for name in FUNCTIONS})
ref = ctypes.byref


def filled(of: type[ctypes.Structure]) -> ctypes.Structure:
    """Memory that no function has written."""
    return of.from_buffer_copy(b"\xa5" * ctypes.sizeof(of))


def u32() -> ctypes.c_uint32:
    return ctypes.c_uint32(0xA5A5A5A5)


def u64() -> ctypes.c_uint64:
    return ctypes.c_uint64(0xA5A5A5A5A5A5A5A5)


def ok(code: int) -> None:
    assert code == N.OK, F.code_name(code)


def code(number: int) -> str:
    return F.code_name(number).decode()


def printed(write: Callable[..., int], of: ctypes.Structure, size: int = N.STATS_SIZE) -> str:
    buffer = ctypes.create_string_buffer(size)
    ok(write(ref(of), buffer, size, None))
    return buffer.value.decode("utf-8", "surrogateescape")


def parsed(of: str, text: str | bytes) -> ctypes.Structure:
    """A policy or a budget."""
    made, data = getattr(S, of)(), text.encode() if isinstance(text, str) else text
    ok(getattr(F, f"{of}_parse")(ref(made), data, len(data), None))
    return made


def main(tests: Iterable[Callable[[], Iterable[tuple]]]) -> None:
    """Runs tests, each of which gives names with what was found and what was expected."""
    passed = failed = 0
    for test in tests:
        count = 0
        try:
            for name, found, wanted in test():
                count += 1
                if found == wanted:
                    passed += 1
                    continue
                failed += 1
                print(f"FAIL {test.__name__} {name}: found {found!r}, expected {wanted!r}")
            assert count, "nothing was checked"
        except Exception:
            failed += 1
            print(f"FAIL {test.__name__} after {count} checks\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)
