"""OpenTelemetry: hooks that record span events and metrics. `backoff-rs[opentelemetry]` installs its API.

telemetry = Telemetry()

@retry("default", on=OSError, **telemetry.hooks)
def fetch(): ...
"""

from __future__ import annotations

from opentelemetry import metrics, trace

from .._backoff import RetryStats
from .._types import Outcome, StopReason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final, TypedDict

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.util.types import AttributeValue

    from .._event import RetryEvent

    class Hooks(TypedDict):
        """The hooks of a loop."""

        on_retry: Callable[[RetryEvent], None]
        on_stop: Callable[[RetryEvent], None]


_SCOPE: Final = "backoff_rs"
_QUIET: Final = {StopReason.SUCCESS, StopReason.PERMANENT, StopReason.CANCELLED}
#: Those that `http.request.method` may have.
_METHODS: Final = frozenset(
    ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"],
)
_SECONDS: Final = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]


class Telemetry:
    """The hooks `on_retry` and `on_stop` of loops and of HTTP adapters, which record in OpenTelemetry.

    meter_provider  where the metrics go; by default the global one.
    attributes      attributes of every span event and every metric.

    The current span gets an event `backoff.retry` before each wait, and an event `backoff.stop` when
    a loop gives up at a limit. They have the loop's name, the attempts, the outcome, the delay and
    the time since the loop began in seconds, the reason of a stop, and `error.type`. Of a request they
    have the attributes of the conventions for HTTP, with the `http.request.resend_count` of the last
    attempt. They have no text of an error and no value, which may be secret.

    The metrics are the counter `backoff.retries` and, of each loop when it ends, the histograms
    `backoff.operation.attempts` and `backoff.operation.duration` in seconds.

    Raises TypeError for a meter_provider that makes no meters.
    """

    def __init__(
        self,
        *,
        meter_provider: MeterProvider | None = None,
        attributes: Mapping[str, AttributeValue] | None = None,
    ) -> None:
        if meter_provider is not None and not hasattr(meter_provider, "get_meter"):
            raise TypeError(
                f"meter_provider must be a MeterProvider, not {type(meter_provider).__name__}"
            )
        meter = (meter_provider or metrics.get_meter_provider()).get_meter(_SCOPE)
        self._attributes = dict(attributes or {})
        self._retries = meter.create_counter(
            "backoff.retries", unit="{retry}", description="Retries of operations."
        )
        self._attempts = meter.create_histogram(
            "backoff.operation.attempts",
            unit="{attempt}",
            description="Attempts of an operation.",
            explicit_bucket_boundaries_advisory=[float(bound) for bound in RetryStats.BOUNDS],
        )
        self._duration = meter.create_histogram(
            "backoff.operation.duration",
            unit="s",
            description="The time of an operation, with its waits.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )

    @property
    def hooks(self) -> Hooks:
        """Both hooks, as keyword arguments."""
        return {"on_retry": self.on_retry, "on_stop": self.on_stop}

    def on_retry(self, event: RetryEvent) -> None:
        """The hook before a wait."""
        common = {**self._attributes, **_common(event)}
        self._retries.add(1, common)
        span = trace.get_current_span()
        if span.is_recording():
            span.add_event("backoff.retry", {**common, **_details(event)})

    def on_stop(self, event: RetryEvent) -> None:
        """The hook at the end of a loop."""
        common = {**self._attributes, **_common(event)}
        common["backoff.stop_reason"] = str(event.reason)
        # Stats count a loop without a call so, too (SPEC 17.1).
        self._attempts.record(max(event.attempts, 1), common)
        self._duration.record(event.elapsed, common)
        span = trace.get_current_span()
        if event.reason not in _QUIET and span.is_recording():
            span.add_event("backoff.stop", {**common, **_details(event)})


def _common(event: RetryEvent) -> dict[str, AttributeValue]:
    """The attributes with few values."""
    attributes: dict[str, AttributeValue] = {"backoff.name": event.name}
    if event.outcome is not None:
        attributes["backoff.outcome"] = str(event.outcome)
        if event.outcome != Outcome.SUCCESS:
            attributes["error.type"] = _error_type(event)
    method = getattr(event, "method", None)
    if method is not None:
        attributes["http.request.method"] = method if method in _METHODS else "_OTHER"
    status = getattr(event, "status", None)
    if status is not None:
        attributes["http.response.status_code"] = status
    return attributes


def _error_type(event: RetryEvent) -> str:
    """The class of a failure: a status, the class of an exception, or the outcome of a value."""
    status = getattr(event, "status", None)
    if status is not None and status >= 400:
        return str(status)
    if event.error is None:
        return str(event.outcome)
    kind = type(event.error)
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def _details(event: RetryEvent) -> dict[str, AttributeValue]:
    """The attributes of span events alone."""
    attributes: dict[str, AttributeValue] = {
        "backoff.attempts": event.attempts,
        "backoff.delay": event.delay,
        "backoff.elapsed": event.elapsed,
    }
    if event.budget_is_local:
        attributes["backoff.budget_is_local"] = True
    method = getattr(event, "method", None)
    if method is not None:
        attributes["url.full"] = event.url  # type: ignore[attr-defined]
        if event.attempts > 1:
            attributes["http.request.resend_count"] = event.attempts - 1
        if method not in _METHODS:
            attributes["http.request.method_original"] = method
    return attributes
