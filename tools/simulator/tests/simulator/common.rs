//! Experiments, and the bounds within which their results must be.

#![allow(clippy::cast_precision_loss, reason = "counts are exact in doubles")]

use backoff_core::Policy;
use backoff_sim::{Distribution, Estimate, Experiment, Group, Load, Model, Shard, Summary, Totals};

pub(crate) const SECOND: u64 = 1_000_000_000;

pub(crate) fn exponential(mean_seconds: f64) -> Distribution {
    format!("exponential:mean={}ns", (mean_seconds * 1e9).round()).parse().unwrap()
}

pub(crate) fn poisson(rate: f64, seconds: u64) -> Load {
    Load::Open { interval: exponential(1.0 / rate), duration_ns: seconds * SECOND }
}

/// Clients that begin together and do not pause.
pub(crate) fn closed(clients: u32, operations: u32) -> Load {
    let (start, think) = (Distribution::Constant(0), Distribution::Constant(0));
    Load::Closed { clients, operations, start, think }
}

pub(crate) fn group(policy: &str, budget: Option<&str>, processes: u32) -> Group {
    let policy = Policy::parse(policy).unwrap();
    Group { budget: budget.map(str::to_owned), processes, ..Group::new(policy) }
}

pub(crate) fn experiment(model: Model, group: Group, load: Load, runs: u32) -> Experiment {
    Experiment {
        model,
        groups: vec![group],
        load,
        seed: 2015,
        runs,
        max_time_ns: 100_000 * SECOND,
        max_events: 100_000_000,
        interval_ns: None,
    }
}

pub(crate) fn totals(experiment: &Experiment) -> Totals {
    experiment.run(Shard::WHOLE, &|| {}).unwrap()
}

pub(crate) fn summary(experiment: &Experiment) -> Summary {
    experiment.summary(&totals(experiment))
}

/// The results of an experiment that ends when its load does, after `seconds`.
pub(crate) fn of_load(experiment: Experiment, seconds: u64) -> Summary {
    let (interval_ns, max_time_ns) = (Some(10 * SECOND), seconds * SECOND);
    summary(&Experiment { interval_ns, max_time_ns, ..experiment })
}

/// The share of attempts that failed in the last minute of the load.
pub(crate) fn failures_at_the_end(summary: &Summary) -> f64 {
    let last = summary.load.iter().rev().take(6);
    let sums = last.map(|load| (load.failures, load.attempts));
    let (failures, attempts) = sums.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    failures / attempts
}

/// Mean and standard error of numbers.
pub(crate) fn estimate(values: &[f64]) -> Estimate {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let sd = (squares / (count - 1.0)).sqrt();
    Estimate { mean, sd, sem: sd / count.sqrt() }
}

/// The mean latency in seconds of operations that succeeded, over runs with seeds of their own. The
/// histogram has three digits.
pub(crate) fn mean_latency(experiment: &Experiment) -> Estimate {
    let mean = |seed| {
        let experiment = Experiment { seed, runs: 1, ..experiment.clone() };
        let totals = serde_json::to_value(totals(&experiment)).unwrap();
        let pairs = totals["latencies"][0][1].as_array().unwrap();
        let (sum, count) = pairs.iter().fold((0.0, 0.0), |(sum, all), pair| {
            let (ns, count) = (pair[0].as_f64().unwrap(), pair[1].as_f64().unwrap());
            (sum + ns * count, all + count)
        });
        sum / count / 1e9
    };
    let means: Vec<f64> = (0..experiment.runs.into()).map(mean).collect();
    estimate(&means)
}

/// Fails unless the mean is within four standard errors of the expected value, and of the share of
/// it that is said not to be noise.
pub(crate) fn assert_near(what: &str, estimate: Estimate, expected: f64, systematic: f64) {
    let bound = 4.0 * estimate.sem + systematic * expected.abs();
    let Estimate { mean, sem, .. } = estimate;
    assert!(
        (mean - expected).abs() <= bound,
        "{what}: {mean} with a standard error of {sem}, expected {expected} within {bound}"
    );
    // A bound that everything meets shows nothing.
    assert!(bound <= 0.1 * expected.abs() + 1e-9, "{what}: the bound {bound} is wide");
}
