//! The experiments of a command line: each policy with each load.

use backoff_sim::{Distribution, Experiment, Group, Load, MAX_TIME_NS, Model};

use super::clients::Clients;
use super::models::ModelArguments;
use super::options::Options;
use crate::duration::humanize;
use crate::report::Measure;

/// The policies of the article: base 5 ms, cap 2 s, and a first window of 2^1 times the base.
const ARTICLE: [&str; 5] = [
    "none=none",
    "exponential=exponential:base=10ms,cap=2s",
    "full=full:base=10ms,cap=2s",
    "equal=equal:base=10ms,cap=2s",
    "decorrelated=decorrelated:base=5ms,cap=2s",
];

/// The same kinds for services that fail: without a limit, clients would retry for ever.
const WITH_LIMIT: [&str; 5] = [
    "none=none:max_retries=3",
    "exponential=exponential:base=100ms,cap=20s,max_retries=3",
    "full=full:base=100ms,cap=20s,max_retries=3",
    "equal=equal:base=100ms,cap=20s,max_retries=3",
    "decorrelated=decorrelated:base=100ms,cap=20s,max_retries=3",
];

/// A policy at one load after the other, then the next policy.
pub(crate) fn experiments(arguments: &ModelArguments) -> Vec<Experiment> {
    let options = arguments.options();
    let model = arguments.model();
    let loads = loads(&model, options);
    let mut experiments = Vec::new();
    for groups in lines(&model, options) {
        for load in &loads {
            experiments.push(Experiment {
                model: model.clone(),
                groups: groups.clone(),
                load: *load,
                seed: options.seed,
                runs: options.runs,
                max_time_ns: options.max_time.unwrap_or_else(|| longest(options.interval)),
                max_events: options.max_events,
                interval_ns: options.interval,
            });
        }
    }
    experiments
}

/// The groups of each line of a chart.
fn lines(model: &Model, options: &Options) -> Vec<Vec<Group>> {
    let group = |clients: &Clients| clients.group(&options.defaults);
    if !options.group.is_empty() {
        return vec![options.group.iter().map(group).collect()];
    }
    if !options.policy.is_empty() {
        return options.policy.iter().map(|clients| vec![group(clients)]).collect();
    }
    let texts = match model {
        Model::Occ(_) | Model::Serial(_) => ARTICLE,
        Model::Queue(_) | Model::Latency(_) | Model::Layers(_) => WITH_LIMIT,
    };
    let clients = texts.into_iter().filter_map(|text| text.parse::<Clients>().ok());
    clients.map(|clients| vec![group(&clients)]).collect()
}

fn loads(model: &Model, options: &Options) -> Vec<Load> {
    let closed = |clients: &u32| Load::Closed {
        clients: *clients,
        operations: options.operations,
        start: options.start,
        think: options.think,
    };
    let open = |rate: &f64| Load::Open {
        interval: Distribution::Exponential { mean_ns: interval_ns(*rate) },
        duration_ns: options.duration,
    };
    if let Some(clients) = &options.clients {
        return clients.0.iter().map(closed).collect();
    }
    if let Some(rates) = &options.rate {
        return rates.0.iter().map(open).collect();
    }
    match model {
        Model::Occ(_) | Model::Serial(_) => {
            (10..=190).step_by(10).map(|clients| closed(&clients)).collect()
        }
        Model::Queue(_) => [50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0].iter().map(open).collect(),
        Model::Latency(_) => [5.0, 10.0, 15.0, 20.0, 25.0, 30.0].iter().map(open).collect(),
        Model::Layers(_) => vec![closed(&1000)],
    }
}

/// The mean time between two arrivals. A rate is from 0.000001 to 10^9, so that this is from 1 to
/// 10^15.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
fn interval_ns(rate: f64) -> u64 {
    (1e9 / rate).round() as u64
}

pub(crate) fn contradiction(arguments: &ModelArguments) -> Option<String> {
    let options = arguments.options();
    if let (Some(_), Some(interval_ns)) = (&options.rate, options.interval) {
        let longest_ns = longest(Some(interval_ns));
        if options.max_time.is_none() && longest_ns < options.duration {
            return Some(format!(
                "--interval {} is too short for a --duration of {}: a run has at most 2^20 intervals",
                humanize(interval_ns),
                humanize(options.duration),
            ));
        }
    }
    let intervals = options.report.option_of(Measure::is_of_intervals);
    if let (Some(option), None) = (intervals, options.interval) {
        return Some(format!("{option} needs --interval, the length of the intervals"));
    }
    let recovery = options.report.option_of(|measure| measure == Measure::Recovery);
    if let (Some(option), None) = (recovery, arguments.model().outage()) {
        return Some(format!("{option} needs --outage of the models queue and latency"));
    }
    None
}

/// As long as a run can be: one with intervals has at most 2^20.
fn longest(interval_ns: Option<u64>) -> u64 {
    match interval_ns {
        Some(ns) => ns.saturating_mul(1 << 20).saturating_sub(1).clamp(1, MAX_TIME_NS),
        None => MAX_TIME_NS,
    }
}
