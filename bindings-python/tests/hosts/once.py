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


ONCE = {
    "iterator": lambda: contextlib.nullcontext(iter([b"once"])),
    "pipe": pipe,
    "counting": lambda: Counting(b"once"),
}
