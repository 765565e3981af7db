//! A server that serves one client at a time and turns the others away: the first example of Marc
//! Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
//!
//! All clients call at once; one succeeds and the others fail. Without backoff they call again at
//! once, so that N clients make N(N+1)/2 calls.

use backoff_core::Outcome;
use serde::{Deserialize, Serialize};

use crate::events::Event;
use crate::random::distribution::Distribution;
use crate::sim::server::Server;
use crate::sim::{FIRST_KIND, Simulation};

/// The parameters of the model.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Serial {
    /// The time that a call takes, whether it succeeds or fails.
    pub service: Distribution,
}

impl Default for Serial {
    fn default() -> Self {
        Self { service: Distribution::Constant(10_000_000) }
    }
}

const ENDED: u8 = FIRST_KIND;

impl Serial {
    pub(crate) fn server(self) -> impl Server {
        Desk { service: self.service, free_at_ns: 0 }
    }
}

struct Desk {
    service: Distribution,
    free_at_ns: u64,
}

impl Server for Desk {
    fn attempt(&mut self, sim: &mut Simulation<'_>, client: u32) {
        sim.count_call(client);
        let service_ns = self.service.sample(&mut sim.draws);
        let serves = self.free_at_ns <= sim.now_ns;
        if serves {
            self.free_at_ns = sim.now_ns.saturating_add(service_ns);
        }
        sim.schedule(service_ns, client, ENDED, serves.into());
    }

    fn receive(&mut self, sim: &mut Simulation<'_>, event: Event) {
        let served = event.payload() != 0;
        let outcome = if served { Outcome::Success } else { Outcome::Throttled };
        sim.end_attempt(event.client, outcome, None);
    }
}
