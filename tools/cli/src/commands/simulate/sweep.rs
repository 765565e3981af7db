//! The experiments of a command line: each policy with each load.

use backoff_sim::{Clients, Experiment, Sweep};

use super::models::ModelArguments;
use crate::duration::humanize;
use crate::report::Measure;

/// A policy at one load after the other, then the next policy.
pub(crate) fn experiments(arguments: &ModelArguments) -> Vec<Experiment> {
    sweep(arguments).experiments()
}

fn sweep(arguments: &ModelArguments) -> Sweep {
    let options = arguments.options();
    let defaults = options.defaults.of_clients();
    let group = |clients: &Clients| clients.group(&defaults);
    let lines = if options.group.is_empty() {
        options.policy.iter().map(|clients| vec![group(clients)]).collect()
    } else {
        vec![options.group.iter().map(group).collect()]
    };
    Sweep {
        lines,
        clients: options.clients.clone(),
        rate: options.rate.clone(),
        operations: options.operations,
        start: options.start,
        think: options.think,
        duration_ns: options.duration,
        seed: options.seed,
        runs: options.runs,
        max_time_ns: options.max_time,
        max_events: options.max_events,
        interval_ns: options.interval,
        ..Sweep::new(arguments.model())
    }
}

pub(crate) fn contradiction(arguments: &ModelArguments) -> Option<String> {
    let options = arguments.options();
    if let (Some(_), Some(interval_ns)) = (&options.rate, options.interval) {
        let longest_ns = sweep(arguments).longest_ns();
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
