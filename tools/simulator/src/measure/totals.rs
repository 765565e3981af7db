//! The sums of many runs.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::limits::MAX_GROUPS;
use crate::measure::counts::{Counts, Interval};
use crate::measure::histogram::Latencies;
use crate::measure::moments::Moments;

/// What is known of any number of runs. Totals add up exactly, in any order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub(crate) all: GroupTotals,
    pub(crate) groups: Vec<GroupTotals>,
    /// The time from beginning to success, of each group.
    #[serde(deserialize_with = "few_latencies")]
    pub(crate) latencies: Vec<Latencies>,
    pub(crate) time_ns: Moments,
    /// Of the runs that recovered from their outage.
    pub(crate) recovery_ns: Moments,
    /// The runs that ended before all operations had.
    pub(crate) cut: u64,
    pub(crate) intervals: Vec<Interval>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GroupTotals {
    pub(crate) calls: Moments,
    pub(crate) operations: Moments,
    pub(crate) successes: Moments,
    pub(crate) retries: Moments,
    /// The mean wait of an operation.
    pub(crate) waiting_ns: Moments,
    pub(crate) stops: [u64; Counts::REASONS],
}

impl GroupTotals {
    fn add(&mut self, counts: &Counts) {
        self.calls.add(counts.calls);
        self.operations.add(counts.operations);
        self.successes.add(counts.successes());
        self.retries.add(counts.retries);
        let operations = u128::from(counts.operations.max(1));
        // The waits of one operation end before the longest time of a run.
        self.waiting_ns.add(u64::try_from(counts.waiting_ns / operations).unwrap_or(u64::MAX));
        for (stops, more) in self.stops.iter_mut().zip(counts.stops) {
            *stops += more;
        }
    }

    fn is_sound(&self, runs: u64) -> bool {
        let all = [&self.calls, &self.operations, &self.successes, &self.retries, &self.waiting_ns];
        all.into_iter().all(|moments| moments.is_sound(runs))
            && self.successes.sum() <= self.operations.sum()
    }

    fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        self.operations.merge(&other.operations);
        self.successes.merge(&other.successes);
        self.retries.merge(&other.retries);
        self.waiting_ns.merge(&other.waiting_ns);
        for (stops, more) in self.stops.iter_mut().zip(other.stops) {
            // Counts from a file can be anything.
            *stops = stops.saturating_add(more);
        }
    }
}

impl Totals {
    pub(crate) fn new(groups: usize) -> Self {
        Self {
            all: GroupTotals::default(),
            groups: vec![GroupTotals::default(); groups],
            latencies: vec![Latencies::default(); groups],
            time_ns: Moments::default(),
            recovery_ns: Moments::default(),
            cut: 0,
            intervals: Vec::new(),
        }
    }

    /// The number of runs.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.time_ns.count()
    }

    pub(crate) fn end_run(
        &mut self,
        groups: &[Counts],
        load_groups: usize,
        time_ns: u64,
        cut: bool,
        recovery_ns: Option<u64>,
        intervals: &[Interval],
    ) {
        let mut all = Counts::default();
        for (totals, counts) in self.groups.iter_mut().zip(groups) {
            totals.add(counts);
        }
        groups.iter().take(load_groups).for_each(|counts| all.add(counts));
        let last = groups.iter().rev().take(load_groups);
        all.calls = last.map(|counts| counts.calls).sum();
        self.all.add(&all);
        self.time_ns.add(time_ns);
        self.cut += u64::from(cut);
        if let Some(ns) = recovery_ns {
            self.recovery_ns.add(ns);
        }
        self.add_intervals(intervals);
    }

    /// Adds the runs of other totals of the same experiment.
    pub fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        for (totals, more) in self.groups.iter_mut().zip(&other.groups) {
            totals.merge(more);
        }
        for (latencies, more) in self.latencies.iter_mut().zip(&other.latencies) {
            latencies.merge(more);
        }
        self.time_ns.merge(&other.time_ns);
        self.recovery_ns.merge(&other.recovery_ns);
        self.cut += other.cut;
        self.add_intervals(&other.intervals);
    }

    fn add_intervals(&mut self, intervals: &[Interval]) {
        if self.intervals.len() < intervals.len() {
            self.intervals.resize(intervals.len(), Interval::default());
        }
        for (interval, more) in self.intervals.iter_mut().zip(intervals) {
            interval.calls = interval.calls.saturating_add(more.calls);
            interval.attempts = interval.attempts.saturating_add(more.attempts);
            interval.failures = interval.failures.saturating_add(more.failures);
        }
    }

    /// Whether totals from a file can be those of a number of runs with so many groups and at most
    /// so many intervals.
    pub(crate) fn are_sound(&self, groups: usize, max_intervals: u64, runs: u64) -> bool {
        let times = [&self.time_ns, &self.recovery_ns];
        self.groups.len() == groups
            && self.latencies.len() == groups
            && self.all.is_sound(runs)
            && self.groups.iter().all(|group| group.is_sound(runs))
            && times[0].is_sound(runs)
            && times[1].count() <= runs
            && times[1].is_sound(times[1].count())
            && self.cut <= runs
            && self.intervals.len() as u64 <= max_intervals
            && (self.groups.iter().zip(&self.latencies))
                .all(|(group, latency)| u128::from(latency.count()) == group.successes.sum())
    }

    /// The latencies of the groups of the load.
    pub(crate) fn latency(&self, load_groups: usize) -> Latencies {
        let mut all = Latencies::default();
        self.latencies.iter().take(load_groups).for_each(|latencies| all.merge(latencies));
        all
    }
}

/// Reads as many histograms as there can be groups: a few bytes of a file make a large one.
fn few_latencies<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Latencies>, D::Error> {
    struct Few;

    impl<'de> Visitor<'de> for Few {
        type Value = Vec<Latencies>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MAX_GROUPS} histograms")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(latencies) = from.next_element()? {
                if all.len() as u64 == MAX_GROUPS {
                    return Err(A::Error::invalid_length(all.len() + 1, &self));
                }
                all.push(latencies);
            }
            Ok(all)
        }
    }

    from.deserialize_seq(Few)
}
