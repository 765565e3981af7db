//! Layers of retries multiply: the formulas are computed here.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{assert_near, closed, experiment, group, summary};
use backoff_sim::{Distribution, GiveUp, Layers, Model};

fn layers(layers: u32, failure: &str) -> Layers {
    let latency = Distribution::Constant(1_000_000);
    Layers { layers, failure: failure.parse().unwrap(), latency, ..Layers::default() }
}

/// `a` attempts in each of `d` layers make `a^d` calls at the bottom.
#[test]
fn calls_at_the_bottom_are_a_power_when_all_fail() {
    for (depth, policy, attempts) in [
        (1, "none:max_retries=3", 4_u64),
        (2, "full:base=1ms,max_retries=2", 3),
        (3, "exponential:base=1ms,max_retries=2", 3),
        (5, "none:max_retries=3", 4),
    ] {
        let model = Model::Layers(layers(depth, "1"));
        let summary = summary(&experiment(model, group(policy, None, 1), closed(3, 2), 2));
        let power = attempts.pow(depth) as f64;
        assert_eq!((summary.all.calls.mean, summary.all.calls.sd), (6.0 * power, 0.0), "{policy}");
        assert_eq!(summary.all.operations.mean, 6.0);
        assert_eq!(summary.all.success_rate, 0.0);
        if depth > 1 {
            assert_eq!(summary.groups.len(), depth as usize);
        }
        for (layer, of_layer) in (1..).zip(&summary.groups) {
            assert_eq!(of_layer.name, format!("layer {layer}"));
            assert_eq!(of_layer.summary.calls.mean, 6.0 * attempts.pow(layer) as f64);
        }
    }
}

/// With `f_0 = p` and `f_(j+1) = f_j^a`: `prod_j (1 - f_j^a) / (1 - f_j)` calls at the bottom.
#[test]
fn calls_at_the_bottom_are_a_product_when_some_fail() {
    for (depth, failure, p, attempts) in
        [(2_u32, "0.5", 0.5, 3_i32), (3, "0.8", 0.8, 3), (3, "0.95", 0.95, 4), (4, "0.9", 0.9, 2)]
    {
        let policy = format!("full:base=1ms,cap=10ms,max_retries={}", attempts - 1);
        let model = Layers { overhead: Distribution::Constant(500_000), ..layers(depth, failure) };
        let (clients, operations, runs) = (50, 20, 60);
        let load = closed(clients, operations);
        let experiment = experiment(Model::Layers(model), group(&policy, None, 1), load, runs);
        let summary = summary(&experiment);
        let (mut failure, mut product) = (p, 1.0);
        let all = f64::from(clients * operations);
        // The last layer calls the bottom, which fails with p.
        for _ in 0..depth {
            let fails: f64 = failure;
            product *= (1.0 - fails.powi(attempts)) / (1.0 - fails);
            failure = fails.powi(attempts);
        }
        let what = format!("{depth} layers, failure {p}, {attempts} attempts");
        assert_near(&what, summary.all.calls, all * product, 0.0);
        assert_near(&what, summary.all.successes, all * (1.0 - failure), 0.0);
    }
}

/// Only the last layer retries what is permanent for those above: `(1 - p^a) / (1 - p)`.
#[test]
fn a_permanent_failure_stops_every_layer() {
    let model = Layers { give_up: GiveUp::Permanent, ..layers(3, "1") };
    let policy = "none:max_retries=3";
    let summary =
        summary(&experiment(Model::Layers(model), group(policy, None, 1), closed(5, 4), 1));
    assert_eq!(summary.all.calls.mean, 20.0 * 4.0);
    assert_eq!(summary.all.retries.mean, 0.0);
    assert_eq!(summary.all.stops.get("permanent"), Some(&20));
    assert_eq!(summary.groups[2].summary.stops.get("max_retries"), Some(&20));
}

/// Each layer has budgets of its own, and groups stay apart in every layer.
#[test]
fn groups_are_measured_in_each_layer() {
    let mut with_budget = group("none:max_retries=2", Some("ratio:max_tokens=1,ratio=0"), 1);
    with_budget.name = "budget".to_owned();
    with_budget.weight = 2;
    let mut without = group("none:max_retries=2", None, 1);
    without.name = "free".to_owned();
    let model = Model::Layers(layers(2, "1"));
    let mut experiment = experiment(model, with_budget.clone(), closed(9, 1), 1);
    experiment.groups = vec![with_budget, without];
    let summary = summary(&experiment);
    let names: Vec<_> = summary.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["layer 1, budget", "layer 1, free", "layer 2, budget", "layer 2, free"]);
    let calls: Vec<_> = summary.groups.iter().map(|group| group.summary.calls.mean).collect();
    // Six clients with one token in each layer; three with three attempts in each.
    assert_eq!(calls, [6.0 + 1.0, 9.0, 7.0 + 1.0, 27.0]);
    assert_eq!(summary.all.calls.mean, 8.0 + 27.0);
}

/// Operations of each layer wait for times of their own: 2000 waits, uniform up to one second.
#[test]
fn every_operation_has_a_stream_of_its_own() {
    let model = Model::Layers(layers(2, "1"));
    let group = group("full:base=1s,max_retries=1", None, 1);
    let summary = summary(&experiment(model, group, closed(1000, 1), 20));
    let waiting = summary.groups[1].summary.waiting_ms;
    assert_near("waiting of layer 2", waiting, 500.0, 0.0);
    let sd = 1000.0 / 12_f64.sqrt() / 2000_f64.sqrt();
    assert!((0.5 * sd..1.5 * sd).contains(&waiting.sd), "{waiting:?}, expected about {sd}");
}

/// 4^32 calls are more than anyone waits for.
#[test]
fn a_run_without_end_is_cut() {
    let model = Model::Layers(layers(32, "1"));
    let mut experiment = experiment(model, group("none:max_retries=3", None, 1), closed(2, 1), 1);
    experiment.max_events = 10_000;
    assert_eq!(summary(&experiment).cut, 1);
}
