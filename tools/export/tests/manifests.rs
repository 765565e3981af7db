//! Import of whole manifests, in YAML as people write them and in JSON.

use backoff_export::{ExportOptions, Format, ImportOptions, export_with, import, import_with};

fn imported(text: &str, format: Format, at: Option<&str>) -> Result<String, String> {
    let options = ImportOptions { at, ..ImportOptions::default() };
    let found = import_with(text, format, options).map_err(|error| error.to_string())?;
    let budget = found.budget.map(|budget| format!(" {}", budget.text()));
    Ok(format!("{}{}", found.policy, budget.unwrap_or_default()))
}

const ROUTES: &str = "
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: reviews
spec:
  hosts: [reviews]
  http:
    - match: [{uri: {prefix: /slow}}]
      route:
        - destination: {host: reviews, subset: v2}
      retries:
        attempts: 3
        backoff: 50ms   # Ten times that at most.
        retryOn: connect-failure,refused-stream
    - route:
        - destination: {host: reviews}
      retries: &default
        attempts: 2
        perTryTimeout: 2s
    - route:
        - destination: {host: ratings}
      retries:
        <<: *default
        attempts: 1
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews}
spec:
  host: reviews
  trafficPolicy: {connectionPool: {http: {maxRetries: 7}}}
  subsets:
    - name: v2
      trafficPolicy: {retryBudget: {percent: 10.0, minRetryConcurrency: 1}}
";

#[test]
fn a_route_of_a_manifest_is_chosen_by_its_place() {
    const REST: &str = "jitter=slotted,jitter_slot=1ms";
    let table = [
        (
            "[0].spec.http[0]",
            format!(
                "exponential:base=50ms,cap=500ms,{REST},max_retries=3,retry_after_max=0s \
                 concurrent:ratio=0.1,min_concurrent=1"
            ),
        ),
        (
            "[0].spec.http[1].retries",
            format!(
                "exponential:base=25ms,cap=250ms,{REST},max_retries=2,retry_after_max=0s,\
                 attempt_timeout=2s concurrent:ratio=0,min_concurrent=7"
            ),
        ),
        (
            "[0].spec.http[2]",
            format!(
                "exponential:base=25ms,cap=250ms,{REST},max_retries=1,retry_after_max=0s,\
                 attempt_timeout=2s"
            ),
        ),
    ];
    for (at, expected) in &table {
        assert_eq!(imported(ROUTES, Format::Istio, Some(at)).as_ref(), Ok(expected), "{at}");
    }
    let error = import(ROUTES, Format::Istio).unwrap_err();
    assert!(error.is_ambiguous());
    let lines: Vec<_> = error.reason().lines().collect();
    assert_eq!(lines[0], "3 places have policies, which differ:");
    assert!(lines[3].starts_with("  [0].spec.http[2].retries  exponential:base=25ms"), "{error}");
    let error = imported(ROUTES, Format::Istio, Some("[0].spec.http[3]")).unwrap_err();
    assert!(
        error.starts_with("[0].spec.http[3]: no policy is there; there is one at [0]."),
        "{error}"
    );
}

#[test]
fn places_that_say_the_same_are_one() {
    let text = "spec:
  http:
    - retries: {attempts: 2}
    - retries: {attempts: 2, retryRemoteLocalities: true}
";
    let policy = imported(text, Format::Istio, None).unwrap();
    assert!(policy.contains("max_retries=2"), "{policy}");
}

#[test]
fn jobs_are_found_wherever_they_are() {
    let job = "spec:\n  backoffLimit: 3\n  template: {spec: {restartPolicy: Never}}";
    let inside = job.replace('\n', "\n      ");
    let deeper = job.replace('\n', "\n          ");
    let table = [
        format!("apiVersion: batch/v1\nkind: Job\n{job}\n"),
        format!("# Of a chart.\n---\nkind: Job\n{job}\n---\n"),
        format!("kind: ServiceAccount\nmetadata: {{name: a}}\n---\nkind: Job\n{job}\n"),
        format!("kind: CronJob\nspec:\n  schedule: '0 * * * *'\n  jobTemplate:\n      {inside}\n"),
        format!("kind: List\nitems:\n  -\n      kind: Job\n      {inside}\n"),
        format!("spec:\n  jobTemplate:\n      {inside}\n"),
        format!(
            "kind: JobSet\nspec:\n  replicatedJobs:\n    - name: a\n      template:\n          {deeper}\n"
        ),
        r#"{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"backoffLimit": 3}}}}"#.to_owned(),
    ];
    for text in table {
        let expected = Ok("exponential:base=10s,cap=10m,max_retries=3".to_owned());
        assert_eq!(imported(&text, Format::K8sJob, None), expected, "{text}");
    }
    // The default of a Job that has no limit.
    let text = "kind: CronJob\nspec: {jobTemplate: {spec: {parallelism: 1}}}";
    let expected = Ok("exponential:base=10s,cap=10m,max_retries=6".to_owned());
    assert_eq!(imported(text, Format::K8sJob, None), expected);
    let text = "kind: Deployment\nspec: {replicas: 3, template: {spec: {restartPolicy: Always}}}";
    let error = imported(text, Format::K8sJob, None).unwrap_err();
    assert!(error.ends_with("as the preset k8s-crashloop says"), "{error}");
}

#[test]
fn a_route_of_envoy_has_the_circuit_breakers_of_its_cluster() {
    let text = "
static_resources:
  listeners:
    - filter_chains:
        - filters:
            - typed_config:
                route_config:
                  virtual_hosts:
                    - routes:
                        - match: {prefix: /a}
                          route:
                            cluster: a
                            retry_policy: {retry_on: 5xx, num_retries: 2}
                        - match: {prefix: /b}
                          route:
                            cluster: b
                            retry_policy: {retry_on: 5xx, num_retries: 2}
  clusters:
    - name: a
      circuit_breakers: {thresholds: [{max_retries: 9}]}
    - name: b
";
    let place = |route| {
        let hosts = "route_config.virtual_hosts[0]";
        let filter = "filter_chains[0].filters[0].typed_config";
        format!("static_resources.listeners[0].{filter}.{hosts}.routes[{route}].route.retry_policy")
    };
    for (route, budget) in [(0, "concurrent:ratio=0,min_concurrent=9"), (1, "concurrent:ratio=0")] {
        let found = imported(text, Format::Envoy, Some(&place(route))).unwrap();
        assert_eq!(found.split_once(' ').unwrap().1, budget);
    }
    assert!(import(text, Format::Envoy).unwrap_err().is_ambiguous());
}

#[test]
fn a_state_machine_has_a_retrier_for_each_error() {
    let text = r#"{"StartAt": "A", "States": {"A": {"Type": "Task", "Retry": [
        {"ErrorEquals": ["Throttled"], "IntervalSeconds": 3, "BackoffRate": 1.5},
        {"ErrorEquals": ["States.ALL"], "MaxAttempts": 0}]}, "B": {"Type": "Pass"}}}"#;
    let expected = "exponential:base=3s,multiplier=1.5,max_retries=3";
    assert_eq!(
        imported(text, Format::StepFunctions, Some("States.A.Retry[0]")).as_deref(),
        Ok(expected)
    );
    assert!(import(text, Format::StepFunctions).unwrap_err().is_ambiguous());
}

#[test]
fn a_retry_policy_of_temporal_may_be_inside_a_request() {
    let text = "workflowId: a\nretryPolicy:\n  initialInterval: 2s\n  maximumAttempts: 3\n";
    let expected = Ok("exponential:base=2s,cap=200s,max_retries=2".to_owned());
    assert_eq!(imported(text, Format::Temporal, None), expected);
}

#[test]
fn yaml_that_says_two_things_is_refused() {
    let bomb = (1..30).fold("a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned(), |text, n| {
        let last = n - 1;
        format!("{text}a{n}: &a{n} [*a{last}, *a{last}, *a{last}, *a{last}, *a{last}, *a{last}]\n")
    });
    let table = [
        (
            "initialInterval: 1s\ninitialInterval: 2s\n",
            "the key \"initialInterval\" is repeated at line 2",
        ),
        (&bomb, "more than 200000 values at line "),
        ("a: &a [*a]\n", "an alias within its own anchor"),
        ("a: *b\n", "unknown anchor"),
        ("<<: [1]\n", "<< of what is not a map"),
        ("? [1]\n: 2\n", "a key that is not a text"),
    ];
    for (text, reason) in table {
        let error = imported(text, Format::Temporal, None).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn json_that_says_two_things_is_refused() {
    let table = [
        (
            "{\"initialInterval\": \"1s\",\n \"initialInterval\": \"2s\"}",
            "the key \"initialInterval\" is repeated at line 2 column 18",
        ),
        // Wherever it is, and however it is written.
        (
            "[{\"a\": [{\"b\": 1, \"\\u0062\": 1}]}]",
            "the key \"b\" is repeated at line 1 column 25",
        ),
    ];
    for (text, reason) in table {
        assert_eq!(imported(text, Format::Temporal, None), Err(reason.to_owned()));
    }
    // Both names that Protocol Buffers have for one setting.
    let both = "{\"initialInterval\": \"1s\", \"initial_interval\": \"2s\"}";
    let reason = "initial_interval: it is also set as \"initialInterval\"";
    assert_eq!(imported(both, Format::Temporal, None), Err(reason.to_owned()));
    // One key of two objects.
    let two =
        "{\"a\": {\"b\": null}, \"retryPolicy\": {\"backoffCoefficient\": 1.5}, \"b\": [-1, true]}";
    let expected = "exponential:base=1s,multiplier=1.5,cap=100s";
    assert_eq!(imported(two, Format::Temporal, None).as_deref(), Ok(expected));
}

#[test]
fn an_export_in_yaml_is_imported_as_in_json() {
    let table = [
        (Format::Grpc, "grpc-retry:retry_after_max=none", "methodConfig:\n  - name:\n      - {}\n"),
        (
            Format::Envoy,
            "envoy:retry_after_max=0s",
            "retry_policy:\n  retry_on: \"connect-failure,",
        ),
        (
            Format::Istio,
            "envoy:retry_after_max=0s",
            "retries:\n  attempts: 1\n  backoff: \"0.025s\"\n",
        ),
        (Format::Temporal, "temporal", "initialInterval: \"1s\"\nbackoffCoefficient: 2.0\n"),
        (
            Format::StepFunctions,
            "full:base=1s,max_retries=3",
            "Retry:\n  - ErrorEquals: [\"States.ALL\"]\n    IntervalSeconds: 1\n    BackoffRate: 2.0\n",
        ),
        (
            Format::K8sJob,
            "exponential:base=10s,max_retries=6",
            "spec:\n  backoffLimit: 6\n  template:\n",
        ),
    ];
    for (format, policy, start) in table {
        let policy = backoff_core::Policy::parse(policy).unwrap();
        let json = export_with(&policy, None, format, ExportOptions::default()).unwrap().text;
        let options = ExportOptions { yaml: true, ..ExportOptions::default() };
        let yaml = export_with(&policy, None, format, options).unwrap().text;
        assert!(yaml.starts_with(start), "{yaml}");
        assert_eq!(imported(&yaml, format, None), imported(&json, format, None), "{yaml}");
    }
}
