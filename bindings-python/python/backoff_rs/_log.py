"""Logs retries, and that a loop gave up, out of the box."""

import logging
import sys

from ._event import RetryEvent
from ._names import StopReason

_LOGGER = logging.getLogger("backoff_rs")
_QUIET = {StopReason.SUCCESS, StopReason.PERMANENT, StopReason.CANCELLED}


def log_retry(log: bool | logging.Logger, event: RetryEvent) -> None:
    """A retry is a warning."""
    _log(log, logging.WARNING, "retry", event)


def log_stop(log: bool | logging.Logger, event: RetryEvent) -> None:
    """Giving up is an error; a success, a failure that was not to be repeated and a
    cancellation are the caller's."""
    if event.reason not in _QUIET:
        _log(log, logging.ERROR, "gave up", event)


def _log(log: bool | logging.Logger, level: int, what: str, event: RetryEvent) -> None:
    structlog = sys.modules.get("structlog") if log is True else None
    # Unconfigured it would print to stdout, only because something has imported it.
    if structlog is not None and not structlog.is_configured():
        structlog = None
    logger = _LOGGER if log is True else log
    if logger is False or (structlog is None and not logger.isEnabledFor(level)):
        return
    error = None if event.error is None else _described(event.error)
    # Not the value: it may be large, or a secret.
    fields = {
        "name": event.name,
        "attempts": event.attempts,
        "outcome": event.outcome and event.outcome.value,
        "reason": event.reason and event.reason.value,
        "delay": event.delay,
        "elapsed": event.elapsed,
        "error": error,
    }
    if structlog is not None:
        # "name" would be the name of the logger for whoever renders through logging.
        fields["loop"] = fields.pop("name")
        structlog.get_logger("backoff_rs").log(level, what, **fields)
        return
    how = f"{event.outcome}" if error is None else f"{event.outcome}, {error}"
    then = event._account() if event.reason else f"waiting {event.delay:.3f} s"
    extra = {f"backoff_{field}": value for field, value in fields.items()}
    logger.log(level, "%s: attempt %d: %s: %s", event.name, event.attempts, how, then, extra=extra)


def _described(error: BaseException) -> str:
    try:
        return repr(error)
    except Exception:
        return f"<{type(error).__name__}, whose repr failed>"
