//! A server with a queue: workers that serve calls in the order of their arrival.
//!
//! A client that gave up leaves its call in the queue, and the server works it off for nobody. That
//! is how a queue that an outage has filled stays full (Bronson et al., "Metastable Failures in
//! Distributed Systems", `HotOS` 2021).

use serde::{Deserialize, Serialize};

use crate::error::{ExperimentError, check_range};
use crate::events::Event;
use crate::limits::MAX_TIME_NS;
use crate::model::calls::{Call, Calls, FIRST_SERVER_KIND};
use crate::model::fifo::Fifo;
use crate::model::outage::{Outage, OutageMode, Rejection};
use crate::model::rate_limit::RateLimit;
use crate::random::distribution::Distribution;
use crate::random::probability::Probability;
use crate::sim::server::Server;
use crate::sim::{NOBODY, Simulation};

/// The parameters of the model. By default one worker that serves 100 calls a second in the mean,
/// an unbounded queue, and clients that wait one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    /// The number of calls that are served at the same time: `c` of M/M/c.
    pub workers: u32,
    /// The time that a worker needs for a call.
    pub service: Distribution,
    /// The most calls that the server holds, waiting or served: `K` of M/M/c/K. The next are
    /// rejected.
    pub capacity: Option<u32>,
    /// How many calls the server admits in a second. The next are rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<RateLimit>,
    /// How long a client waits for the answer to an attempt, in nanoseconds. Then the outcome is
    /// `timeout`.
    pub timeout_ns: Option<u64>,
    /// Whether the server drops a call, without serving it, when its client has given up.
    pub drops_stale: bool,
    /// A time in which the server does not serve.
    pub outage: Option<Outage>,
    /// What clients are told whose call is rejected: by a full queue, or in an outage.
    pub rejection: Rejection,
    /// The Retry-After of a rejection.
    pub retry_after: Option<Distribution>,
    /// The time that a message takes in each direction.
    pub network: Distribution,
    /// How likely a call that was served fails, independently of all others. The outcome is
    /// `transient`.
    #[serde(default, skip_serializing_if = "Probability::is_zero")]
    pub failure: Probability,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            workers: 1,
            service: Distribution::Exponential { mean_ns: 10_000_000 },
            capacity: None,
            limit: None,
            timeout_ns: Some(1_000_000_000),
            drops_stale: false,
            outage: None,
            rejection: Rejection::Throttled,
            retry_after: None,
            network: Distribution::Constant(0),
            failure: Probability::ZERO,
        }
    }
}

impl Queue {
    pub(crate) fn validate(&self) -> Result<(), ExperimentError> {
        check_range("the number of workers", self.workers.into(), 1, u32::MAX.into())?;
        self.service.validate()?;
        check_range("the mean service time in ns", self.service.mean_ns(), 1, MAX_TIME_NS)?;
        if let Some(capacity) = self.capacity {
            check_range("the capacity", capacity.into(), 1, u32::MAX.into())?;
        }
        if let Some(limit) = self.limit {
            limit.validate()?;
        }
        if let Some(timeout_ns) = self.timeout_ns {
            check_range("the timeout in ns", timeout_ns, 1, MAX_TIME_NS)?;
        }
        if let Some(outage) = self.outage {
            outage.validate()?;
        }
        if let Some(retry_after) = self.retry_after {
            retry_after.validate()?;
        }
        self.network.validate()
    }
}

/// A worker has served a call.
const SERVED: u8 = FIRST_SERVER_KIND;
/// The outage is over.
const RESUME: u8 = FIRST_SERVER_KIND + 1;

impl Queue {
    pub(crate) fn server(self) -> impl Server {
        let Self { timeout_ns, network, failure, rejection, retry_after, .. } = self;
        let calls = Calls::new(timeout_ns, network, failure, rejection, retry_after);
        Workers { model: self, calls, waiting: Fifo::new(), busy: 0, full_at_ns: 0 }
    }
}

struct Workers {
    model: Queue,
    calls: Calls,
    waiting: Fifo<Call>,
    /// The workers that serve a call.
    busy: u32,
    /// When the bucket of the rate limit is full again.
    full_at_ns: u64,
}

impl Workers {
    fn arrive(&mut self, sim: &mut Simulation<'_>, call: Call) {
        sim.count_call(call.client);
        let held = self.waiting.len() as u64 + u64::from(self.busy);
        let is_full = self.model.capacity.is_some_and(|capacity| held >= capacity.into());
        if is_full || self.is_outage(OutageMode::Refusing, sim) || !self.admits(sim.now_ns) {
            self.calls.reject(sim, call);
        } else {
            self.waiting.push_back(call);
            self.serve(sim);
        }
    }

    fn admits(&mut self, now_ns: u64) -> bool {
        self.model.limit.is_none_or(|limit| limit.admits(&mut self.full_at_ns, now_ns))
    }

    fn serve(&mut self, sim: &mut Simulation<'_>) {
        if self.is_outage(OutageMode::Stalled, sim) {
            return;
        }
        while self.busy < self.model.workers
            && let Some(call) = self.waiting.pop_front()
        {
            if self.model.drops_stale && !call.is_awaited(sim) {
                continue;
            }
            self.busy += 1;
            sim.schedule_random(&self.model.service, call.client, SERVED, call.serial);
        }
    }

    fn is_outage(&self, mode: OutageMode, sim: &Simulation<'_>) -> bool {
        self.model.outage.is_some_and(|outage| outage.is_now(mode, sim.now_ns))
    }
}

impl Server for Workers {
    fn start(&mut self, sim: &mut Simulation<'_>) {
        if let Some(outage) = self.model.outage {
            sim.watch_recovery(outage.until_ns);
            sim.schedule(outage.until_ns, NOBODY, RESUME, 0);
        }
    }

    fn attempt(&mut self, sim: &mut Simulation<'_>, client: u32) {
        if let Some(call) = self.calls.begin(sim, client) {
            self.arrive(sim, call);
        }
    }

    fn receive(&mut self, sim: &mut Simulation<'_>, event: Event) {
        match event.kind() {
            SERVED => {
                self.busy -= 1;
                self.calls.answer(sim, Call::of(event));
                self.serve(sim);
            }
            RESUME => self.serve(sim),
            _ => {
                if let Some(call) = self.calls.receive(sim, event) {
                    self.arrive(sim, call);
                }
            }
        }
    }
}
