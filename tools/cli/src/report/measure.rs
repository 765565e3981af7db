//! What charts and tables show of a simulation.

use backoff_sim::{Estimate, Summary};
use clap::ValueEnum;

use crate::duration::humanize;
use crate::plot::grouped;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// Calls that the server receives: the work
    Calls,
    /// Time until the last operation has ended
    Time,
    /// Operations that succeed, in percent
    Success,
    /// Retries for each operation that succeeds
    Retries,
    /// Mean wait of an operation before its retries
    Waiting,
    /// Median latency of the operations that succeed
    P50,
    /// Latency of 90 of 100 operations that succeed
    P90,
    /// Latency of 99 of 100 operations that succeed
    P99,
    /// Longest latency of the operations that succeed
    Max,
    /// Time from the end of an outage until the service has recovered
    Recovery,
    /// Calls in each interval over time (needs `--interval`)
    Load,
    /// Most calls in a second, of all intervals, after the outage if there is one (needs
    /// `--interval`)
    Peak,
}

/// A value, and its standard error unless it is of all runs together.
pub(crate) struct Value {
    pub(crate) value: f64,
    pub(crate) error: Option<f64>,
}

impl Measure {
    /// The value of a point. None if nothing was measured, and of the load over time, which is not in
    /// the totals.
    pub(crate) fn value(self, summary: &Summary) -> Option<Value> {
        let mean = |Estimate { mean, sem, .. }| Value { value: mean, error: Some(sem) };
        let total = |value| Value { value, error: None };
        let latency = summary.all.latency_ms;
        match self {
            Self::Calls => Some(mean(summary.all.calls)),
            Self::Time => Some(mean(summary.time_ms)),
            Self::Success => Some(total(summary.all.success_rate * 100.0)),
            Self::Retries => summary.all.retries_per_success.map(total),
            Self::Waiting => Some(mean(summary.all.waiting_ms)),
            Self::P50 => latency.map(|latency| total(latency.p50)),
            Self::P90 => latency.map(|latency| total(latency.p90)),
            Self::P99 => latency.map(|latency| total(latency.p99)),
            Self::Max => latency.map(|latency| total(latency.max)),
            Self::Recovery => summary.recovery_ms.map(mean),
            Self::Load | Self::Peak => None,
        }
    }

    pub(crate) fn cell(self, summary: &Summary) -> String {
        match self {
            Self::Recovery => recovery(summary, "never"),
            _ => self.value(summary).map_or("-".to_owned(), |value| self.text(value.value)),
        }
    }

    /// Whether it is of intervals of time.
    pub(crate) const fn is_of_intervals(self) -> bool {
        matches!(self, Self::Load | Self::Peak)
    }

    pub(crate) const fn is_of_successes(self) -> bool {
        matches!(self, Self::P50 | Self::P90 | Self::P99 | Self::Max)
    }

    /// The unit of its axis in a title.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::Calls | Self::Retries | Self::Load | Self::Peak => "",
            Self::Success => ", in percent",
            _ => ", in milliseconds",
        }
    }

    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Calls => "Work: number of calls",
            Self::Time => "Completion time",
            Self::Success => "Operations that succeed",
            Self::Retries => "Retries for each operation that succeeds",
            Self::Waiting => "Mean wait of an operation",
            Self::P50 => "Median latency of the operations that succeed",
            Self::P90 => "Latency of 90 of 100 operations that succeed",
            Self::P99 => "Latency of 99 of 100 operations that succeed",
            Self::Max => "Longest latency of the operations that succeed",
            Self::Recovery => "Time to recover after the outage",
            Self::Load => "Load: calls per second",
            Self::Peak => "Peak: most calls in a second",
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Time => "time",
            Self::Success => "success",
            Self::Retries => "retries/success",
            Self::Waiting => "waiting",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::Max => "max",
            Self::Recovery => "recovery",
            Self::Load => "load",
            Self::Peak => "peak",
        }
    }

    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Calls | Self::Retries | Self::Load | Self::Peak => grouped(value),
            Self::Success => percent(value),
            _ => milliseconds(value),
        }
    }
}

/// The mean time to recover of the runs that did, and how many did, unless all did. `never` says that
/// none did.
pub(crate) fn recovery(summary: &Summary, never: &str) -> String {
    let Summary { recovered, runs, .. } = summary;
    let time = summary.recovery_ms.map(|time| milliseconds(time.mean));
    match time {
        Some(time) if recovered == runs => time,
        time => format!("{} ({recovered} of {runs})", time.as_deref().unwrap_or(never)),
    }
}

/// Percent: 100% only if nothing failed.
fn percent(value: f64) -> String {
    let decimals = if value > 99.0 && value < 100.0 { 3 } else { 1 };
    let text = format!("{value:.decimals$}%");
    match text.as_str() {
        "100.000%" if value < 100.0 => ">99.999%".to_owned(),
        "100.0%" => "100%".to_owned(),
        _ => text,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn milliseconds(value: f64) -> String {
    humanize((value * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn a_hundred_percent_is_all() {
        assert_eq!(percent(100.0), "100%");
        assert_eq!(percent(99.9999), ">99.999%");
        assert_eq!(percent(99.95), "99.950%");
        assert_eq!(percent(50.0), "50.0%");
    }
}
