//! The texts of each format, and what has no equivalent. `tools/export/tests/engines` compares the texts with
//! the formulas and the schemas of the engines.

use backoff_core::{Budget, Policy};
use backoff_export::{ExportOptions, Format, export, export_with, import};

fn exported(policy: &str, budget: Option<&str>, format: Format) -> Result<String, String> {
    let policy = Policy::parse(policy).unwrap();
    let budget = budget.map(|budget| Budget::parse(budget).unwrap());
    export(&policy, budget.as_ref(), format).map_err(|error| error.to_string())
}

fn imported(text: &str, format: Format) -> Result<(String, Option<String>), String> {
    let (policy, budget) = import(text, format).map_err(|error| error.to_string())?;
    Ok((policy.to_string(), budget.map(|budget| budget.text().to_string())))
}

/// A policy, and the budget after it, if there is one.
fn split_budget(text: &str) -> (&str, Option<&str>) {
    text.split_once(" + ").map_or((text, None), |(policy, budget)| (policy, Some(budget)))
}

/// A policy for each format that it has an equivalent of, and the budget if there is one.
const EXACT: &str = "\
grpc | GRPC
grpc | GRPC + throttle:max_tokens=100,ratio=0.001
grpc | constant:base=2ms,jitter=0.2,max_retries=4,retry_after=exact,retry_after_max=none + \
    throttle:ratio=1
envoy | ENVOY + concurrent:ratio=0
envoy | ENVOY + concurrent
envoy | ENVOY + concurrent:ratio=0,min_concurrent=0
envoy | ENVOY + concurrent:ratio=0.125,min_concurrent=0
envoy | constant:base=1s,jitter=slotted,jitter_slot=1ms,max_retries=0,retry_after_max=0s + \
    concurrent:ratio=0,min_concurrent=7
istio | ENVOY
istio | ENVOY + concurrent:ratio=0.5,min_concurrent=7
istio | ENVOY + concurrent:ratio=0,min_concurrent=7
temporal | exponential:base=1s,cap=100s
temporal | exponential:base=1ns,multiplier=2.5,cap=1ms,max_retries=0
temporal | constant:base=1s,max_retries=5
envoy | ENVOY,attempt_timeout=2s + concurrent:ratio=0
istio | ENVOY,attempt_timeout=250ms + concurrent:ratio=0.5,min_concurrent=7
temporal | exponential:base=1s,cap=100s,attempt_timeout=1500ms
temporal | constant:base=1s,max_retries=0,attempt_timeout=1ns
step-functions | constant:base=1s,jitter=full,max_retries=3,attempt_timeout=30s
step-functions | exponential:base=1s,cap=20s,jitter=full,max_retries=5
step-functions | exponential:base=2s,multiplier=3,max_retries=0
step-functions | exponential:base=1s,multiplier=1.5,cap=9s,max_retries=99
step-functions | constant:base=1s,jitter=full,max_retries=99999999
k8s-job | exponential:base=10s,cap=10m,max_retries=6
nginx | constant:base=0s,max_retries=3,retry_after_max=0s
nginx | constant:base=0s,max_retries=1,max_elapsed=1500ms,retry_after_max=0s
nginx | constant:base=0s,max_retries=0,max_elapsed=1d,retry_after_max=0s
";
const GRPC: &str = "exponential:base=100ms,multiplier=1.6,cap=1s,jitter=0.2,max_retries=3,\
                    retry_after=exact,retry_after_max=none";
const ENVOY: &str = "exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=3,\
                     retry_after_max=0s";

#[test]
fn what_is_exported_is_imported_as_it_was() {
    assert_eq!(EXACT.lines().count(), 27);
    for row in EXACT.lines() {
        let (format, policy) = row.split_once(" | ").unwrap();
        let format = format.parse().unwrap();
        let policy = policy.replace("GRPC", GRPC).replace("ENVOY", ENVOY);
        let (policy, budget) = split_budget(&policy);
        let text = exported(policy, budget, format).unwrap();
        let budget = budget.map(|budget| Budget::parse(budget).unwrap().text().to_string());
        let expected = (policy.to_owned(), budget);
        assert_eq!(imported(&text, format), Ok(expected), "{format}: {text}");
    }
}

#[test]
fn a_limit_without_effect_is_not_said() {
    let table = [
        // The cap is the last window, 25.6 ms, in whole milliseconds.
        (
            Format::Grpc,
            GRPC.replace("100ms", "10ms").replace("cap=1s,", ""),
            GRPC.replace("100ms", "10ms").replace("cap=1s", "cap=26ms"),
        ),
        (Format::Envoy, ENVOY.replace("cap=250ms", "cap=2s"), ENVOY.replace("cap=250ms", "cap=2s")),
        (Format::Istio, ENVOY.replace("cap=250ms", "cap=2s"), ENVOY.to_owned()),
        (Format::Envoy, ENVOY.replace("cap=250ms,", ""), ENVOY.replace("cap=250ms", "cap=100ms")),
        (
            Format::Temporal,
            "exponential:base=1s,max_retries=3".to_owned(),
            "exponential:base=1s,cap=4s,max_retries=3".to_owned(),
        ),
        (
            Format::K8sJob,
            "exponential:base=10s,max_retries=6".to_owned(),
            "exponential:base=10s,cap=10m,max_retries=6".to_owned(),
        ),
        (
            Format::Temporal,
            "exponential:base=1s,multiplier=1,cap=5s".to_owned(),
            "constant:base=1s".to_owned(),
        ),
    ];
    for (format, policy, expected) in table {
        let text = exported(&policy, None, format).unwrap();
        assert_eq!(imported(&text, format).unwrap().0, expected, "{text}");
    }
}

/// A policy or a budget that a format has no equivalent of, and the fields that its errors name.
const REFUSED: &str = "\
grpc | default | jitter full; retry_after at_least; retry_after_max 1h
grpc | grpc-retry | retry_after_max 1h
grpc | linear:base=1s | \
    growth linear; cap none; jitter none; max_retries none; retry_after at_least; retry_after_max 1h
grpc | grpc-retry:retry_after_max=none,max_retries=5 | max_retries 5
grpc | grpc-retry:retry_after_max=none,max_retries=0 | max_retries 0
grpc | grpc-retry:retry_after_max=none,jitter=0.25 | jitter 0.25
grpc | grpc-retry:retry_after_max=none,multiplier=4/3 | multiplier 4/3
grpc | grpc-retry:retry_after_max=none,base=1500us | base 1500us
grpc | grpc-retry:retry_after_max=none,base=1ms | base 1ms
grpc | grpc-retry:retry_after_max=none,cap=1000001us | cap 1000001us
grpc | grpc-retry:retry_after_max=none,offset=1s | offset 1s
grpc | grpc-retry:retry_after_max=none,cap_on=delay | cap_on delay
grpc | grpc-retry:retry_after_max=none,floor=1ms | floor 1ms
grpc | grpc-retry:retry_after_max=none,max_elapsed=1s | max_elapsed 1s
grpc | grpc-retry:retry_after_max=none,throttled_base=1s | throttled_base 1s
grpc | grpc-retry:retry_after_max=none,retry_after_max_extra=5s | retry_after_max_extra 5s
grpc | grpc-retry:retry_after_max=none + sre | budget ratio
grpc | grpc-retry:retry_after_max=none + throttle:ratio=0.0005 | budget throttle:ratio=0.0005
envoy | default:retry_after_max=0s | jitter full
envoy | envoy | retry_after_max 1h
envoy | envoy:retry_after_max=0s,multiplier=3 | multiplier 3
envoy | envoy:retry_after_max=0s,jitter_slot=2ms | jitter slotted
envoy | envoy:retry_after_max=0s,cap=201ms,max_retries=4 | cap 201ms
envoy | envoy:retry_after_max=0s,retry_after=spread | retry_after spread
envoy | envoy:retry_after_max=0s + finagle | budget ttl
envoy | envoy:retry_after_max=0s + concurrent:ratio=1/3 | budget concurrent:ratio=1/3
istio | envoy:retry_after_max=0s,max_retries=9,cap=1s | cap 1s
istio | envoy:retry_after_max=0s + concurrent:min_concurrent=0 | \
    budget concurrent:min_concurrent=0
istio | constant:base=1s,jitter=slotted,jitter_slot=1ms,max_retries=2,retry_after_max=0s | \
    growth constant
temporal | temporal:jitter=full | jitter full
temporal | temporal:jitter=0 | jitter 0
temporal | exponential:base=1s | cap none
temporal | constant:base=0s | base 0s
temporal | temporal:retry_after=exact | retry_after exact
temporal | temporal + sre | budget ratio
step-functions | default | base 100ms
step-functions | full:base=1s,cap=20s | max_retries none
k8s-job | k8s-crashloop:max_retries=6 | cap 5m
k8s-job | exponential:base=5s,cap=10m,max_retries=6 | base 5s
k8s-job | exponential:base=10s,multiplier=3,cap=10m,max_retries=6 | multiplier 3
grpc | grpc-retry:retry_after_max=none,attempt_timeout=1s | attempt_timeout 1s
envoy | envoy:retry_after_max=0s,attempt_timeout=1us | attempt_timeout 1us
envoy | envoy:retry_after_max=0s,reset_after=1m | reset_after 1m
envoy | envoy:retry_after_max=0s,max_elapsed=1m,elapsed_from=failure | \
    max_elapsed 1m; elapsed_from failure
istio | envoy:retry_after_max=0s,max_retries=0,attempt_timeout=1s | attempt_timeout 1s
temporal | steps:waits=1s/5s,max_retries=2 | growth steps
step-functions | steps:waits=1s/1500ms,max_retries=2 | growth steps
step-functions | exponential:base=1s,max_retries=2,attempt_timeout=1500ms | attempt_timeout 1500ms
k8s-job | exponential:base=10s,cap=10m,max_retries=6,attempt_timeout=1m | attempt_timeout 1m
nginx | constant:base=0s,max_retries=2,retry_after_max=0s,attempt_timeout=1s | attempt_timeout 1s
nginx | constant:base=1s,max_retries=2,retry_after_max=0s | base 1s
nginx | steps:waits=1s/2s,max_retries=2,retry_after_max=0s | growth steps
nginx | none:retry_after_max=0s | max_retries none
nginx | constant:base=0s,max_retries=2,max_elapsed=1us,retry_after_max=0s | max_elapsed 1us
";

#[test]
fn what_has_no_equivalent_is_named() {
    assert_eq!(REFUSED.lines().count(), 54);
    for row in REFUSED.lines() {
        let [format, policy, fields] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let (policy, budget) = split_budget(policy);
        let error = exported(policy, budget, format.parse().unwrap()).unwrap_err();
        let (lines, fields): (Vec<_>, Vec<_>) =
            (error.lines().collect(), fields.split("; ").collect());
        assert_eq!(lines.len(), fields.len(), "{policy}: {error}");
        for (line, field) in lines.iter().zip(fields) {
            assert!(line.starts_with(&format!("{field} has no equivalent in ")), "{row}: {line}");
        }
    }
}

/// What the engines read as their defaults.
#[test]
fn a_setting_that_is_missing_has_the_default_of_the_engine() {
    let table = [
        (
            Format::Envoy,
            r#"{"retry_policy": {"retry_on": "5xx"}}"#,
            "exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=1,\
             retry_after_max=0s",
            Some("concurrent:ratio=0"),
        ),
        (
            Format::Envoy,
            r#"{"retryPolicy": {"retryOn": "5xx", "retryBackOff": {"baseInterval": "1s"}},
                "circuitBreakers": {"thresholds": [{"priority": "HIGH", "maxRetries": 9},
                {"retryBudget": {}}]}}"#,
            "exponential:base=1s,cap=10s,jitter=slotted,jitter_slot=1ms,max_retries=1,\
             retry_after_max=0s",
            Some("concurrent"),
        ),
        (
            Format::Istio,
            r#"{"retries": {"attempts": 2, "backoff": "50ms", "perTryTimeout": "2s"}}"#,
            "exponential:base=50ms,cap=500ms,jitter=slotted,jitter_slot=1ms,max_retries=2,\
             retry_after_max=0s,attempt_timeout=2s",
            None,
        ),
        (Format::Temporal, "{}", "exponential:base=1s,cap=100s", None),
        (
            Format::Temporal,
            r#"{"initial_interval": "2s", "maximum_attempts": 1}"#,
            "exponential:base=2s,cap=200s,max_retries=0",
            None,
        ),
        (
            Format::StepFunctions,
            r#"{"Type": "Task", "Retry": [{"ErrorEquals": ["States.ALL"]}]}"#,
            "exponential:base=1s,max_retries=3",
            None,
        ),
        (
            Format::K8sJob,
            r#"{"kind": "Job", "spec": {"parallelism": 1}}"#,
            "exponential:base=10s,cap=10m,max_retries=6",
            None,
        ),
        (
            Format::Nginx,
            "location / { # proxy_next_upstream_tries 9;\n proxy_next_upstream error 'timeout';
             proxy_next_upstream_tries 2; }",
            "constant:base=0s,max_retries=1,retry_after_max=0s",
            None,
        ),
        (
            Format::Nginx,
            "proxy_next_upstream off; proxy_next_upstream_timeout 1m30s;",
            "constant:base=0s,max_retries=0,max_elapsed=90s,retry_after_max=0s",
            None,
        ),
        (
            Format::Grpc,
            r#"{"methodConfig": [{"name": [{"service": "a"}]}, {"name": [{}], "timeout": "1s",
                "retryPolicy": {"maxAttempts": 9, "initialBackoff": "0.5s", "maxBackoff": "1s",
                "backoffMultiplier": 2, "retryableStatusCodes": [14]}}],
                "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1239}}"#,
            "exponential:base=500ms,cap=1s,jitter=0.2,max_retries=4,retry_after=exact,\
             retry_after_max=none",
            Some("throttle:ratio=0.123"),
        ),
    ];
    for (format, text, policy, budget) in table {
        let expected = (policy.to_owned(), budget.map(str::to_owned));
        assert_eq!(imported(text, format), Ok(expected), "{text}");
    }
}

/// A text, and how the error begins. `POLICY` is the retry policy of a method.
const NO_POLICIES: &str = r#"
grpc |  | not JSON (EOF while parsing a value at line 1 column 0) and not YAML (it is
grpc | methodConfig: [ | not JSON (expected value at line 1 column 1) and not YAML (
grpc | a word | not JSON (
grpc | [] | methodConfig is missing
grpc | {} | methodConfig is missing
grpc | methodConfig: [] | no method has a retryPolicy
grpc | {"methodConfig": [{"hedgingPolicy": {}}]} | methodConfig[0].hedgingPolicy:
grpc | POLICY{RETRY, "maxAttempts": 1}
    | methodConfig[0].retryPolicy.maxAttempts: 1 is not a whole number from 2
grpc | POLICY{"maxAttempts": 2, "initialBackoff": "1ms"}
    | methodConfig[0].retryPolicy.initialBackoff: "1ms" is not a duration
grpc | POLICY{RETRY, "maxAttempts": 2, "jitter": 1}
    | methodConfig[0].retryPolicy.jitter: unknown setting
grpc | POLICY{"maxAttempts": 2, "initialBackoff": "2s", "maxBackoff": "0s"}
    | methodConfig[0].retryPolicy: initialBackoff and maxBackoff are above 0s
grpc | POLICY{"maxAttempts": 2, "initialBackoff": "5s", "maxBackoff": "1s", "backoffMultiplier": 0.5}
    | methodConfig[0].retryPolicy: multiplier 0.5 is below 1
envoy | {} | retry_policy is missing
envoy | {"retry_policy": {"rate_limited_retry_back_off": {}}}
    | retry_policy.rate_limited_retry_back_off: unknown setting
envoy | {"retry_policy": {"retry_on": "5xx", "retry_back_off": {"base_interval": "0.0015s"}}}
    | retry_policy.retry_back_off: the intervals are not whole milliseconds
istio | {"retries": {"attempts": -1}}
    | retries.attempts: -1 is not a whole number from 0 to 2147483647
temporal | {"initialInterval": "5s", "maximumInterval": "1s"}
    | maximumInterval is below initialInterval
temporal | {"backoffCoefficient": 0.5} | multiplier 0.5 is below 1
temporal | apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: 3}
    | not a retry policy: found apiVersion, kind, spec
temporal | {"retryPolicy": {"attempts": 3}} | retryPolicy: not a retry policy: found attempts
temporal | {"retryPolicy": "5s"} | retryPolicy: not a retry policy: found 5s
temporal | [{}, {}] | not a retry policy: found [{},{}]
temporal | {"maximumAttempts": 3, "jitter": 1} | jitter: unknown setting
step-functions | {"Retry": []} | Retry: found no retrier
step-functions | {"Retry": [{"JitterStrategy": "HALF"}]}
    | Retry[0]: JitterStrategy is not FULL or NONE
k8s-job | {"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}
    | spec: the kubelet restarts
k8s-job | {"spec": {"backoffLimitPerIndex": 1}} | spec.backoffLimitPerIndex:
k8s-job | {"kind": "CronJob", "spec": {}} | kind: no Job is in it;
k8s-job | {"kind": "Deployment", "spec": {}} | kind: no Job is in it;
k8s-job | {"kind": 1, "spec": {}} | kind: no Job is in it;
k8s-job | {"spec": {"podFailurePolicy": {"rules": [{"action": "FailJob"}, {"action": "Ignore"}]}}}
    | spec.podFailurePolicy.rules[1].action: a failure that is ignored does not count
nginx | proxy_next_upstream error;
    | proxy_next_upstream_tries: without a limit, each server of the upstream is tried once
nginx | listen 80; | no directive proxy_next_upstream,
nginx | proxy_next_upstream_tries 2 | proxy_next_upstream_tries 2:
nginx | a 'b | a quote is not closed
nginx | proxy_next_upstream_tries 1; proxy_next_upstream_tries 2;
    | proxy_next_upstream_tries: found twice
nginx | proxy_next_upstream_tries two; | proxy_next_upstream_tries: "two" is not a number
nginx | proxy_next_upstream_timeout 1x; | proxy_next_upstream_timeout: "1x" is not a time
"#;

#[test]
fn a_text_that_is_no_policy_is_refused_with_its_place() {
    const RETRY: &str = r#""initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1"#;
    let rows = NO_POLICIES.trim().replace("\n    | ", " | ");
    assert_eq!(rows.lines().count(), 38);
    for row in rows.lines() {
        let [format, text, start] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let mut text = text.replace("RETRY", RETRY).replace(r"\n", "\n");
        if let Some(policy) = text.strip_prefix("POLICY") {
            text = format!(r#"{{"methodConfig": [{{"retryPolicy": {policy}}}]}}"#);
        }
        let error = imported(&text, format.parse().unwrap()).unwrap_err();
        assert!(error.starts_with(start), "{row}: {error}");
    }
}

/// A text of the user may be of any length, and its errors are not.
#[test]
fn errors_of_import_quote_the_beginning() {
    let long = "x".repeat(1 << 20);
    let words = "word ".repeat(1 << 18);
    let table = [
        (Format::Nginx, format!("proxy_next_upstream_tries {long};")),
        (Format::Nginx, format!("proxy_next_upstream_timeout {words};")),
        (Format::Nginx, words.clone()),
        (Format::Temporal, format!(r#"{{"{long}": 1}}"#)),
        (Format::Temporal, format!(r#"{{"initialInterval": "{long}"}}"#)),
        (Format::Temporal, format!(r#"{{"initialInterval": ["{long}"]}}"#)),
        (Format::Temporal, format!("{long}: 1\n")),
        (Format::Temporal, format!("a: &{long} 1\nb: *c\n")),
        (Format::Temporal, format!("a: {long}\na: 1\n{long}: 1\n{long}: 2\n")),
        (Format::Grpc, format!(r#"{{"methodConfig": [{{"retryPolicy": {{"{long}": 1}}}}]}}"#)),
        (Format::K8sJob, format!(r#"{{"kind": "{long}"}}"#)),
        (
            Format::K8sJob,
            format!(r#"{{"{long}": {{"kind": "Job", "spec": {{"backoffLimit": "1"}}}}}}"#),
        ),
        (
            Format::StepFunctions,
            format!(r#"{{"Retry": [{}]}}"#, vec![format!(r#"{{"{long}": 1}}"#); 3].join(",")),
        ),
    ];
    for (format, text) in table {
        let error = imported(&text, format).unwrap_err();
        assert!(error.len() < 500, "{format}: {} bytes", error.len());
    }
    let error = imported("proxy_next_upstream_tries two words;", Format::Nginx).unwrap_err();
    assert!(error.contains(r#""two\x20words" is not a number"#), "{error}");
}

/// Envoy makes no state of retries without a condition (`RetryStateImpl::create`).
#[test]
fn envoy_without_a_condition_retries_nothing() {
    for condition in ["", r#""retry_on": "","#] {
        let text = format!(r#"{{"retry_policy": {{{condition} "num_retries": 3}}}}"#);
        let (policy, _) = imported(&text, Format::Envoy).unwrap();
        assert!(policy.contains("max_retries=0"), "{policy}");
    }
}

/// Clients take the shorter of both, from the first retry on (gRFC A6).
#[test]
fn the_first_delay_of_grpc_is_no_longer_than_its_longest() {
    let text = r#"{"methodConfig": [{"retryPolicy": {"maxAttempts": 3, "initialBackoff": "5s",
        "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": [14]}}]}"#;
    let policy = imported(text, Format::Grpc).unwrap().0;
    assert!(policy.starts_with("constant:base=1s,jitter=0.2,max_retries=2"), "{policy}");
}

#[test]
fn a_pod_failure_policy_may_say_what_is_permanent() {
    let text = r#"{"spec": {"podFailurePolicy": {"rules": [{"action": "FailJob"},
        {"action": "Count"}]}}}"#;
    let policy = imported(text, Format::K8sJob).unwrap().0;
    assert_eq!(policy, "exponential:base=10s,cap=10m,max_retries=6");
}

/// Without retries no delay matters, and gRPC alone cannot be told not to retry.
#[test]
fn a_policy_without_retries_is_exported_exactly() {
    for policy in [
        "off",
        "default:max_retries=0",
        // Nothing else in it has an equivalent.
        "aws-sdk-2026:max_retries=0,floor=1ms,offset=1us,max_elapsed=1us",
        "fibonacci:base=333us,cap=7777777ns,jitter=equal,max_retries=0,retry_after=spread",
    ] {
        let given = Policy::parse(policy).unwrap();
        for &format in Format::ALL {
            let with = |policy, budget: Option<&str>, nearest| {
                let budget = budget.map(|budget| Budget::parse(budget).unwrap());
                let options = ExportOptions { nearest, ..ExportOptions::default() };
                export_with(policy, budget.as_ref(), format, options)
            };
            let exported = match with(&given, None, false) {
                Ok(exported) => exported,
                Err(error) => {
                    let reason = "max_retries 0 has no equivalent in gRPC: its maxAttempts is at \
                                  least 2; leave retryPolicy out, and it does not retry";
                    assert_eq!((format, &*error.to_string()), (Format::Grpc, reason));
                    continue;
                }
            };
            assert!(exported.warnings.is_empty() && exported.differences.is_empty(), "{policy}");
            assert_eq!(exported.policy, given);
            let (read, _) = import(&exported.text, format).unwrap();
            assert_eq!((read.max_retries(), read.preview().count()), (0, 0), "{}", exported.text);
            // It is exported as it was read, and the nearest export is the same.
            assert_eq!(with(&read, None, false).unwrap().text, exported.text);
            assert_eq!(with(&given, None, true).unwrap(), exported);
            // Its webhook refuses conditions beside it.
            let istio = "{\n  \"retries\": {\"attempts\": 0}\n}\n";
            assert!(format != Format::Istio || exported.text == istio, "{}", exported.text);
            // A budget has an effect on other operations.
            let error = with(&given, Some("sre"), false).unwrap_err().to_string();
            assert!(error.starts_with("budget ratio has no equivalent in "), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
    // A policy without a cap needs none.
    let policy = Policy::parse("exponential:base=1s,max_retries=0").unwrap();
    let exported = export_with(&policy, None, Format::Temporal, ExportOptions::default()).unwrap();
    assert!(exported.warnings.is_empty(), "{:?}", exported.warnings);
}

#[test]
fn a_format_has_a_name() {
    for &format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.to_string(), format.name());
    }
    let error = "grcp".parse::<Format>().unwrap_err().to_string();
    let names = "grpc, envoy, istio, temporal, step-functions, k8s-job, nginx";
    assert_eq!(error, format!("unknown format \"grcp\"; the formats are {names}"));
}
