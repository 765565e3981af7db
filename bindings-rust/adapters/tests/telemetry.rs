//! The hooks for tracing, on the SDK of OpenTelemetry, and for metrics, on the exporter for Prometheus.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use backoff_adapters::metrics::LoopMetrics;
use backoff_adapters::tower::RetryPolicy;
use backoff_adapters::tracing::{on_retry, on_stop};
use backoff_retry::{Defaults, Outcome, Retry};
use http::{Request, Response};
use metrics_exporter_prometheus::PrometheusBuilder;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use tower::retry::RetryLayer;
use tower::{ServiceBuilder, ServiceExt, service_fn};
use tracing::instrument::WithSubscriber;
use tracing_subscriber::layer::SubscriberExt;

const POLICY: &str = "constant:base=250ms,max_retries=2";

#[derive(Debug, PartialEq)]
struct Refused;

/// The events of a span, each with its name and its attributes.
type Events = Vec<BTreeMap<String, String>>;

struct Sdk {
    exporter: InMemorySpanExporter,
    provider: SdkTracerProvider,
}

impl Sdk {
    fn new() -> Self {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        Self { exporter, provider }
    }

    fn subscriber(&self) -> impl tracing::Subscriber + Send + Sync + 'static {
        let layer = tracing_opentelemetry::layer().with_tracer(self.provider.tracer("test"));
        tracing_subscriber::registry().with(layer)
    }

    fn events(&self) -> Events {
        let spans = self.exporter.get_finished_spans().unwrap();
        let events = spans.iter().flat_map(|span| span.events.iter());
        let shown = events.map(|event| {
            let all = event.attributes.iter();
            let mut shown: BTreeMap<_, _> = all
                .filter(|each| !["level", "target"].contains(&each.key.as_str()))
                .filter(|each| !each.key.as_str().starts_with("code."))
                .map(|each| (each.key.to_string(), each.value.to_string()))
                .collect();
            shown.insert("name".into(), event.name.to_string());
            shown
        });
        shown.collect()
    }
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn a_loop_that_gives_up() {
    let sdk = Sdk::new();
    tracing::subscriber::with_default(sdk.subscriber(), || {
        let _span = tracing::info_span!("work").entered();
        let retry = Retry::new(POLICY.parse().unwrap()).sleep(|_: Duration| {});
        let retry = retry.when(|_: &Refused| true);
        let retry = retry.on_retry(|event| on_retry(event)).on_stop(|event| on_stop(event));
        assert_eq!(retry.call(|| Err::<(), _>(Refused)), Err(Refused));
    });
    let mut events = sdk.events();
    for event in &mut events {
        // The sleep does not wait.
        assert!(event.remove("backoff.elapsed").unwrap().parse::<f64>().unwrap() < 60.0);
    }
    let common = [("backoff.outcome", "transient"), ("error.type", "telemetry::Refused")];
    let wait = [("name", "backoff.retry"), ("backoff.delay", "0.25")];
    let expected = [
        map(&[&common[..], &wait, &[("backoff.attempts", "1")]].concat()),
        map(&[&common[..], &wait, &[("backoff.attempts", "2")]].concat()),
        map(&[
            &common[..],
            &[("name", "backoff.stop"), ("backoff.delay", "0"), ("backoff.attempts", "3")],
            &[("backoff.stop_reason", "max_retries")],
        ]
        .concat()),
    ];
    assert_eq!(events, expected);
}

/// Their event has no result, as that of a loop whose calls return nothing.
#[test]
fn hooks_of_the_program_may_record() {
    let metrics = LoopMetrics::new("all");
    let _ = Defaults::new().on_retry(|event| on_retry(event)).on_stop(|event| on_stop(event));
    let _ = Defaults::new().on_stop(move |event| metrics.on_stop(event));
    let sdk = Sdk::new();
    tracing::subscriber::with_default(sdk.subscriber(), || {
        let _span = tracing::info_span!("work").entered();
        let retry = Retry::new(POLICY.parse().unwrap()).sleep(|_: Duration| {});
        retry.classify(|()| true).on_stop(|event| on_stop(event)).call(|| ());
    });
    let events = sdk.events();
    assert_eq!(events[0]["error.type"], "transient");
    assert_eq!(events[0]["backoff.stop_reason"], "max_retries");
}

#[test]
fn a_success_and_a_permanent_failure_have_no_event() {
    let sdk = Sdk::new();
    tracing::subscriber::with_default(sdk.subscriber(), || {
        let _span = tracing::info_span!("work").entered();
        for result in [Ok(5), Err(Refused)] {
            let retry = Retry::new(POLICY.parse().unwrap()).when(|_: &Refused| false);
            let mut result = Some(result);
            let _ = retry.on_stop(|event| on_stop(event)).call(|| result.take().unwrap());
        }
    });
    assert_eq!(sdk.exporter.get_finished_spans().unwrap().len(), 1);
    assert_eq!(sdk.events(), Events::new());
}

/// Sends a request with this method to a service that answers with these statuses.
async fn send(method: &str, statuses: &[u16], metrics: LoopMetrics) {
    let again = metrics.clone();
    let policy = RetryPolicy::http(
        Retry::new("constant:base=1ms,max_retries=2".parse().unwrap()),
        |_: &Infallible| Outcome::Permanent,
    )
    .may_repeat(|_| true)
    .on_retry(move |event| {
        on_retry(event);
        metrics.on_retry(event);
    })
    .on_stop(move |event| {
        on_stop(event);
        again.on_stop(event);
    });
    let answers = std::sync::Mutex::new(statuses.iter().rev().copied().collect::<Vec<_>>());
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service_fn(
        |_: Request<String>| {
            let status = answers.lock().unwrap().pop().unwrap();
            async move {
                Ok::<_, Infallible>(Response::builder().status(status).body(String::new()).unwrap())
            }
        },
    ));
    let request = Request::builder().method(method).uri("http://example.com/a?token=secret");
    let sent = service.oneshot(request.body(String::new()).unwrap()).await;
    assert_eq!(sent.unwrap().status(), *statuses.last().unwrap());
}

#[tokio::test]
async fn requests_have_the_attributes_of_the_conventions() {
    let sdk = Sdk::new();
    async {
        let span = tracing::info_span!("work");
        let sending = send("GET", &[503, 429, 500], LoopMetrics::new("get"));
        tracing::Instrument::instrument(sending, span).await;
    }
    .with_subscriber(sdk.subscriber())
    .await;
    let events = sdk.events();
    let shown = |key: &str| -> Vec<_> {
        events.iter().map(|event| event.get(key).map(String::as_str)).collect()
    };
    let [retry, stop] = [Some("backoff.retry"), Some("backoff.stop")];
    assert_eq!(shown("name"), [retry, retry, stop]);
    assert_eq!(shown("error.type"), [Some("503"), Some("429"), Some("500")]);
    assert_eq!(shown("http.response.status_code"), shown("error.type"));
    assert_eq!(shown("http.request.resend_count"), [None, Some("1"), Some("2")]);
    assert_eq!(shown("http.request.method"), [Some("GET"); 3]);
    assert_eq!(shown("http.request.method_original"), [None; 3]);
    assert_eq!(shown("url.full"), [Some("http://example.com/a"); 3]);
}

#[tokio::test]
async fn an_unknown_method_is_other() {
    let sdk = Sdk::new();
    async {
        let span = tracing::info_span!("work");
        let sending = send("REPORT", &[503, 200], LoopMetrics::new("report"));
        tracing::Instrument::instrument(sending, span).await;
    }
    .with_subscriber(sdk.subscriber())
    .await;
    let events = sdk.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["http.request.method"], "_OTHER");
    assert_eq!(events[0]["http.request.method_original"], "REPORT");
}

#[test]
fn a_name_that_prometheus_does_not_have_is_refused() {
    for (name, rule) in [
        ("", "cannot be the name of a label: a name has letters"),
        ("9a", "no digit in front"),
        ("a-b", "a name has letters"),
        ("__a", "Prometheus keeps names with __ in front for itself"),
        ("le", "the metrics have their own"),
    ] {
        let panic = std::panic::catch_unwind(|| LoopMetrics::new("pay").label(name, "x"));
        let message = panic.unwrap_err().downcast::<String>().unwrap();
        assert!(message.starts_with(&format!("{name:?} ")) && message.contains(rule), "{message}");
    }
}

#[test]
#[should_panic(expected = "\"reason\" of their own")]
fn a_label_of_the_metrics_is_taken() {
    let _ = LoopMetrics::new("pay").label("reason", "none");
}

#[test]
fn metrics_of_loops_and_requests() {
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        let metrics = LoopMetrics::new("pay").label("upstream", "none").label("upstream", "a\"b");
        let retry = Retry::new(POLICY.parse().unwrap()).sleep(|_: Duration| {});
        let pay = retry.when(|_: &Refused| true);
        let pay = pay.on_retry(|event| metrics.on_retry(event));
        let pay = pay.on_stop(|event| metrics.on_stop(event));
        assert_eq!(pay.call(|| Err::<(), _>(Refused)), Err(Refused));

        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(send("GET", &[503, 200], LoopMetrics::new("get")));
    });
    let text = recorder.handle().render();
    let pay = r#"name="pay",upstream="a\"b",outcome="transient",error_type="telemetry::Refused""#;
    let get = r#"name="get",outcome="success",method="GET",reason="success""#;
    for line in [
        "# TYPE backoff_retries_total counter".to_owned(),
        "# HELP backoff_stops_total Operations by the reason for which they stopped.".to_owned(),
        format!("backoff_retries_total{{{pay}}} 2"),
        format!("backoff_stops_total{{{pay},reason=\"max_retries\"}} 1"),
        format!("backoff_attempts_sum{{{pay},reason=\"max_retries\"}} 3"),
        format!("backoff_duration_seconds_count{{{pay},reason=\"max_retries\"}} 1"),
        r#"backoff_retries_total{name="get",outcome="throttled",error_type="503",method="GET"} 1"#
            .to_owned(),
        format!("backoff_stops_total{{{get}}} 1"),
        format!("backoff_attempts_sum{{{get}}} 2"),
    ] {
        assert!(text.lines().any(|each| each == line), "{line} is not in\n{text}");
    }
}
