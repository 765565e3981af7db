"""The verdict on an HTTP response."""

from collections.abc import Mapping
from datetime import datetime
from typing import SupportsIndex

from ._aliases import Seconds
from ._backoff import _http_retry_after_ns, _type_name
from ._types import Outcome
from ._verdict import Verdict

_FIELDS = frozenset({"retry-after-ms", "retry-after", "ratelimit-reset"})


def http_verdict(
    status: SupportsIndex,
    headers: Mapping[str, str] | None = None,
    *,
    now: Seconds | datetime | None = None,
) -> Verdict:
    """The verdict on an HTTP response with this status and these headers: Outcome.of_http_status(),
    and the wait that the server asked for, from retry-after-ms, Retry-After or, with status 429,
    RateLimit-Reset (SPEC 14.5).

    headers are those of any client, or a dict; the case of their names says nothing. now is that
    of parse_retry_after().

    It says nothing about whether the request is safe to repeat.

    Raises PolicyError for a status or a now out of range; TypeError for other types.
    """
    fields = ""
    for name, value in headers.items() if headers else ():
        _check("names", name)
        if name.lower() in _FIELDS:
            _check("values", value)
            # No value of HTTP has a line feed.
            fields += "" if "\n" in value else f"{name}:{value}\n"
    outcome = Outcome.of_http_status(status)
    wait_ns = _http_retry_after_ns(status, fields, now)
    return Verdict(outcome, None if wait_ns is None else wait_ns / 10**9)


def _check(what: str, text: object) -> None:
    # Untyped callers pass anything, such as the bytes of a raw header.
    if not isinstance(text, str):
        raise TypeError(f"the {what} of headers must be str, not {_type_name(text)}")
