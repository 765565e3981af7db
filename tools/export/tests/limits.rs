//! Limits of time beside a policy are not imported, and a warning says so.

use backoff_export::{Format, ImportOptions, import_with};

const TOGETHER: &str = "is not imported: it limits all attempts together; add max_elapsed";
const CALLER: &str = ", which ends no attempt that is under way, or a deadline in the caller";
const EACH: &str =
    "is not imported: it limits each attempt; set a timeout of each attempt in the caller";

fn warnings(text: &str, format: Format, at: Option<&str>) -> Vec<String> {
    let options = ImportOptions { at, ..ImportOptions::default() };
    import_with(text, format, options).unwrap().warnings
}

/// A limit of all attempts, and the duration that a policy would have.
fn together(limit: &str, elapsed: &str) -> String {
    format!("{limit} {TOGETHER}{elapsed}{CALLER}")
}

fn each(limit: &str) -> String {
    format!("{limit} {EACH}")
}

#[test]
fn each_limit_that_is_not_imported_is_named() {
    let table = [
        (
            Format::K8sJob,
            "kind: Job\nspec:\n  activeDeadlineSeconds: 600\n  template: {spec: {restartPolicy: \
             Never, activeDeadlineSeconds: 60}}",
            vec![
                together("spec.activeDeadlineSeconds 600", "=10m"),
                each("spec.template.spec.activeDeadlineSeconds 60"),
            ],
        ),
        // Not a number that can be read.
        (
            Format::K8sJob,
            "spec: {activeDeadlineSeconds: 0}",
            vec![together("spec.activeDeadlineSeconds 0", "")],
        ),
        (
            Format::Istio,
            "kind: VirtualService\nspec: {http: [{timeout: 1m30s, retries: {attempts: 2, \
             perTryTimeout: 500ms}}]}",
            vec![together("spec.http[0].timeout 1m30s", "=90s")],
        ),
        (
            Format::Envoy,
            r#"{"route": {"timeout": "2.500s", "idle_timeout": "0s",
                "maxStreamDuration": {"maxStreamDuration": "1s"}, "retry_policy":
                {"retry_on": "5xx", "per_try_timeout": "1s", "per_try_idle_timeout": "0.25s"}}}"#,
            vec![
                together("route.timeout 2.500s", "=2500ms"),
                together("route.maxStreamDuration.maxStreamDuration 1s", "=1s"),
                each("route.retry_policy.per_try_idle_timeout 0.25s"),
            ],
        ),
        (
            Format::Temporal,
            r#"{"scheduleToCloseTimeout": "3600s", "scheduleToStartTimeout": "0s",
                "startToCloseTimeout": "10m", "heartbeatTimeout": "9s", "retryPolicy": {}}"#,
            vec![together("scheduleToCloseTimeout 3600s", "=1h"), each("heartbeatTimeout 9s")],
        ),
        (
            Format::Temporal,
            r#"{"workflow_execution_timeout": "86400s", "workflow_run_timeout": "60s",
                "retry_policy": {"maximum_attempts": 3}}"#,
            vec![
                together("workflow_execution_timeout 86400s", "=1d"),
                each("workflow_run_timeout 60s"),
            ],
        ),
        (
            Format::StepFunctions,
            r#"{"TimeoutSeconds": 900, "States": {"A": {"TimeoutSeconds": 30,
                "HeartbeatSecondsPath": "$.heartbeat", "Retry": [{}]}}}"#,
            vec![
                each("States.A.HeartbeatSecondsPath $.heartbeat"),
                together("TimeoutSeconds 900", "=15m"),
            ],
        ),
        (
            Format::Grpc,
            r#"{"methodConfig": [{"timeout": "1.5s", "retryPolicy": {"maxAttempts": 3,
                "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1}}]}"#,
            vec![together("methodConfig[0].timeout 1.5s", "=1500ms")],
        ),
        (
            Format::Nginx,
            "proxy_read_timeout 5s; location / { proxy_connect_timeout 100ms; proxy_pass http://a; \
             proxy_next_upstream off; }",
            vec![each("proxy_connect_timeout 100ms"), each("proxy_read_timeout 5s")],
        ),
    ];
    for (format, text, expected) in table {
        assert_eq!(warnings(text, format, None), expected, "{text}");
    }
}

/// The chosen place alone, or all places that say the same policy.
#[test]
fn the_limits_of_other_places_are_not_named() {
    let route = |timeout| format!("{{timeout: {timeout}, retries: {{attempts: 2}}}}");
    let routes =
        |count: u64| (1..=count).map(|n| route(format!("{n}s"))).collect::<Vec<_>>().join(", ");
    let text = format!("http: [{}]", routes(2));
    assert_eq!(
        warnings(&text, Format::Istio, Some("http[1]")),
        [together("http[1].timeout 2s", "=2s")]
    );
    assert_eq!(warnings(&text, Format::Istio, None).len(), 2);
    let many = warnings(&format!("http: [{}]", routes(25)), Format::Istio, None);
    assert_eq!(many.len(), 21);
    assert_eq!(many[20], "there are 5 more warnings, about other places with this policy");
}

/// A text of the user may be of any length, and its warnings are not.
#[test]
fn warnings_quote_the_beginning() {
    let text = format!("http: [{{timeout: {}, retries: {{attempts: 2}}}}]", "x".repeat(1 << 20));
    let [warning] = &warnings(&text, Format::Istio, None)[..] else { panic!("one warning") };
    let start = format!("http[0].timeout {}... {TOGETHER}, which", "x".repeat(32));
    assert!(warning.starts_with(&start), "{warning}");
}
