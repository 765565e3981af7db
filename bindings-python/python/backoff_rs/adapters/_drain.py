"""Reads the rest of a body of urllib3 before a retry, so that its connection can be used again (SPEC 19.5)."""

from __future__ import annotations

import contextlib
import io
import time

import urllib3

from ._http_parts import MAX_DRAINED, is_long

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Bounded(io.RawIOBase):
    """What comes from a socket until a time, and no more than MAX_DRAINED bytes. http.client reads trailers
    and the rest of a line for as long as they come, so a timeout of the socket does not end that."""

    def __init__(self, file: Any, end: float) -> None:
        super().__init__()
        self._file, self._end, self._left = file, end, MAX_DRAINED

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # When the time is over, only what has arrived is read.
        self._file.raw._sock.settimeout(max(0, self._end - time.monotonic()))
        count: int | None = self._file.readinto1(buffer) if self._left > 0 else None
        if count is None:
            raise TimeoutError("the body before a retry is long or late")
        self._left -= count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def drain(body: Any, seconds: float) -> None:
    """Reads a short body to its end, for at most this time. If it does not end, its connection is closed."""
    if not is_long(body.headers.get("Content-Length")):
        # A server that ends its body early has failed already. Nothing bounds a read without a socket.
        with contextlib.suppress(urllib3.exceptions.HTTPError, OSError, AttributeError):
            _read_and_drop(body, time.monotonic() + seconds)
    body.close()


def _read_and_drop(body: Any, end: float) -> None:
    """The types of urllib3 do not show the socket."""
    file = body._fp.fp
    if file is None:
        # There is no body, but the connection goes back to its pool only after a read.
        body.read1(1)
        return
    connection = file.raw._sock
    kept = connection.gettimeout()
    body._fp.fp = io.BufferedReader(_Bounded(file, end))
    while body.read1(MAX_DRAINED, decode_content=False):
        pass
    connection.settimeout(kept)
