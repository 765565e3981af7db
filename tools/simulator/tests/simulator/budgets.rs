//! Calls that fail independently, without and with a budget: the formulas are computed here.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{assert_near, closed, experiment, group, summary};
use backoff_sim::{Distribution, Layers, Model};

fn failing(failure: &str) -> Model {
    let latency = Distribution::Constant(1_000_000);
    Model::Layers(Layers {
        layers: 1,
        failure: failure.parse().unwrap(),
        latency,
        ..Layers::default()
    })
}

/// With `n` retries: success `1 - p^(n+1)`, load `(1 - p^(n+1)) / (1 - p)`.
#[test]
fn independent_failures_have_a_geometric_load() {
    for (failure, p) in [("0.1", 0.1), ("0.5", 0.5), ("0.9", 0.9_f64)] {
        for (policy, retries) in [
            ("none:max_retries=0", 0),
            ("full:base=10ms,max_retries=2", 2),
            ("decorrelated:base=10ms,cap=1s,max_retries=7", 7),
        ] {
            let (clients, operations) = (100, 20);
            let load = closed(clients, operations);
            let summary = summary(&experiment(failing(failure), group(policy, None, 1), load, 50));
            let all = f64::from(clients * operations);
            let success = 1.0 - p.powi(retries + 1);
            let what = format!("{policy}, failure {failure}");
            assert_eq!(summary.all.operations.mean, all);
            assert_near(&what, summary.all.successes, all * success, 1e-6);
            assert_near(&what, summary.all.calls, all * success / (1.0 - p), 1e-6);
            let first = summary.all.calls.mean - summary.all.retries.mean;
            assert!((first - all).abs() < 1e-6, "{what}: {first} first calls");
            assert_eq!(summary.cut, 0);
        }
    }
}

/// The calls of a client whose bucket holds 5 tokens and fills by a tenth for each operation, when
/// all fail.
fn calls_with_bucket(operations: u64, max_retries: u64) -> u64 {
    let mut tenths = 50;
    (0..operations)
        .map(|_| {
            tenths = 50.min(tenths + 1);
            let retries = max_retries.min(tenths / 10);
            tenths -= 10 * retries;
            1 + retries
        })
        .sum()
}

/// The load is near 1.1 + 4 clients / calls.
#[test]
fn a_token_bucket_bounds_the_load() {
    for (policy, max_retries) in [
        ("none:max_retries=100", 100),
        ("full:base=10ms,max_retries=3", 3),
        ("constant:base=1s,max_retries=1", 1),
    ] {
        for operations in [10, 100, 1000] {
            let clients = 20;
            // A process, and therefore a bucket, for each client.
            let group = group(policy, Some("ratio:max_tokens=5,ratio=0.1"), clients);
            let load = closed(clients, operations);
            let summary = summary(&experiment(failing("1"), group, load, 3));
            let calls =
                f64::from(clients) * calls_with_bucket(operations.into(), max_retries) as f64;
            assert_eq!((summary.all.calls.mean, summary.all.calls.sd), (calls, 0.0), "{policy}");
            let first_calls = summary.all.operations.mean;
            let load = summary.all.calls.mean / first_calls;
            let share = f64::from(clients) / first_calls;
            assert!((load - (1.1 + 4.0 * share)).abs() <= share, "{policy}: {load}");
            assert_eq!(summary.all.success_rate, 0.0);
        }
    }
}

/// Clients of one process share its bucket; several processes have one each.
#[test]
fn a_bucket_belongs_to_a_process() {
    for (processes, buckets) in [(1, 1.0), (4, 4.0)] {
        let group = group("none:max_retries=100", Some("ratio:max_tokens=5,ratio=0"), processes);
        let summary = summary(&experiment(failing("1"), group, closed(8, 25), 1));
        assert_eq!(summary.all.retries.mean, 5.0 * buckets);
    }
}

/// The processes of each group, whatever the other groups: clients of every group take turns.
#[test]
fn each_process_of_each_group_has_clients() {
    let group =
        |processes| group("none:max_retries=100", Some("ratio:max_tokens=5,ratio=0"), processes);
    let mut experiment = experiment(failing("1"), group(2), closed(24, 10), 1);
    experiment.groups.push(group(3));
    let summary = summary(&experiment);
    let retries: Vec<_> = summary.groups.iter().map(|group| group.summary.retries.mean).collect();
    assert_eq!(retries, [10.0, 15.0]);
}
