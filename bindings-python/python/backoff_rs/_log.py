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
    if log is False:
        return
    # Not the value: it may be large, or a secret.
    fields = {
        "name": event.name,
        "attempts": event.attempts,
        "outcome": event.outcome and event.outcome.value,
        "reason": event.reason and event.reason.value,
        "delay": event.delay,
        "elapsed": event.elapsed,
        "error": event.error and repr(event.error),
    }
    structlog = sys.modules.get("structlog")
    # Unconfigured it would print to stdout, only because something has imported it.
    if log is True and structlog is not None and structlog.is_configured():
        # "name" would be the name of the logger for whoever renders through logging.
        fields["loop"] = fields.pop("name")
        structlog.get_logger("backoff_rs").log(level, what, **fields)
        return
    logger = _LOGGER if log is True else log
    how = f"{event.outcome}" if event.error is None else f"{event.outcome}, {event.error!r}"
    then = event._account() if event.reason else f"waiting {event.delay:.3f} s"
    extra = {f"backoff_{field}": value for field, value in fields.items()}
    logger.log(level, "%s: attempt %d: %s: %s", event.name, event.attempts, how, then, extra=extra)
