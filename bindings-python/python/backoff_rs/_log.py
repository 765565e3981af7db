"""The default log: retries, loops that gave up, and what a newcomer may have missed."""

import logging
import re
import sys
import traceback
from typing import Any

from ._backoff import Policy
from ._event import RetryEvent, safe_repr
from ._http_event import HttpEvent
from ._types import StopReason

_LOGGER = logging.getLogger("backoff_rs")
_METHODS = {logging.INFO: "info", logging.WARNING: "warning"}
_QUIET = {StopReason.SUCCESS, StopReason.PERMANENT, StopReason.CANCELLED}

#: The query and the fragment of a URL within a text, but not what closes it there, and its user
#: information.
_QUERY = re.compile(r"(?<=\S)[?#](?:\S*[^\s\"')\]>,.;:])?")
_USER = re.compile(r"(?<=//)[^\s/]*@")

#: What this process was told once.
_told: set[str] = set()


def log_retry(log: bool | logging.Logger, event: RetryEvent) -> None:
    """Logs a retry: of a failure or an HTTP request as a warning, of another result, which polling
    expects, as information."""
    is_expected = event.error is None and not isinstance(event, HttpEvent)
    level = logging.INFO if is_expected else logging.WARNING
    _try_to_log(log, level, "retry", event)


def log_stop(log: bool | logging.Logger, event: RetryEvent) -> None:
    """Logs that a loop gave up at a limit, as a warning: the caller gets the failure too, and knows
    whether it is an error. Other ends are the caller's to log."""
    if event.reason not in _QUIET:
        _try_to_log(log, logging.WARNING, "gave up", event)


def log_unlimited(log: bool | logging.Logger, policy: Policy, given: str | None) -> None:
    """Warns once of loops without a limit (SPEC 18.1). given is the policy string, if there is one."""
    base = str(Policy("constant", base=policy.base)).removeprefix("constant:")
    instead = f"default:{base} to change only the base" if policy.base else "off for no retries"
    forever = "has no limit, so the loop retries for ever"
    advice = f"add max_retries=3 (or write {instead})"
    _tell_once(log, "limit", f'the policy "{given or policy}" {forever}; {advice}')


def log_blocking(log: bool | logging.Logger, event: RetryEvent) -> None:
    """Warns once of blocking loops in a coroutine."""
    advice = "retry an async function, or call it by asyncio.to_thread"
    _tell_once(log, "blocks", f"the loop {event.name} blocks the event loop as it waits; {advice}")


def _tell_once(log: bool | logging.Logger, about: str, what: str) -> None:
    if about not in _told:
        _told.add(about)
        _try_to_log(log, logging.WARNING, f"backoff: {what}", None)


def _try_to_log(
    log: bool | logging.Logger, level: int, message: str, event: RetryEvent | None
) -> None:
    """A log that fails must not end the loop or hide the failure that it is about. It is reported
    as logging reports a handler that fails."""
    try:
        _log(log, level, message, event)
    except Exception:
        if logging.raiseExceptions and sys.stderr is not None:
            traceback.print_exc()


def _log(log: bool | logging.Logger, level: int, message: str, event: RetryEvent | None) -> None:
    structlog = sys.modules.get("structlog") if log is True else None
    # Unconfigured, it would print to stdout just because something imported it.
    if structlog is not None and not structlog.is_configured():
        structlog = None
    logger = _LOGGER if log is True else log
    if logger is False or (structlog is None and not logger.isEnabledFor(level)):
        return
    fields = {} if event is None else _fields(event)
    if structlog is not None:
        if fields:
            # Applications that render through logging use "name" for the logger.
            fields["loop"] = fields.pop("name")
        # Not each of its loggers has a method log().
        method = _METHODS[level]
        written: Any = getattr(structlog.get_logger("backoff_rs"), method)(message, **fields)
        if hasattr(written, "close") and hasattr(written, "__await__"):
            written.close()
            raise TypeError("the logger of structlog is asynchronous, and nothing awaits it")
        return
    if event is None:
        logger.log(level, "%s", message)
        return
    loop, how = event.name, f"{event.outcome}"
    if isinstance(event, HttpEvent):
        loop = f"{loop}: {event.method} {event.url}"
        how += "" if event.status is None else f", status {event.status}"
    if event.error is not None:
        how += f", {fields['error']}"
    then = event._summary() if event.reason else f"waiting {event.delay:.3f} s"
    extra = {f"backoff_{field}": value for field, value in fields.items()}
    logger.log(level, "%s: attempt %d: %s: %s", loop, event.attempts, how, then, extra=extra)


def _fields(event: RetryEvent) -> dict[str, Any]:
    shown = _repr_of_http_error if isinstance(event, HttpEvent) else safe_repr
    error = None if event.error is None else shown(event.error)
    # The value is left out: it may be large, or a secret.
    http = ("method", "url", "status", "sent_once") if isinstance(event, HttpEvent) else ()
    return {
        "name": event.name,
        "attempts": event.attempts,
        "outcome": event.outcome and event.outcome.value,
        "reason": event.reason and event.reason.value,
        "delay": event.delay,
        "elapsed": event.elapsed,
        "error": error,
        **{name: getattr(event, name) for name in http},
    }


def _repr_of_http_error(error: BaseException) -> str:
    """The error of an HTTP client. Its repr may have the headers of the request, and its text the URL:
    both are places for secrets (SPEC 19.9)."""
    kind = type(error).__name__
    try:
        text = _USER.sub("", _QUERY.sub("", str(error)))
    except Exception:
        return f"<{kind}, whose text failed>"
    return f"{kind}({text and repr(text)})"
