//! The server whose latency grows with its calls: the formulas are computed here.

#![allow(clippy::cast_precision_loss, clippy::float_cmp, reason = "counts are exact in doubles")]

use crate::common::{
    SECOND, assert_near, closed, experiment, failures_at_the_end, group, mean_latency, of_load,
    poisson, summary,
};
use backoff_sim::{Distribution, Latency, Model, Outage, OutageMode, Summary};

/// Without timeouts arrivals see the mean number of calls, which is the rate times the mean latency:
/// `L = 1 + 0.01 lambda L`, and two messages of 0.1 s.
#[test]
fn the_latency_of_a_load_is_that_of_little() {
    for rate in [10.0, 40.0, 70.0] {
        let model = Latency { timeout_ns: None, ..Latency::default() };
        let group = group("none:max_retries=0", None, 1);
        let experiment = experiment(Model::Latency(model), group, poisson(rate, 1000), 20);
        let expected = 1.0 / (1.0 - 0.01 * rate) + 0.2;
        assert_near(&format!("{rate}"), mean_latency(&experiment), expected, 0.005);
    }
}

const RUN: u64 = 400;

fn after_outage(rate: f64, policy: &str, budget: Option<&str>) -> Summary {
    run_outage(Latency::default(), rate, policy, budget)
}

fn run_outage(model: Latency, rate: f64, policy: &str, budget: Option<&str>) -> Summary {
    let (from_ns, until_ns) = (50 * SECOND, 70 * SECOND);
    let outage = Some(Outage { from_ns, until_ns, mode: OutageMode::Stalled });
    let model = Latency { outage, ..model };
    let group = group(policy, budget, 1);
    of_load(experiment(Model::Latency(model), group, poisson(rate, RUN), 10), RUN)
}

/// Three attempts at 3 s: with the 0.2 s of messages 2.8 s are left, so that the latency stays too
/// long above `(1 - 1/2.8) / (3 * 0.01)` = 21.4 arrivals per second.
#[test]
fn retries_sustain_the_overload_above_a_threshold() {
    let threshold = (1.0 - 1.0 / 2.8) / (3.0 * 0.01);
    assert!((threshold - 21.43_f64).abs() < 0.01);
    for policy in [
        "none:max_retries=2",
        "full:base=100ms,cap=20s,max_retries=2",
        "exponential:base=1s,max_retries=2",
        "decorrelated:base=1s,cap=10s,max_retries=2",
    ] {
        let below = after_outage(0.93 * threshold, policy, None);
        assert_eq!(below.recovered, 10, "{policy} below the threshold");
        assert!(failures_at_the_end(&below) < 0.01, "{policy} below the threshold");
        let above = after_outage(1.25 * threshold, policy, None);
        assert_eq!(above.recovered, 0, "{policy} above the threshold");
        assert!(failures_at_the_end(&above) > 0.5, "{policy} above the threshold");
    }
    // The server can serve as many: without retries it recovers, and so it does with a budget.
    let rate = 1.25 * threshold;
    let without = after_outage(rate, "none:max_retries=0", None);
    let with_budget =
        after_outage(rate, "none:max_retries=2", Some("ratio:max_tokens=10,ratio=0.1"));
    for summary in [without, with_budget] {
        assert_eq!(summary.recovered, 10);
        assert!(failures_at_the_end(&summary) < 0.01);
    }
}

/// Chance decides near the threshold, and a larger server leaves less to it: ten times as fast, ten
/// times as many arrivals.
#[test]
fn the_threshold_of_a_larger_server_is_sharper() {
    let model = Latency { per_call_ns: 1_000_000, ..Latency::default() };
    let threshold = (1.0 - 1.0 / 2.8) / (3.0 * 0.001);
    let at = |share| run_outage(model, share * threshold, "full:base=1s,max_retries=2", None);
    assert_eq!(at(0.96).recovered, 10);
    assert_eq!(at(1.12).recovered, 0);
}

/// A call that arrives with n others takes 1 s + 10 ms * n.
#[test]
fn each_call_in_progress_adds_to_the_latency() {
    let network = Distribution::Constant(0);
    let model = Latency { timeout_ns: None, network, ..Latency::default() };
    let group = group("none:max_retries=0", None, 1);
    let summary = summary(&experiment(Model::Latency(model), group, closed(101, 1), 1));
    assert_eq!(summary.time_ms.mean, 2000.0);
    let latency = summary.all.latency_ms.unwrap();
    assert!((latency.p50 - 1500.0).abs() <= 1.5, "{latency:?}");
}
