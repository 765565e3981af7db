//! Counting during a run.

use backoff_core::StopReason;

use crate::measure::counts::{Counts, Interval};
use crate::measure::recovery::Recovery;
use crate::measure::totals::Totals;

/// Counts the events of one run after another.
#[derive(Debug)]
pub(crate) struct Recorder {
    groups: Vec<Counts>,
    /// The number of groups of the load. They are the first; those that receive their calls in the
    /// end are the last.
    load_groups: usize,
    interval_ns: Option<u64>,
    /// Until when the load is measured, if not to the end.
    load_end_ns: Option<u64>,
    intervals: Vec<Interval>,
    last_end_ns: u64,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) totals: Totals,
}

impl Recorder {
    pub(crate) fn new(
        groups: usize,
        load_groups: usize,
        interval_ns: Option<u64>,
        load_end_ns: Option<u64>,
    ) -> Self {
        Self {
            groups: vec![Counts::default(); groups],
            load_groups,
            interval_ns,
            load_end_ns,
            intervals: Vec::new(),
            last_end_ns: 0,
            recovery: None,
            totals: Totals::new(groups),
        }
    }

    #[inline]
    pub(crate) fn operation_began(&mut self, group: u16) {
        self.groups[usize::from(group)].operations += 1;
    }

    /// The server received a call.
    #[inline]
    pub(crate) fn call(&mut self, group: u16, now_ns: u64, is_measured: bool) {
        self.groups[usize::from(group)].calls += u64::from(is_measured);
        if usize::from(group) >= self.groups.len() - self.load_groups
            && let Some(interval) = self.interval(now_ns)
        {
            interval.calls += 1;
        }
    }

    /// A client learnt how an attempt ended.
    #[inline]
    pub(crate) fn attempt_ended(&mut self, group: u16, now_ns: u64, success: bool) {
        if usize::from(group) >= self.load_groups {
            return;
        }
        if let Some(recovery) = &mut self.recovery {
            recovery.attempt_ended(now_ns, success);
        }
        if let Some(interval) = self.interval(now_ns) {
            interval.attempts += 1;
            interval.failures += u64::from(!success);
        }
    }

    #[inline]
    pub(crate) fn waits(&mut self, group: u16, delay_ns: u64) {
        let group = &mut self.groups[usize::from(group)];
        group.retries += 1;
        group.waiting_ns += u128::from(delay_ns);
    }

    #[inline]
    pub(crate) fn operation_ended(
        &mut self,
        group: u16,
        reason: StopReason,
        began_ns: u64,
        now_ns: u64,
    ) {
        self.groups[usize::from(group)].stops[reason as usize] += 1;
        if reason == StopReason::Success {
            self.totals.latencies[usize::from(group)].record(now_ns - began_ns);
        }
        self.last_end_ns = now_ns;
    }

    fn interval(&mut self, now_ns: u64) -> Option<&mut Interval> {
        if self.load_end_ns.is_some_and(|end_ns| now_ns >= end_ns) {
            return None;
        }
        let index = usize::try_from(now_ns / self.interval_ns?).ok()?;
        if index >= self.intervals.len() {
            self.intervals.resize(index + 1, Interval::default());
        }
        self.intervals.get_mut(index)
    }

    /// Adds the run to the totals. A run that was cut short ended at the time it was cut.
    pub(crate) fn end_run(&mut self, cut_at_ns: Option<u64>) {
        let time_ns = cut_at_ns.unwrap_or(self.last_end_ns);
        let is_cut = cut_at_ns.is_some();
        let recovery = self.recovery.take();
        self.totals.end_run(
            &self.groups,
            self.load_groups,
            time_ns,
            is_cut,
            recovery.and_then(|recovery| recovery.time_ns(is_cut)),
            &self.intervals,
        );
        self.groups.fill(Counts::default());
        self.intervals.clear();
        self.last_end_ns = 0;
    }
}
