//! What a model does in a run.

use crate::events::Event;
use crate::sim::Simulation;

/// A run of a model: it receives the attempts of clients, and its own events.
pub(crate) trait Server {
    /// Schedules what happens without clients.
    fn start(&mut self, _: &mut Simulation<'_>) {}

    /// A client begins an attempt.
    fn attempt(&mut self, sim: &mut Simulation<'_>, client: u32);

    fn receive(&mut self, sim: &mut Simulation<'_>, event: Event);

    /// Whether what an event of a kind does depends on its client.
    fn needs_client(_kind: u8) -> bool {
        true
    }

    /// Nothing more happens.
    fn end(&mut self, _: &mut Simulation<'_>) {}
}
