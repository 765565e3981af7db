"""What the errors of HTTP clients say about TLS."""

from __future__ import annotations

import ssl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

#: A connection that was lost during its handshake. Nothing is wrong with the TLS of either side.
_LOST: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)


def is_about_tls(error: BaseException, *kinds: type[Exception]) -> bool:
    """Whether an error says that the TLS of the two sides does not fit, such as a certificate that
    is not valid: another attempt would fail, too. kinds are such errors of the client."""
    errors = list(behind(error))
    wrong: tuple[type[Exception], ...] = (ssl.SSLError, *kinds)
    return any(isinstance(part, wrong) for part in errors) and not any(
        isinstance(part, (*_LOST, ConnectionError)) for part in errors
    )


def is_of_a_handshake(error: BaseException) -> bool:
    """Whether an error was raised in the handshake of TLS: nothing was sent."""
    for part in behind(error):
        traceback = part.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_name == "do_handshake":
                return True
            traceback = traceback.tb_next
    return False


def behind(error: BaseException) -> Iterator[BaseException]:
    """An error and those that it holds. Its context may be an error of the caller, which says
    nothing about the request."""
    left: list[object] = [error]
    seen: set[int] = set()
    while left:
        part = left.pop()
        if isinstance(part, BaseException) and id(part) not in seen:
            seen.add(id(part))
            yield part
            left += [part.__cause__, getattr(part, "reason", None), *part.args]
