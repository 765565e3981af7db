//! The statistics of totals, as they are printed.

use backoff_core::StopReason;
use serde::Serialize;

use crate::client::Group;
use crate::experiment::Experiment;
use crate::load::Load;
use crate::measure::counts::Interval;
use crate::measure::histogram::Latencies;
use crate::measure::moments::Estimate;
use crate::measure::totals::{GroupTotals, Totals};

const SECOND: f64 = 1e9;

const MS: f64 = 1e6;

/// Latencies in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percentiles {
    /// The median.
    pub p50: f64,
    /// 90 of 100 are at most this.
    pub p90: f64,
    /// 99 of 100 are at most this.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// The statistics of some of the clients.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupSummary {
    /// Calls that the server received in a run: the work.
    pub calls: Estimate,
    /// Operations begun in a run.
    pub operations: Estimate,
    /// Operations that succeeded in a run.
    pub successes: Estimate,
    /// Retries in a run.
    pub retries: Estimate,
    /// The mean wait of an operation before its retries, in milliseconds.
    pub waiting_ms: Estimate,
    /// Operations that succeeded, of all, in all runs.
    pub success_rate: f64,
    /// Retries for each operation that succeeded, in all runs, or null if none did.
    pub retries_per_success: Option<f64>,
    /// The time from the beginning of an operation to its success, of all runs.
    pub latency_ms: Option<Percentiles>,
    /// How many operations ended for each reason, in all runs.
    pub stops: std::collections::BTreeMap<&'static str, u64>,
}

/// A group of several.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedGroup {
    /// Its name.
    pub name: String,
    /// Its canonical policy string.
    pub policy: String,
    /// Its budget string.
    pub budget: Option<String>,
    /// Its clients.
    #[serde(flatten)]
    pub summary: GroupSummary,
}

/// The load of an interval of time, as means over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LoadSummary {
    /// The beginning of the interval.
    pub from_ms: f64,
    /// Calls that the server received.
    pub calls: f64,
    /// Attempts that ended.
    pub attempts: f64,
    /// Attempts that failed.
    pub failures: f64,
}

/// The statistics of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The model.
    pub model: &'static str,
    /// The name of the group, or of all groups.
    pub name: String,
    /// The canonical policy string, unless there are several groups.
    pub policy: Option<String>,
    /// The budget string, if there is one group and it has one.
    pub budget: Option<String>,
    /// The number of clients, unless operations arrive by themselves.
    pub clients: Option<u32>,
    /// Operations that arrive in a second, if they arrive by themselves.
    pub rate: Option<f64>,
    /// The number of runs.
    pub runs: u64,
    /// The seed, in decimal.
    pub seed: String,
    /// When the last operation ended, in milliseconds.
    pub time_ms: Estimate,
    /// The runs that were cut before all operations had ended.
    pub cut: u64,
    /// From the end of an outage until the service had recovered, of the runs in which it did.
    pub recovery_ms: Option<Estimate>,
    /// The runs that recovered.
    pub recovered: u64,
    /// All clients.
    #[serde(flatten)]
    pub all: GroupSummary,
    /// Each group, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<NamedGroup>,
    /// The load over time, if it was measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub load: Vec<LoadSummary>,
}

impl Experiment {
    /// The statistics of its totals.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "estimates")]
    pub fn summary(&self, totals: &Totals) -> Summary {
        let runs = totals.runs().max(1) as f64;
        let only = if let [group] = self.groups.as_slice() { Some(group) } else { None };
        let names: Vec<_> = self.groups.iter().map(|group| group.name.as_str()).collect();
        let groups = self.model.groups(&self.groups);
        let summaries = totals.groups.iter().zip(&totals.latencies);
        let summaries = summaries.map(|(group, latency)| summarise(group, latency));
        let load = |(number, interval): (usize, &Interval)| {
            let from_ns = self.interval_ns.unwrap_or_default() * number as u64;
            LoadSummary {
                from_ms: from_ns as f64 / MS,
                calls: interval.calls as f64 / runs,
                attempts: interval.attempts as f64 / runs,
                failures: interval.failures as f64 / runs,
            }
        };
        let recovered = totals.recovery_ns.count();
        Summary {
            model: self.model.name(),
            name: names.join(" + "),
            policy: only.map(|group| group.policy.to_string()),
            budget: only.and_then(|group| group.budget.clone()),
            clients: match self.load {
                Load::Closed { clients, .. } => Some(clients),
                Load::Open { .. } => None,
            },
            rate: match self.load {
                Load::Closed { .. } => None,
                Load::Open { interval, .. } => Some(rate(interval.mean_ns())),
            },
            runs: totals.runs(),
            seed: self.seed.to_string(),
            time_ms: totals.time_ns.estimate(MS),
            cut: totals.cut,
            recovery_ms: (recovered > 0).then(|| totals.recovery_ns.estimate(MS)),
            recovered,
            all: summarise(&totals.all, &totals.latency(self.groups.len())),
            groups: if groups.len() > 1 {
                groups.into_iter().zip(summaries).map(named).collect()
            } else {
                Vec::new()
            },
            load: totals.intervals.iter().enumerate().map(load).collect(),
        }
    }
}

/// The shortest number of arrivals in a second that has this time between them: 70, not
/// 70.00000140000003, for the whole nanoseconds nearest to a seventieth of a second.
#[expect(clippy::cast_precision_loss, reason = "at most 2^53")]
fn rate(interval_ns: u64) -> f64 {
    let exact = SECOND / interval_ns.max(1) as f64;
    let mut rounded = (0..16).filter_map(|digits| format!("{exact:.digits$e}").parse::<f64>().ok());
    let has_interval = |rate: &f64| ((SECOND / rate).round() - interval_ns as f64).abs() < 0.5;
    rounded.find(has_interval).unwrap_or(exact)
}

fn named((group, summary): (Group, GroupSummary)) -> NamedGroup {
    let policy = group.policy.to_string();
    NamedGroup { name: group.name, policy, budget: group.budget, summary }
}

#[expect(clippy::cast_precision_loss, reason = "estimates")]
fn summarise(totals: &GroupTotals, latency: &Latencies) -> GroupSummary {
    let ratio = |above: u128, below: u128| (below > 0).then(|| above as f64 / below as f64);
    let ms = |percent| latency.percentile(percent) as f64 / MS;
    let successes = totals.successes.sum();
    let stops =
        StopReason::ALL.iter().map(|&reason| (reason.name(), totals.stops[reason as usize]));
    GroupSummary {
        calls: totals.calls.estimate(1.0),
        operations: totals.operations.estimate(1.0),
        successes: totals.successes.estimate(1.0),
        retries: totals.retries.estimate(1.0),
        waiting_ms: totals.waiting_ns.estimate(MS),
        success_rate: ratio(successes, totals.operations.sum()).unwrap_or_default(),
        retries_per_success: ratio(totals.retries.sum(), successes),
        latency_ms: (latency.count() > 0).then(|| Percentiles {
            p50: ms(50.0),
            p90: ms(90.0),
            p99: ms(99.0),
            max: ms(100.0),
        }),
        stops: stops.filter(|&(_, count)| count > 0).collect(),
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "equal to the last digit")]
mod tests {
    use super::rate;

    #[test]
    fn a_rate_is_the_number_that_was_given() {
        let rates = [0.000_001, 0.3, 1.0, 3.0, 70.0, 70.5, 99.9, 3_333.0, 1e6, 1e9];
        let interval_ns = |rate: f64| format!("{:.0}", 1e9 / rate).parse().unwrap();
        assert_eq!(rates.map(|given| rate(interval_ns(given))), rates);
    }
}
