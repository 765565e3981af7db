//! What is counted of clients and of intervals.

use backoff_core::StopReason;

/// What clients of a group did in one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    pub(crate) operations: u64,
    pub(crate) retries: u64,
    pub(crate) waiting_ns: u128,
    /// By the number of the reason.
    pub(crate) stops: [u64; Self::REASONS],
}

impl Counts {
    /// One more than the largest number of a stop reason.
    pub(crate) const REASONS: usize = 8;

    pub(crate) fn successes(&self) -> u64 {
        self.stops[StopReason::Success as usize]
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.operations += other.operations;
        self.retries += other.retries;
        self.waiting_ns += other.waiting_ns;
        for (stops, more) in self.stops.iter_mut().zip(other.stops) {
            *stops += more;
        }
    }
}

/// What happened in an interval of time, in all runs together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Interval {
    pub(crate) calls: u64,
    /// Attempts that ended, and those of them that failed.
    pub(crate) attempts: u64,
    pub(crate) failures: u64,
}
