"""The default log: retries, loops that gave up, and what a newcomer may have missed.

A failure must import nothing, and logging takes long to import: who never imports it needs nothing of
it but its last resort, which writes warnings to stderr.
"""

from __future__ import annotations

import sys

from ._backoff import Policy, _type_name
from ._types import StopReason

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from typing import Any, Final, Literal, Protocol, TypeAlias

    from ._event import RetryEvent

    class _Bindable(Protocol):
        """A logger of structlog."""

        def bind(self, **values: Any) -> Any: ...
        def unbind(self, *keys: str) -> Any: ...

    _Log: TypeAlias = bool | logging.Logger | logging.LoggerAdapter[Any] | _Bindable

    #: A level of logging, by its name or number.
    _Level: TypeAlias = Literal["debug", "info", "warning", "error", "critical", 10, 20, 30, 40, 50]

_INFO: Final = 20
_WARNING: Final = 30
_METHODS: Final = {10: "debug", _INFO: "info", _WARNING: "warning", 40: "error", 50: "critical"}
_LEVELS: Final = {name: level for level, name in _METHODS.items()}
_QUIET: Final = {StopReason.SUCCESS, StopReason.PERMANENT, StopReason.CANCELLED}


def checked_log(log: _Log) -> _Log:
    """The option log, unless it is none."""
    if not isinstance(log, bool) and not _is_structured(log):
        import logging

        if not isinstance(log, logging.Logger | logging.LoggerAdapter):
            kinds = "a bool, a Logger, a LoggerAdapter or a logger of structlog"
            raise TypeError(f"log must be {kinds}, not {_type_name(log)}")
    return log


def _is_structured(log: object) -> bool:
    """Whether it is a logger of structlog, which need not be imported to ask."""
    return callable(getattr(log, "bind", None)) and callable(getattr(log, "unbind", None))


#: What this process was told once.
_told: set[str] = set()


def checked_levels(levels: object) -> tuple[int, int]:
    """The levels of retries and of giving up as numbers."""
    if isinstance(levels, tuple) and len(levels) == 2:
        numbers: list[Any] = [_LEVELS.get(one, one) for one in levels]
        if all(number in _METHODS and not isinstance(number, bool) for number in numbers):
            return numbers[0], numbers[1]
    known = ", ".join(map(repr, _LEVELS))
    raise TypeError(
        f"log_levels must be two of {known}, for retries and for giving up, not {levels!r}"
    )


def log_retry(log: _Log, event: RetryEvent, levels: tuple[int, int] | None) -> None:
    """Logs a retry: of a failure or an HTTP request as a warning, of another result, which polling
    expects, as information."""
    level = _INFO if event.error is None and not event._http_fields() else _WARNING
    if levels is not None:
        level = levels[0]
    _try_to_log(log, level, "retry", event)


def log_stop(log: _Log, event: RetryEvent, levels: tuple[int, int] | None) -> None:
    """Logs that a loop gave up at a limit, as a warning: the caller gets the failure too, and knows
    whether it is an error. Other ends are the caller's to log."""
    if event.reason not in _QUIET:
        _try_to_log(log, _WARNING if levels is None else levels[1], "gave up", event)


def log_unlimited(log: _Log, policy: Policy, given: str | None) -> None:
    """Warns once of loops without a limit (SPEC 18.1). given is the policy string, if there is one."""
    base = str(Policy("constant", base=policy.base)).removeprefix("constant:")
    instead = f"default:{base} to change only the base" if policy.base else "off for no retries"
    forever = "has no limit, so the loop retries for ever"
    advice = f"add max_retries=3 (or write {instead})"
    _tell_once(log, "limit", f'the policy "{given or policy}" {forever}; {advice}')


def log_blocking(log: _Log, event: RetryEvent) -> None:
    """Warns once of blocking loops in a coroutine."""
    advice = "retry an async function, or call it by asyncio.to_thread"
    _tell_once(log, "blocks", f"the loop {event.name} blocks the event loop as it waits; {advice}")


def _tell_once(log: _Log, about: str, what: str) -> None:
    if about not in _told:
        _told.add(about)
        _try_to_log(log, _WARNING, f"backoff: {what}", None)


def _try_to_log(log: _Log, level: int, message: str, event: RetryEvent | None) -> None:
    """A log that fails must not end the loop or hide the failure that it is about. It is reported
    as logging reports a handler that fails."""
    try:
        _log(log, level, message, event)
    except Exception:
        logging = _logging()
        if logging is not None and logging.raiseExceptions and sys.stderr is not None:
            # It has imported it.
            import traceback

            traceback.print_exc()


def _logging() -> Any:
    """The module logging, if anything has imported it."""
    logging = sys.modules.get("logging")
    # Another thread may be importing it.
    return logging if hasattr(logging, "getLogger") else None


class _LastResort:
    """What logging does as long as nobody has configured it, as nobody has who did not import it."""

    def isEnabledFor(self, level: int) -> bool:
        return level >= _WARNING

    def log(self, level: int, text: str, *values: object, extra: object = None) -> None:
        sys.stderr.write(f"{text % values}\n")
        sys.stderr.flush()


def _default_logger() -> Any:
    logging = _logging()
    return _LastResort() if logging is None else logging.getLogger("backoff_rs")


# A configuration that disables the loggers that exist also means this one.
_default_logger()


def _log(log: _Log, level: int, message: str, event: RetryEvent | None) -> None:
    if log is True:
        structlog = sys.modules.get("structlog")
        # Unconfigured, it would print to stdout just because something imported it.
        if structlog is not None and structlog.is_configured():
            _log_structured(structlog.get_logger("backoff_rs"), level, message, event)
            return
    elif _is_structured(log):
        _log_structured(log, level, message, event)
        return
    logger: Any = _default_logger() if log is True else log
    if logger is False or not logger.isEnabledFor(level):
        return
    if event is None:
        logger.log(level, "%s", message)
        return
    http = event._http_fields()
    extra: dict[str, Any] = event._fields()
    loop, how = event.name, str(event.outcome)
    if http:
        loop = f"{loop}: {http['backoff_method']} {http['backoff_url']}"
        status = http["backoff_status"]
        how += "" if status is None else f", status {status}"
    if event.error is not None:
        how += f", {extra['backoff_error']}"
    then = event._summary() if event.reason else f"waiting {extra['backoff_delay']:.3f} s"
    logger.log(level, "%s: attempt %d: %s: %s", loop, event.attempts, how, then, extra=extra)


def _log_structured(logger: Any, level: int, message: str, event: RetryEvent | None) -> None:
    fields: dict[str, object] = {}
    if event is not None:
        fields = event.__structlog__()
        # Applications that render through logging use "name" for the logger.
        fields["loop"] = fields.pop("name")
    # Not each of its loggers has a method log().
    log = getattr(logger, _METHODS[level])
    written = log(message, **fields)
    if hasattr(written, "close") and hasattr(written, "__await__"):
        written.close()
        raise TypeError("the logger of structlog is asynchronous, and nothing awaits it")
