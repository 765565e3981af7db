//! Clients that update one row with optimistic concurrency control: the model of Marc Brooker,
//! "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
//!
//! A client reads the version of the row and writes it back. The write succeeds if no other write
//! did in between. Every message takes a random time, the server none. Only writes are counted as
//! calls.

use backoff_core::Outcome;
use serde::{Deserialize, Serialize};

use crate::events::Event;
use crate::random::distribution::Distribution;
use crate::sim::server::Server;
use crate::sim::{FIRST_KIND, Next, Simulation};

/// The parameters of the model.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Occ {
    /// The time that a message takes.
    pub leg: Distribution,
}

impl Default for Occ {
    /// The article's: the absolute value of a normal variable of 10 ms and 2 ms.
    fn default() -> Self {
        Self { leg: Distribution::Normal { mean_ns: 10_000_000, sd_ns: 2_000_000 } }
    }
}

const READ: u8 = FIRST_KIND;
const WRITE: u8 = FIRST_KIND + 1;
const WRITTEN: u8 = FIRST_KIND + 2;

impl Occ {
    pub(crate) fn server(self) -> impl Server {
        Row { leg: self.leg, version: 0 }
    }
}

struct Row {
    leg: Distribution,
    version: u32,
}

impl Server for Row {
    fn attempt(&mut self, sim: &mut Simulation<'_>, client: u32) {
        sim.schedule_random(&self.leg, client, READ, 0);
    }

    fn needs_client(kind: u8) -> bool {
        kind != READ && kind != WRITE
    }

    fn receive(&mut self, sim: &mut Simulation<'_>, event: Event) {
        let client = event.client;
        match event.kind() {
            // The version travels to the client and back to the server: two legs, one event.
            READ => {
                let there_ns = self.leg.sample(&mut sim.draws);
                let back_ns = self.leg.sample(&mut sim.draws);
                sim.schedule(there_ns.saturating_add(back_ns), client, WRITE, self.version);
            }
            WRITE => {
                sim.count_call(client);
                let wins = event.payload() == self.version;
                self.version = (self.version + u32::from(wins)) & Event::MAX_PAYLOAD;
                sim.schedule_random(&self.leg, client, WRITTEN, wins.into());
            }
            _ => {
                let wins = event.payload() != 0;
                let outcome = if wins { Outcome::Success } else { Outcome::Transient };
                // The wait and the message after it are one event.
                if let Next::Wait(delay_ns) = sim.decide(client, outcome, None) {
                    let leg_ns = self.leg.sample(&mut sim.draws);
                    sim.schedule(delay_ns.saturating_add(leg_ns), client, READ, 0);
                }
            }
        }
    }
}
