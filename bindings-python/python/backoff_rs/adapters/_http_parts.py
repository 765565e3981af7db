"""Parts of an HTTP request that adapters share: its switch, its URL, its body, and how it failed."""

from __future__ import annotations

import contextlib
import re
from contextvars import ContextVar
from typing import NamedTuple
from urllib.parse import urlsplit

from .._http import http_verdict
from .._types import Outcome
from ._tls import behind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

    from .._aliases import OutcomeOrName

#: A longer body is not read before a retry: its connection is closed.
MAX_DRAINED: Final = 65_536

#: int() raises an error for thousands of digits.
_MAX_DIGITS: Final = 20

#: What http.client says before the status.
_REFUSED_TUNNEL: Final = "Tunnel connection failed: "

_PORTS: Final = {"http": 80, "https": 443}


_SWITCH: ContextVar[bool | None] = ContextVar("backoff_rs_switch", default=None)


@contextlib.contextmanager
def switch(*, retry: bool) -> Iterator[None]:
    """A context whose requests may be repeated (retry=True), whatever their methods and headers, or
    are sent once (retry=False). It holds for this thread or task, and takes precedence over
    may_repeat."""
    token = _SWITCH.set(checked_switch(retry))
    try:
        yield
    finally:
        _SWITCH.reset(token)


def checked_switch(retry: object) -> bool:
    """The switch of a request. A number of retries is none: it is part of the policy."""
    if not isinstance(retry, bool):
        kinds = "True (it may be repeated) or False (it is sent once)"
        raise TypeError(f"retry of a request must be {kinds}, not {retry!r}")
    return retry


def switched() -> bool | None:
    """What the context says of its requests."""
    return _SWITCH.get()


class Failure(NamedTuple):
    """How an attempt failed (SPEC 19.3, table)."""

    outcome: OutcomeOrName
    never_sent: bool = False


def status_of_tunnel(error: BaseException) -> str:
    """The status with which a proxy refused a tunnel to the host, in an error of http.client; an
    empty text if it is another error."""
    texts = [str(part) for part in behind(error) if isinstance(part, OSError)]
    refused = (text for text in texts if text.startswith(_REFUSED_TUNNEL))
    return next((text[len(_REFUSED_TUNNEL) :][:3] for text in refused), "")


def refused_tunnel(status: int | str) -> Failure:
    """The failure of a request whose tunnel a proxy refused with this status. A text that is no
    status counts as one that the client does not show."""
    try:
        outcome = http_verdict(int(status), {}).outcome
    except ValueError:
        return Failure("transient", never_sent=True)
    is_success = outcome == Outcome.SUCCESS
    return Failure("permanent" if is_success else outcome, never_sent=True)


def url_parts(url: str) -> tuple[str, str]:
    """A URL without user information, query and fragment, and its origin."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        # Clients check less, or check it later: a port may be out of range. They say what is wrong.
        scheme, _, rest = re.split("[?#]", url, maxsplit=1)[0].partition("://")
        authority, slash, path = rest.partition("/")
        server = f"{scheme}://{authority.rpartition('@')[2]}"
        return server + slash + path, server.lower()
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return shown, f"{parts.scheme}://{parts.hostname}:{port}"


def can_go_back(file: Any) -> bool:
    """Whether a file can be read again from where it was."""
    seekable = getattr(file, "seekable", None)
    try:
        return hasattr(file, "seek") and (seekable is None or bool(seekable()))
    except (OSError, ValueError):
        # It is closed.
        return False


def holds_its_bytes(body: Any) -> bool:
    """Whether each attempt can send this body as it is: text, or what memoryview takes. Clients read a
    file, such as an mmap, also if memoryview takes it."""
    if isinstance(body, str) or hasattr(body, "read"):
        return isinstance(body, str)
    try:
        memoryview(body)
    except TypeError:
        return False
    return True


def is_long(length: str | None) -> bool:
    """Whether a body of this Content-Length is too long to be drained."""
    digits = (length or "").lstrip("0")
    return digits.isdecimal() and (len(digits) > _MAX_DIGITS or int(digits) > MAX_DRAINED)
