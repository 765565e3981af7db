"""Reads backoff.ffi.h with cffi, as it is, and calls the library. Usage: plain_header.py PREFIX"""

import json
import sys
from pathlib import Path

from cffi import FFI

prefix = Path(sys.argv[1])
ffi = FFI()
ffi.cdef((prefix / "share/backoff/backoff.ffi.h").read_text(encoding="utf-8"))
library = ffi.dlopen(str(prefix / "lib/libbackoff.so"))
described = json.loads((prefix / "share/backoff/abi.json").read_text(encoding="utf-8"))


def written(function, *arguments):
    """The number that a function writes after its other arguments."""
    number = ffi.new("uint64_t *")
    assert function(*arguments, number) == library.BACKOFF_OK
    return number[0]


def constant(name):
    return written(library.backoff_constant, name.encode(), len(name))


for name in described["functions"]:
    assert getattr(library, name), name
for name, struct in described["structs"].items():
    assert ffi.sizeof(name) == struct["size"] == constant(f"sizeof({name})"), name
    for member in struct["members"]:
        assert ffi.offsetof(name, member["name"]) == member["offset"], member
for name, numbers in described["enums"].items():
    assert ffi.sizeof(name) == 4
    for number in numbers:
        assert getattr(library, number) == numbers[number] == constant(number), number

policy = ffi.new("backoff_policy *")
text = b"full:base=100ms,cap=20s"
assert library.backoff_policy_parse(policy, text, len(text), ffi.NULL) == library.BACKOFF_OK
stream = written(library.backoff_stream_from_key, 42, b"job-1", 5)
print(written(library.backoff_policy_delay_ns, policy, stream, 2))
