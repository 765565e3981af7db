"""Batches: lists and buffers of delays, and keys and batches larger than memory."""

import ctypes
import subprocess
import sys
from array import array

import pytest
from backoff_rs import Policy, RandomStream

POLICY = Policy("exponential", base=0.1, cap=20, jitter="full")
STREAM = RandomStream(42, "job-1")

BUFFERS = [
    ("no buffer", [0, 0]),
    ("read-only", bytes(16)),
    ("floats", array("d", [0, 0])),
    ("4-byte ints", array("I", [0, 0])),
    ("bytes", bytearray(16)),
    ("every other int", memoryview(array("Q", [0, 0, 0, 0]))[::2]),
    ("unaligned ints", memoryview(bytearray(24))[1:17].cast("Q")),
    ("big-endian ints", memoryview((ctypes.c_ulonglong.__ctype_be__ * 2)())),
    ("little-endian ints", memoryview((ctypes.c_ulonglong.__ctype_le__ * 2)())),
    ("pointers", memoryview(bytearray(16)).cast("P")),
]


@pytest.mark.parametrize("buffer", [pytest.param(b, id=fact) for fact, b in BUFFERS])
def test_unsuitable_buffer(buffer):
    with pytest.raises(TypeError) as caught:
        POLICY.fill_ns(STREAM, buffer)
    shown = {array: "array.array"}
    expected = "buffer must be a writable, C-contiguous, aligned buffer of native 8-byte ints, not "
    assert str(caught.value) == expected + shown.get(type(buffer), type(buffer).__name__)
    assert not any(buffer if isinstance(buffer, list) else memoryview(buffer).tobytes())


@pytest.mark.parametrize(
    "typecode", ["Q", "q", "N", "n", *("Ll" if array("L").itemsize == 8 else "")]
)
def test_every_type_of_native_8_byte_ints(typecode):
    for form in (typecode, "@" + typecode):
        buffer = memoryview(bytearray(24)).cast(form)
        assert POLICY.fill_ns(STREAM, buffer) == 3
        assert buffer.tolist() == [11399434, 83043876, 229309811]


def test_a_buffer_of_several_dimensions_is_filled_in_order():
    buffer = memoryview(bytearray(32)).cast("Q", (2, 2))
    assert POLICY.fill_ns(STREAM, buffer) == 4
    assert buffer.tolist() == [[11399434, 83043876], [229309811, 83486434]]


def test_a_batch_is_cut_where_the_indices_end():
    last = 2**32 - 1
    for typecode in "Qq":
        buffer = array(typecode, [7, 7, 7])
        assert POLICY.fill_ns(STREAM, buffer, last) == 1
        assert list(buffer) == [POLICY.delay_ns(STREAM, last), 7, 7]
    assert POLICY.delays(STREAM, 2**63, last) == [POLICY.delay(STREAM, last)]
    assert POLICY.delays(STREAM, 0) == []
    assert POLICY.fill_ns(STREAM, array("Q")) == 0


MB = 2**20

LITTLE_MEMORY = [
    ("a batch", "", "p.delays(b.RandomStream(1), 2**32)", "MemoryError"),
    ("a list", "", "p.delays(b.RandomStream(1), 2**23)", "MemoryError"),
    ("text", f"k = 'a' * {160 * MB}", "b.RandomStream(1, k)", "enough"),
    ("bytes", f"k = bytes({160 * MB})", "b.RandomStream(1, k)", "enough"),
    ("a buffer", f"k = bytearray({160 * MB})", "b.RandomStream(1, k)", "enough"),
    ("text and its UTF-8", f"k = 'ż' * {80 * MB}", "b.RandomStream(1, k)", "MemoryError"),
    (
        "bytes that are not contiguous",
        f"k = memoryview(bytearray({160 * MB}))[::-1]",
        "b.RandomStream(1, k)",
        "MemoryError",
    ),
    (
        "the end of the indices",
        f"a = memoryview(bytearray({160 * MB})).cast('Q')",
        "p.fill_ns(b.RandomStream(1), a, 2**32 - 1)",
        "enough",
    ),
    (
        "signed words",
        f"a = memoryview(bytearray({80 * MB})).cast('q')",
        "p.fill_ns(b.RandomStream(1), a)",
        "enough",
    ),
    (
        "words",
        f"a = memoryview(bytearray({160 * MB})).cast('Q')",
        "p.fill_ns(b.RandomStream(1), a)",
        "enough",
    ),
]


@pytest.mark.parametrize(
    ("setup", "call", "result"),
    [pytest.param(*row, id=fact) for fact, *row in LITTLE_MEMORY],
)
def test_little_memory(setup, call, result):
    code = (
        "import resource, backoff_rs as b\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({256 * MB}, {256 * MB}))\n"
        "p = b.Policy('constant', base=1)\n"
        f"{setup}\n"
        "try:\n"
        f"    {call}\n"
        "    print('enough')\n"
        "except MemoryError:\n"
        "    print('MemoryError')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{result}\n", "")
