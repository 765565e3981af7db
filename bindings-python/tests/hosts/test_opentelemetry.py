"""The hooks for OpenTelemetry, on its SDK."""

import asyncio

import httpx
import pytest
from backoff_rs import RetryStats, Verdict, permanent, retry, retrying
from backoff_rs.adapters.httpx import RetryTransport
from backoff_rs.adapters.opentelemetry import Telemetry
from backoff_rs.testing import fake_time
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

POLICY = "constant:base=250ms,max_retries=2"


class Sdk:
    """A provider of traces and one of metrics, whose data stays in memory."""

    def __init__(self):
        self._spans, self._metrics = InMemorySpanExporter(), InMemoryMetricReader()
        traces = TracerProvider()
        traces.add_span_processor(SimpleSpanProcessor(self._spans))
        self.tracer = traces.get_tracer("test")
        self.meter_provider = MeterProvider([self._metrics])

    def events(self):
        spans = self._spans.get_finished_spans()
        return [(event.name, dict(event.attributes)) for span in spans for event in span.events]

    def metrics(self):
        data = self._metrics.get_metrics_data()
        assert [scope.scope.name for scope in data.resource_metrics[0].scope_metrics] == [
            "backoff_rs"
        ]
        return {metric.name: metric for metric in data.resource_metrics[0].scope_metrics[0].metrics}

    def points(self, name):
        return list(self.metrics()[name].data.data_points)


@pytest.fixture
def sdk():
    return Sdk()


@pytest.fixture
def telemetry(sdk):
    return Telemetry(meter_provider=sdk.meter_provider, attributes={"peer.service": "payments"})


def test_a_loop_that_gives_up(sdk, telemetry):
    @retry(POLICY, on=OSError, name="fetch", **telemetry.hooks)
    def fetch():
        raise ConnectionError("refused: token=secret")

    with fake_time(), sdk.tracer.start_as_current_span("work"), pytest.raises(ConnectionError):
        fetch()
    common = {
        "peer.service": "payments",
        "backoff.name": "fetch",
        "backoff.outcome": "transient",
        "error.type": "ConnectionError",
    }
    assert sdk.events() == [
        (
            "backoff.retry",
            {
                **common,
                "backoff.attempts": attempts,
                "backoff.delay": 0.25,
                "backoff.elapsed": elapsed,
            },
        )
        for attempts, elapsed in [(1, 0.0), (2, 0.25)]
    ] + [
        (
            "backoff.stop",
            {
                **common,
                "backoff.stop_reason": "max_retries",
                "backoff.attempts": 3,
                "backoff.delay": 0.0,
                "backoff.elapsed": 0.5,
            },
        )
    ]
    (retries,) = sdk.points("backoff.retries")
    assert (retries.value, dict(retries.attributes)) == (2, common)
    (attempts,) = sdk.points("backoff.operation.attempts")
    assert (attempts.count, attempts.sum) == (1, 3)
    assert attempts.explicit_bounds == RetryStats.BOUNDS == (1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50)
    (duration,) = sdk.points("backoff.operation.duration")
    assert (duration.count, duration.sum) == (1, 0.5)
    assert dict(duration.attributes) == {**common, "backoff.stop_reason": "max_retries"}
    units = {name: metric.unit for name, metric in sdk.metrics().items()}
    assert units == {
        "backoff.retries": "{retry}",
        "backoff.operation.attempts": "{attempt}",
        "backoff.operation.duration": "s",
    }


def test_a_success_is_only_a_metric(sdk, telemetry):
    with sdk.tracer.start_as_current_span("work"):
        assert retrying(POLICY, on=OSError, name="f", **telemetry.hooks).call(lambda: 5) == 5
    assert sdk.events() == []
    (attempts,) = sdk.points("backoff.operation.attempts")
    assert (attempts.count, attempts.sum) == (1, 1)
    assert dict(attempts.attributes) == {
        "peer.service": "payments",
        "backoff.name": "f",
        "backoff.outcome": "success",
        "backoff.stop_reason": "success",
    }


class NoSuchAccountError(Exception):
    pass


@pytest.mark.parametrize(
    ("fail", "kind", "outcome"),
    [
        (OSError("x"), "OSError", "transient"),
        (httpx.ReadTimeout("x"), "httpx.ReadTimeout", "transient"),
        (permanent(NoSuchAccountError()), f"{__name__}.NoSuchAccountError", "permanent"),
    ],
)
def test_the_type_of_an_error(sdk, telemetry, fail, kind, outcome):
    def call():
        raise fail

    with fake_time(), pytest.raises(type(fail)):
        retrying(POLICY, on=Exception, **telemetry.hooks).call(call)
    (point,) = sdk.points("backoff.operation.attempts")
    assert point.attributes["error.type"] == kind
    assert point.attributes["backoff.outcome"] == outcome


def test_a_result_has_its_outcome_as_type(sdk, telemetry):
    loop = retrying(
        POLICY, on=(), on_result=lambda _: Verdict("throttled"), reraise=False, **telemetry.hooks
    )
    with fake_time(), pytest.raises(Exception, match="gave up"):
        loop.call(lambda: "busy")
    (point,) = sdk.points("backoff.operation.attempts")
    assert point.attributes["error.type"] == "throttled"


def test_requests_have_the_attributes_of_the_conventions(sdk, telemetry):
    statuses = iter([503, 429, 500])
    transport = RetryTransport(
        POLICY,
        transport=httpx.MockTransport(lambda _: httpx.Response(next(statuses))),
        **telemetry.hooks,
    )
    with (
        fake_time(),
        sdk.tracer.start_as_current_span("work"),
        httpx.Client(transport=transport) as c,
    ):
        assert c.get("http://user:password@example.com/a?token=secret#b").status_code == 500
    shown = [
        (name, attributes["error.type"], attributes.get("http.request.resend_count"))
        for name, attributes in sdk.events()
    ]
    assert shown == [
        ("backoff.retry", "503", None),
        ("backoff.retry", "429", 1),
        ("backoff.stop", "500", 2),
    ]
    _, last = sdk.events()[-1]
    assert last["url.full"] == "http://example.com/a"
    assert last["http.request.method"] == "GET"
    assert last["http.response.status_code"] == 500
    (point,) = sdk.points("backoff.operation.attempts")
    # The URL has too many values.
    assert "url.full" not in point.attributes


def test_an_unknown_method_is_other(sdk, telemetry):
    statuses = iter([503, 200])
    transport = RetryTransport(
        POLICY,
        transport=httpx.MockTransport(lambda _: httpx.Response(next(statuses))),
        may_repeat=lambda _: True,
        **telemetry.hooks,
    )
    with (
        fake_time(),
        sdk.tracer.start_as_current_span("work"),
        httpx.Client(transport=transport) as c,
    ):
        c.request("REPORT", "http://example.com/")
    ((_, attributes),) = sdk.events()
    assert attributes["http.request.method"] == "_OTHER"
    assert attributes["http.request.method_original"] == "REPORT"


def test_coroutines_record_in_their_own_span(sdk, telemetry):
    @retry("constant:base=1ms,max_retries=1", on=OSError, **telemetry.hooks)
    async def fetch():
        raise OSError

    async def work(name):
        with sdk.tracer.start_as_current_span(name):
            try:
                await fetch()
            except OSError:
                return name

    async def main():
        return await asyncio.gather(work("a"), work("b"))

    assert asyncio.run(main()) == ["a", "b"]
    spans = sdk._spans.get_finished_spans()
    assert sorted(span.name for span in spans) == ["a", "b"]
    assert [[event.name for event in span.events] for span in spans] == [
        ["backoff.retry", "backoff.stop"]
    ] * 2


def test_without_an_sdk_nothing_is_recorded():
    with fake_time():
        assert retrying(POLICY, on=OSError, **Telemetry().hooks).call(lambda: 5) == 5


def test_a_wrong_provider():
    with pytest.raises(TypeError, match="meter_provider must be a MeterProvider, not int"):
        Telemetry(meter_provider=5)
