"""The verdict on an HTTP response."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final, SupportsIndex

from ._aliases import Seconds
from ._backoff import _http_retry_after_ns, _type_name
from ._types import Outcome
from ._verdict import Verdict

_FIELDS = frozenset(
    {"retry-after-ms", "retry-after", "ratelimit", "ratelimit-reset", "x-ratelimit-reset"}
)

#: The outcomes of statuses of proxies and overloaded services that are in no standard (SPEC 14.8),
#: for the option statuses of HTTP adapters.
PROXY_STATUSES: Final[Mapping[int, Outcome]] = MappingProxyType(
    {
        520: Outcome.TRANSIENT,
        521: Outcome.TRANSIENT,
        522: Outcome.TIMEOUT,
        523: Outcome.TRANSIENT,
        524: Outcome.TIMEOUT,
        529: Outcome.THROTTLED,
    }
)


def http_verdict(
    status: SupportsIndex,
    headers: Mapping[str, str] | None = None,
    *,
    now: Seconds | datetime | None = None,
) -> Verdict:
    """The verdict on an HTTP response with this status and these headers: Outcome.of_http_status(),
    and the wait that the server asked for, from retry-after-ms, Retry-After or, with status 429,
    RateLimit, RateLimit-Reset or X-RateLimit-Reset (SPEC 14.5).

    headers are those of any client, or a dict; the case of their names says nothing. now is that
    of parse_retry_after().

    It says nothing about whether the request is safe to retry.

    Raises PolicyError for a status or a now out of range; TypeError for other types.
    """
    if headers is not None and not hasattr(headers, "items"):
        raise TypeError(f"headers must be a mapping of names, not {_type_name(headers)}")
    fields = ""
    for name, value in headers.items() if headers else ():
        _check("names", name)
        if name.lower() in _FIELDS:
            _check("values", value)
            # No value of HTTP has a line feed. Clients read other bytes than ASCII in many ways, and
            # none of them has a meaning.
            ascii = value.encode("ascii", "replace").decode("ascii")
            fields += "" if "\n" in value else f"{name}:{ascii}\r\n"
    outcome = Outcome.of_http_status(status)
    wait_ns = _http_retry_after_ns(status, fields, now)
    return Verdict(outcome, None if wait_ns is None else wait_ns / 10**9)


def _check(what: str, text: object) -> None:
    # Untyped callers pass anything, such as the bytes of a raw header.
    if not isinstance(text, str):
        raise TypeError(f"the {what} of headers must be str, not {_type_name(text)}")
