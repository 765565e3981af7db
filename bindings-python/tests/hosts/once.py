"""Bodies of requests that can be sent only once, each as a context."""

import contextlib
import io
import os


@contextlib.contextmanager
def pipe():
    """The end of a pipe. It has tell(), which fails."""
    end, other = os.pipe()
    os.write(other, b"once")
    os.close(other)
    with os.fdopen(end, "rb") as file:
        yield file


class Counting(io.BytesIO):
    """It knows where it is, and cannot go back."""

    def seekable(self):
        return False

    def seek(self, *_):
        raise io.UnsupportedOperation("seek")


class Part:
    """A file with read() and some of the other methods of files."""

    def __init__(self, *methods):
        file = io.BytesIO(b"once")
        for name in ("read", *methods):
            setattr(self, name, getattr(file, name))

    def __iter__(self):
        yield self.read()


ONCE = {
    "iterator": lambda: contextlib.nullcontext(iter([b"once"])),
    "pipe": pipe,
    "counting": lambda: Counting(b"once"),
    "no tell()": lambda: contextlib.nullcontext(Part("seek")),
    "no seek()": lambda: contextlib.nullcontext(Part("tell")),
}
