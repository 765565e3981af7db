//! A service with an outage, in which policies are compared.

use backoff_sim::{
    Distribution, Experiment, Group, Load, MAX_TIME_NS, Model, Outage, OutageMode, Probability,
    Queue, RateLimit,
};

/// Operations arrive at a service that has workers and a queue. It stops for a while, and must then
/// work off what has come together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scenario {
    /// Operations that arrive in a second.
    pub(crate) rate: f64,
    pub(crate) workers: u32,
    /// The mean time that a worker needs for a call.
    pub(crate) service_ns: u64,
    /// The most calls that it holds; it rejects the next.
    pub(crate) capacity: Option<u32>,
    /// The most calls that it admits in a second; it rejects the next.
    pub(crate) limit: Option<f64>,
    pub(crate) timeout_ns: u64,
    pub(crate) before_ns: u64,
    /// How likely a call that was served fails by itself.
    pub(crate) failure: Probability,
    /// How long the outage is; 0 for none.
    pub(crate) outage_ns: u64,
    pub(crate) after_ns: u64,
    /// After how many events a run is cut.
    pub(crate) max_events: u64,
    pub(crate) seed: u64,
    pub(crate) runs: u32,
}

impl Scenario {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    pub(crate) fn experiment(&self, group: Group) -> Experiment {
        let until_ns = self.before_ns.saturating_add(self.outage_ns);
        let outage = Outage { from_ns: self.before_ns, until_ns, mode: OutageMode::Stalled };
        Experiment {
            model: Model::Queue(Queue {
                workers: self.workers,
                service: Distribution::Exponential { mean_ns: self.service_ns },
                capacity: self.capacity,
                limit: self.limit.map(RateLimit::per_second),
                timeout_ns: Some(self.timeout_ns),
                outage: (self.outage_ns > 0).then_some(outage),
                failure: self.failure,
                ..Queue::default()
            }),
            groups: vec![group],
            load: Load::Open {
                interval: Distribution::Exponential { mean_ns: (1e9 / self.rate).round() as u64 },
                duration_ns: until_ns.saturating_add(self.after_ns),
            },
            seed: self.seed,
            runs: self.runs,
            max_time_ns: MAX_TIME_NS,
            max_events: self.max_events,
            interval_ns: None,
        }
    }
}
