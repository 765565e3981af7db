"""libbackoff in Python: what abi.json declares, through ctypes. Its names lose their prefix.

Usage of the scripts that import it: SCRIPT ABI LIBRARY ...
"""

import ctypes
import json
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

from module import Module

ABI = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
LIBRARY = (Module if sys.argv[2].endswith(".wasm") else ctypes.CDLL)(sys.argv[2])
PLAIN = {
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "char": ctypes.c_char,
    "void": None,
    **dict.fromkeys(ABI["enums"], ctypes.c_uint32),
}


def type_of(text: str) -> type | None:
    """The type of a parameter or of a member, such as `const char *text` or `char[36]`."""
    result, is_function, given = text.partition(" (*)")
    if is_function:
        return ctypes.CFUNCTYPE(type_of(result), *map(type_of, given.split(",")))
    if "*" in text:
        return ctypes.c_void_p
    name, _, length = text.strip("( )").split()[0].rstrip("]").partition("[")
    return PLAIN[name] * int(length) if length else PLAIN[name]


def bare(name: str) -> str:
    return name.removeprefix("BACKOFF_").removeprefix("backoff_").removeprefix("ERROR_")


#: Every number by its whole name.
CONSTANTS = {
    **ABI["constants"],
    **{name: n for enum in ABI["enums"].values() for name, n in enum.items()},
}
NUMBERS = {bare(name): number for name, number in CONSTANTS.items()}
N = SimpleNamespace(**NUMBERS)


def struct(name: str, members: list[dict]) -> type[ctypes.Structure]:
    fields = [(member["name"], type_of(member["type"])) for member in members]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


#: The structs.
S = SimpleNamespace(
    **{bare(name): struct(bare(name), about["members"]) for name, about in ABI["structs"].items()}
)
#: The parameters of each function.
FUNCTIONS = {bare(name): about["parameters"] for name, about in ABI["functions"].items()}


def function(name: str, of: ctypes.CDLL = LIBRARY, declared: str = "") -> Callable[..., int]:
    """A function of a library that is declared as another."""
    about, called = ABI["functions"][declared or name], getattr(of, name)
    called.argtypes = [type_of(parameter["type"]) for parameter in about["parameters"]]
    called.restype = ctypes.c_char_p if "*" in about["returns"] else type_of(about["returns"])
    return called


#: The functions.
F = SimpleNamespace(**{bare(name): function(name) for name in ABI["functions"]})
ref = ctypes.byref


def filled(of: type[ctypes.Structure], byte: int = 0xA5) -> ctypes.Structure:
    """Memory that no function has written."""
    return of.from_buffer_copy(bytes([byte]) * ctypes.sizeof(of))


def u32() -> ctypes.c_uint32:
    return ctypes.c_uint32(0xA5A5A5A5)


def u64() -> ctypes.c_uint64:
    return ctypes.c_uint64(0xA5A5A5A5A5A5A5A5)


def ok(code: int) -> None:
    assert code == N.OK, F.code_name(code)


def code(number: int) -> str:
    return F.code_name(number).decode()


def printed(write: Callable[..., int], of: ctypes.Structure) -> str:
    length = u64()
    assert write(ref(of), None, 0, ref(length)) == N.BUFFER_TOO_SMALL
    buffer = ctypes.create_string_buffer(length.value + 1)
    ok(write(ref(of), buffer, len(buffer), None))
    return buffer.value.decode("utf-8", "surrogateescape")


def parsed(of: str, text: str | bytes, into: ctypes.Structure | None = None) -> ctypes.Structure:
    """A policy or a budget."""
    made, data = into or getattr(S, of)(), text.encode() if isinstance(text, str) else text
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
