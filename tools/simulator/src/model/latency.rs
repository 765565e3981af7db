//! A server that is slower the more calls it has: the model of Marc Brooker, "What is Backoff For?"
//! (2022).
//!
//! A call takes a time that grows with the number of calls in progress when it arrives. None is
//! rejected, but clients give up, and the server works on for them.

use serde::{Deserialize, Serialize};

use crate::error::{ExperimentError, check_range};
use crate::events::Event;
use crate::limits::MAX_TIME_NS;
use crate::model::abandoned::Abandoned;
use crate::model::calls::{Call, Calls, FIRST_SERVER_KIND};
use crate::model::outage::{Outage, OutageMode, Rejection};
use crate::random::distribution::Distribution;
use crate::random::probability::Probability;
use crate::sim::Simulation;
use crate::sim::server::Server;

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// The time of a call that is alone.
    pub latency: Distribution,
    /// How much longer a call takes for each call in progress when it arrives, in nanoseconds.
    pub per_call_ns: u64,
    /// How long a client waits for the answer to an attempt, in nanoseconds. Then the outcome is
    /// `timeout`.
    pub timeout_ns: Option<u64>,
    /// The time that a message takes in each direction.
    pub network: Distribution,
    /// How likely a call that was served fails, independently of all others. The outcome is
    /// `transient`.
    #[serde(default, skip_serializing_if = "Probability::is_zero")]
    pub failure: Probability,
    /// A time in which the server does not serve.
    pub outage: Option<Outage>,
    /// What clients are told whose call is rejected, which happens in an outage only.
    pub rejection: Rejection,
    /// The Retry-After of a rejection.
    pub retry_after: Option<Distribution>,
}

impl Default for Latency {
    /// The article's: 1 s and 10 ms for each call in progress, a timeout of 3 s, and messages that
    /// take 100 ms in the mean.
    fn default() -> Self {
        Self {
            latency: Distribution::Constant(1_000_000_000),
            per_call_ns: 10_000_000,
            timeout_ns: Some(3_000_000_000),
            network: Distribution::Exponential { mean_ns: 100_000_000 },
            failure: Probability::ZERO,
            outage: None,
            rejection: Rejection::Throttled,
            retry_after: None,
        }
    }
}

impl Latency {
    pub(crate) fn validate(&self) -> Result<(), ExperimentError> {
        self.latency.validate()?;
        check_range("the latency per call in ns", self.per_call_ns, 0, MAX_TIME_NS)?;
        if let Some(timeout_ns) = self.timeout_ns {
            check_range("the timeout in ns", timeout_ns, 1, MAX_TIME_NS)?;
        }
        self.network.validate()?;
        if let Some(outage) = self.outage {
            outage.validate()?;
        }
        self.retry_after.map_or(Ok(()), |retry_after| retry_after.validate())
    }
}

/// A call is served.
const SERVED: u8 = FIRST_SERVER_KIND;

impl Latency {
    pub(crate) fn server(self) -> impl Server {
        let Self { timeout_ns, network, failure, rejection, retry_after, .. } = self;
        let calls = Calls::new(timeout_ns, network, failure, rejection, retry_after);
        Shared { model: self, calls, in_progress: 0, abandoned: Abandoned::default() }
    }
}

/// A server whose calls share what it can do.
struct Shared {
    model: Latency,
    calls: Calls,
    in_progress: u64,
    /// When the calls in progress end whose clients will have given up by then.
    abandoned: Abandoned,
}

impl Shared {
    fn arrive(&mut self, sim: &mut Simulation<'_>, call: Call) {
        sim.count_call(call.client);
        let now_ns = sim.now_ns;
        let mut begins_in_ns = 0;
        if let Some(outage) = self.model.outage {
            if outage.is_now(OutageMode::Refusing, now_ns) {
                return self.calls.reject(sim, call);
            }
            if outage.is_now(OutageMode::Stalled, now_ns) {
                begins_in_ns = outage.until_ns - now_ns;
            }
        }
        self.in_progress -= self.abandoned.pass(now_ns);
        let latency_ns = (self.model.latency.sample(&mut sim.draws))
            .saturating_add(self.model.per_call_ns.saturating_mul(self.in_progress));
        self.in_progress += 1;
        let time_ns = latency_ns.saturating_add(begins_in_ns);
        if self.model.timeout_ns.is_some_and(|timeout_ns| time_ns > timeout_ns) {
            // In a storm of retries there are many times as many as clients.
            self.abandoned.push(now_ns.saturating_add(time_ns));
        } else {
            sim.schedule(time_ns, call.client, SERVED, call.serial);
        }
    }
}

impl Server for Shared {
    fn start(&mut self, sim: &mut Simulation<'_>) {
        if let Some(outage) = self.model.outage {
            sim.watch_recovery(outage.until_ns);
        }
    }

    fn attempt(&mut self, sim: &mut Simulation<'_>, client: u32) {
        if let Some(call) = self.calls.begin(sim, client) {
            self.arrive(sim, call);
        }
    }

    fn receive(&mut self, sim: &mut Simulation<'_>, event: Event) {
        if event.kind() == SERVED {
            self.in_progress -= 1;
            self.calls.answer(sim, Call::of(event));
        } else if let Some(call) = self.calls.receive(sim, event) {
            self.arrive(sim, call);
        }
    }
}
