//! What clients call: one file per model.

pub(crate) mod occ;
pub(crate) mod serial;

use serde::{Deserialize, Serialize};

use crate::client::Group;
use crate::events::Event;
use crate::model::occ::Occ;
use crate::model::serial::Serial;
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

/// A model and its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum Model {
    /// Clients that update one row, with optimistic concurrency control.
    Occ(Occ),
    /// A server that serves one client at a time and turns the others away.
    Serial(Serial),
}

impl Model {
    /// The name of the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Occ(_) => "occ",
            Self::Serial(_) => "serial",
        }
    }

    /// The groups that are measured, from those of the experiment.
    #[expect(clippy::unused_self, reason = "models to come")]
    pub(crate) fn groups(&self, groups: &[Group]) -> Vec<Group> {
        groups.to_vec()
    }

    /// Runs a world to its end.
    pub(crate) fn run(&self, world: World<'_>) {
        match self {
            Self::Occ(model) => world.run(&mut model.server()),
            Self::Serial(model) => world.run(&mut model.server()),
        }
    }
}
