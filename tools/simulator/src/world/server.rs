//! What a model does in a run.

use crate::events::Event;
use crate::world::World;

/// A run of a model: it receives the attempts of clients, and its own events.
pub(crate) trait Server {
    /// Schedules what happens without clients.
    fn start(&mut self, _: &mut World<'_>) {}

    /// A client begins an attempt.
    fn attempt(&mut self, world: &mut World<'_>, client: u32);

    /// An event happens that the model scheduled.
    fn receive(&mut self, world: &mut World<'_>, event: Event);

    /// Nothing more happens.
    fn end(&mut self, _: &mut World<'_>) {}
}
