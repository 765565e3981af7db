//! The service that the user describes, made small enough to simulate.

use backoff_sim::Probability;

use crate::scenario::Scenario;

/// The most operations of a run: a larger service is simulated as one of several equal parts.
const MOST_OPERATIONS: f64 = 20_000.0;

/// The operations of a run without an outage.
const NORMAL_OPERATIONS: f64 = 10_000.0;

/// The fewest operations before and after the outage.
const FEWEST_OPERATIONS: f64 = 1_000.0;

/// What the user says about a service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Service {
    pub(crate) clients: u32,
    /// Calls that it can serve in a second.
    pub(crate) capacity: f64,
    /// Operations that arrive in a second.
    pub(crate) rate: f64,
    pub(crate) latency_ns: u64,
    pub(crate) timeout_ns: u64,
    /// How likely a call that was served fails by itself.
    pub(crate) failure: Probability,
    pub(crate) outage_ns: u64,
    /// Whether the service accepts more calls than it can serve before their clients give up.
    pub(crate) is_unbounded: bool,
    pub(crate) seed: u64,
    pub(crate) runs: u32,
}

/// A part of a service that behaves as the whole.
pub(crate) struct Simulated {
    /// Nothing but single failures.
    pub(crate) normal: Scenario,
    /// An outage.
    pub(crate) outage: Scenario,
    /// The number of processes that have clients.
    pub(crate) processes: u32,
    /// The service is so many times as large.
    pub(crate) times: f64,
}

impl Service {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the numbers are estimates, and the conversion saturates"
    )]
    pub(crate) fn simulated(&self) -> Simulated {
        let some_operations = (FEWEST_OPERATIONS / self.rate * 1e9) as u64;
        // Long enough for what the outage leaves to be worked off, and then to be sure.
        let before_ns = self.timeout_ns.saturating_mul(5).max(some_operations / 4);
        let after_ns = (self.outage_ns.saturating_mul(6))
            .max(self.timeout_ns.saturating_mul(20))
            .max(some_operations);
        let seconds = (before_ns as f64 + self.outage_ns as f64 + after_ns as f64) / 1e9;
        let times = (self.rate * seconds / MOST_OPERATIONS).max(1.0);
        let (capacity, rate) = (self.capacity / times, self.rate / times);
        let workers = (capacity * self.latency_ns as f64 / 1e9).round().clamp(1.0, 1e6);
        // What it can serve before the first of the waiting clients gives up.
        let held = (capacity * self.timeout_ns as f64 / 1e9).round().clamp(workers, 1e9);
        let outage = Scenario {
            rate,
            workers: workers as u32,
            service_ns: (workers / capacity * 1e9).round().max(1.0) as u64,
            capacity: (!self.is_unbounded).then_some(held as u32),
            timeout_ns: self.timeout_ns,
            failure: self.failure,
            before_ns,
            outage_ns: self.outage_ns,
            after_ns,
            max_events: 100_000_000,
            seed: self.seed,
            runs: self.runs,
        };
        let processes = (f64::from(self.clients) / times).round().clamp(1.0, 65_535.0) as u32;
        let normal_ns = (NORMAL_OPERATIONS / rate * 1e9) as u64;
        let normal = Scenario { before_ns: 0, outage_ns: 0, after_ns: normal_ns, ..outage };
        Simulated { normal, outage, processes, times }
    }
}
