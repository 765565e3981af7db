//! The nearest export: what the engine does instead, and warnings about exact exports.

use backoff_core::{Budget, Policy};
use backoff_export::{ExportOptions, Exported, Format, export_with};

fn exported(
    policy: &str,
    budget: Option<&str>,
    format: Format,
    options: ExportOptions,
) -> Result<Exported, String> {
    let policy = Policy::parse(policy).unwrap();
    let budget = budget.map(|budget| Budget::parse(budget).unwrap());
    export_with(&policy, budget.as_ref(), format, options).map_err(|error| error.to_string())
}

fn nearest(servers: Option<u32>) -> ExportOptions {
    ExportOptions { nearest: true, servers, ..ExportOptions::default() }
}

/// A policy, the one that the engine has instead, and for each difference its field, what the policy says and
/// what the engine does.
const NEAREST: &str = "\
grpc | default | exponential:base=100ms,cap=20s,jitter=0.2,max_retries=3,retry_after=exact,\
    retry_after_max=none | jitter full 0.2; retry_after at_least exact; retry_after_max 1h none
grpc | grpc-retry + throttle:ratio=0.0015 | \
    exponential:base=100ms,cap=1s,jitter=0.2,max_retries=3,retry_after=exact,\
    retry_after_max=none | retry_after_max 1h none; \
    budget throttle:ratio=0.0015 throttle:ratio=0.001
grpc | exponential:base=1500us,multiplier=4/3 + sre | \
    exponential:base=2ms,multiplier=1.33334,jitter=0.2,max_retries=4,retry_after=exact,\
    retry_after_max=none | base 1500us 2ms; multiplier 4/3 1.33334; jitter none 0.2; \
    max_retries none 4; retry_after at_least exact; retry_after_max 1h none; budget ratio none
envoy | aws-sdk-2026:cap=101ms,throttled_base=1ms,max_retries=9 | \
    exponential:base=50ms,cap=102ms,jitter=slotted,jitter_slot=1ms,max_retries=9,\
    retry_after_max=0s | cap 101ms 102ms; jitter full slotted; jitter_slot - 1ms; \
    throttled_base 1ms 50ms; retry_after_max 1h 0s; retry_after_max_extra 5s none
envoy | envoy + concurrent:ratio=1/3 | \
    exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=1,\
    retry_after_max=0s | retry_after_max 1h 0s; \
    budget concurrent:ratio=1/3 concurrent:ratio=0.333333
istio | constant:base=1s,jitter=slotted,jitter_slot=1ms,max_retries=2,retry_after_max=0s + \
    concurrent:min_concurrent=0 | \
    exponential:base=1s,cap=10s,jitter=slotted,jitter_slot=1ms,max_retries=2,retry_after_max=0s | \
    growth constant exponential; multiplier - 2; cap none 10s; \
    budget concurrent:min_concurrent=0 concurrent:min_concurrent=1
temporal | fibonacci:base=1s,jitter=equal,max_elapsed=1m | exponential:base=1s,cap=36500d | \
    growth fibonacci exponential; multiplier - 2; cap none 36500d; jitter equal none; \
    max_elapsed 1m none
step-functions | equal:base=100ms,cap=2500ms,floor=1ms | \
    exponential:base=1s,cap=3s,jitter=full,max_retries=99999999 | base 100ms 1s; cap 2500ms 3s; \
    floor 1ms 0s; jitter equal full; max_retries none 99999999
k8s-job | default | exponential:base=10s,cap=10m,max_retries=3 | base 100ms 10s; cap 20s 10m; \
    jitter full none
nginx | default:max_elapsed=1us | \
    constant:base=0s,max_retries=2,max_elapsed=1ms,retry_after_max=0s | \
    growth exponential constant; base 100ms 0s; jitter full none; max_retries 3 2; \
    max_elapsed 1us 1ms; retry_after_max 1h 0s
nginx | none:retry_after_max=0s | constant:base=0s,max_retries=2,retry_after_max=0s | \
    max_retries none 2
step-functions | exponential:base=1s,max_retries=2,attempt_timeout=1500ms,reset_after=1m | \
    exponential:base=1s,max_retries=2,attempt_timeout=2s | \
    attempt_timeout 1500ms 2s; reset_after 1m none
grpc | grpc-retry:attempt_timeout=1s | \
    exponential:base=100ms,cap=1s,jitter=0.2,max_retries=3,retry_after=exact,\
    retry_after_max=none | retry_after_max 1h none; attempt_timeout 1s none
temporal | steps:waits=5s/1m/1h,max_retries=5 | \
    exponential:base=5s,multiplier=26.9,cap=1h,max_retries=5 | \
    growth steps exponential; base - 5s; multiplier - 26.9; cap none 1h
temporal | steps:waits=5s/3s/5s,max_retries=5 | exponential:base=5s,cap=5s,max_retries=5 | \
    growth steps exponential; base - 5s; multiplier - 2; cap none 5s
temporal | temporal | exponential:base=1s,cap=100s | exact
";

#[test]
fn the_nearest_export_says_how_it_differs() {
    assert_eq!(NEAREST.lines().count(), 16);
    for row in NEAREST.lines() {
        let [format, policy, expected, differences] = row.split(" | ").collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let (policy, budget) = policy
            .split_once(" + ")
            .map_or((policy, None), |(policy, budget)| (policy, Some(budget)));
        let exported = exported(policy, budget, format.parse().unwrap(), nearest(Some(3))).unwrap();
        assert_eq!(exported.policy.to_string(), expected, "{format}: {policy}");
        let found = exported.differences.iter().map(|one| {
            assert!(!one.reason().is_empty() && !one.reason().contains("; set "), "{one}");
            format!("{} {} {}", one.field().name(), one.policy(), one.engine())
        });
        let found = found.collect::<Vec<_>>().join("; ");
        assert_eq!(if found.is_empty() { "exact" } else { &found }, differences, "{row}");
    }
}

/// The cap that a policy lacks is the longest window of the retries that the engine makes.
#[test]
fn the_nearest_number_of_retries_comes_before_the_longest_window() {
    let table = [
        (Format::Grpc, "full:base=1s", "\"maxBackoff\": \"8s\""),
        (Format::Grpc, "full:base=1s,max_retries=100", "\"maxBackoff\": \"8s\""),
        (Format::Grpc, "linear:base=1s", "\"maxBackoff\": \"4s\""),
        (Format::Envoy, "full:base=1s,max_retries=3", "\"max_interval\": \"4s\""),
        // So many retries reach the longest interval that there is.
        (Format::Envoy, "full:base=1s", "\"max_interval\": \"9223372036.854s\""),
        (Format::Envoy, "full:base=1s,max_retries=4294967295", "\"9223372036.854s\""),
        (Format::Temporal, "full:base=1s,max_retries=5", "\"maximumInterval\": \"16s\""),
        (Format::Temporal, "full:base=1s", "\"maximumInterval\": \"3153600000s\""),
        (Format::Temporal, "full:base=1s,max_retries=4294967295", "\"3153600000s\""),
    ];
    for (format, policy, expected) in table {
        let text = exported(policy, None, format, nearest(None)).unwrap().text;
        assert!(text.contains(expected), "{format}: {policy}: {text}");
    }
}

#[test]
fn of_some_policies_nothing_is_near() {
    let error = exported("default:max_retries=0", None, Format::Grpc, nearest(None)).unwrap_err();
    assert!(error.starts_with("max_retries 0 has no equivalent in gRPC: "), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    let error = exported("none", None, Format::Nginx, nearest(None)).unwrap_err();
    assert!(
        error.starts_with("max_retries none has no equivalent in nginx: it tries each "),
        "{error}"
    );
}

/// An export that is exact under a condition says so.
#[test]
fn what_the_user_must_know_is_a_warning() {
    const ENVOY: &str = "envoy:retry_after_max=0s";
    let warnings = |policy, budget, format, servers| {
        let options = ExportOptions { servers, ..ExportOptions::default() };
        exported(policy, budget, format, options).unwrap().warnings
    };
    let table = [
        (ENVOY, None, Format::Envoy, None, "Envoy does: by default 3 for each cluster"),
        (
            ENVOY,
            Some("concurrent:ratio=0,min_concurrent=4294967295"),
            Format::Envoy,
            None,
            "max_retries 4294967295 removes Envoy's limit",
        ),
        (
            "exponential:base=1s,multiplier=1.5,max_retries=3",
            None,
            Format::Temporal,
            None,
            "it is 2250ms, the longest that the retries reach; raise it if you raise their number",
        ),
        (
            "constant:base=0s,max_retries=2,retry_after_max=0s",
            None,
            Format::Nginx,
            None,
            "with fewer than 3 servers it retries less often",
        ),
    ];
    for (policy, budget, format, servers, part) in table {
        let found = warnings(policy, budget, format, servers);
        assert!(found.len() == 1 && found[0].contains(part), "{found:?}");
    }
    let nothing: [String; 0] = [];
    assert_eq!(warnings(ENVOY, Some("envoy"), Format::Envoy, None), nothing);
    assert_eq!(warnings(ENVOY, None, Format::Istio, None), nothing);
    assert_eq!(warnings("temporal", None, Format::Temporal, None), nothing);
    let two = "constant:base=0s,max_retries=2,retry_after_max=0s";
    assert_eq!(warnings(two, None, Format::Nginx, Some(3)), nothing);
    let options = ExportOptions { servers: Some(2), ..ExportOptions::default() };
    let error = exported(two, None, Format::Nginx, options).unwrap_err();
    assert!(error.contains("it tries each of the 2 servers once; set max_retries=1"), "{error}");
}

/// What would remove Envoy's own limit is written only for a budget that says so.
#[test]
fn without_a_budget_envoy_keeps_its_limit() {
    let options = ExportOptions::default();
    let text = exported("envoy:retry_after_max=0s", None, Format::Envoy, options).unwrap().text;
    assert!(!text.contains("circuit_breakers") && !text.contains("4294967295"), "{text}");
}
