"""The default log: retries, and loops that gave up."""

import logging
import sys
import traceback
from typing import Any

from ._event import RetryEvent, safe_repr
from ._types import StopReason

_LOGGER = logging.getLogger("backoff_rs")
_METHODS = {logging.INFO: "info", logging.WARNING: "warning", logging.ERROR: "error"}
_QUIET = {StopReason.SUCCESS, StopReason.PERMANENT, StopReason.CANCELLED}


def log_retry(log: bool | logging.Logger, event: RetryEvent) -> None:
    """Logs a retry: of a failure as a warning, of a result, which polling expects, as information."""
    level = logging.INFO if event.error is None else logging.WARNING
    _try_to_log(log, level, "retry", event)


def log_stop(log: bool | logging.Logger, event: RetryEvent) -> None:
    """Logs that a loop gave up at a limit, as an error. Other ends are the caller's to log."""
    if event.reason not in _QUIET:
        _try_to_log(log, logging.ERROR, "gave up", event)


def _try_to_log(log: bool | logging.Logger, level: int, message: str, event: RetryEvent) -> None:
    """A log that fails must not end the loop or hide the failure that it is about. It is reported
    as logging reports a handler that fails."""
    try:
        _log(log, level, message, event)
    except Exception:
        if logging.raiseExceptions and sys.stderr is not None:
            traceback.print_exc()


def _log(log: bool | logging.Logger, level: int, message: str, event: RetryEvent) -> None:
    structlog = sys.modules.get("structlog") if log is True else None
    # Unconfigured, it would print to stdout just because something imported it.
    if structlog is not None and not structlog.is_configured():
        structlog = None
    logger = _LOGGER if log is True else log
    if logger is False or (structlog is None and not logger.isEnabledFor(level)):
        return
    error = None if event.error is None else safe_repr(event.error)
    # The value is left out: it may be large, or a secret.
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
        # Applications that render through logging use "name" for the logger.
        fields["loop"] = fields.pop("name")
        # Not each of its loggers has a method log().
        method = _METHODS[level]
        written: Any = getattr(structlog.get_logger("backoff_rs"), method)(message, **fields)
        if hasattr(written, "close") and hasattr(written, "__await__"):
            written.close()
            raise TypeError("the logger of structlog is asynchronous, and nothing awaits it")
        return
    how = f"{event.outcome}" if error is None else f"{event.outcome}, {error}"
    then = event._summary() if event.reason else f"waiting {event.delay:.3f} s"
    extra = {f"backoff_{field}": value for field, value in fields.items()}
    logger.log(level, "%s: attempt %d: %s: %s", event.name, event.attempts, how, then, extra=extra)
