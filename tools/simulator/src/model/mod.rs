//! What clients call: one file per model.

pub(crate) mod abandoned;
pub(crate) mod calls;
pub(crate) mod fifo;
pub(crate) mod latency;
pub(crate) mod layers;
pub(crate) mod occ;
pub(crate) mod outage;
pub(crate) mod queue;
pub(crate) mod rate_limit;
pub(crate) mod serial;

use serde::{Deserialize, Serialize};

use crate::client::Group;
use crate::error::ExperimentError;
use crate::model::latency::Latency;
use crate::model::layers::Layers;
use crate::model::occ::Occ;
use crate::model::outage::Outage;
use crate::model::queue::Queue;
use crate::model::serial::Serial;
use crate::sim::Simulation;

/// A model and its parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase")]
pub enum Model {
    /// Clients that update one row, with optimistic concurrency control.
    Occ(Occ),
    /// A server that serves one client at a time and turns the others away.
    Serial(Serial),
    /// A server with a queue.
    Queue(Queue),
    /// A server that is slower the more calls it has.
    Latency(Latency),
    /// Services that call each other, each of which retries.
    Layers(Layers),
}

impl Model {
    /// The name of the model.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Occ(_) => "occ",
            Self::Serial(_) => "serial",
            Self::Queue(_) => "queue",
            Self::Latency(_) => "latency",
            Self::Layers(_) => "layers",
        }
    }

    /// The groups that are measured, from those of the experiment.
    pub(crate) fn groups(&self, groups: &[Group]) -> Vec<Group> {
        match self {
            Self::Layers(model) => model.groups(groups),
            _ => groups.to_vec(),
        }
    }

    /// The time in which it does not serve, if there is one.
    #[must_use]
    pub const fn outage(&self) -> Option<&Outage> {
        match self {
            Self::Queue(model) => model.outage.as_ref(),
            Self::Latency(model) => model.outage.as_ref(),
            Self::Occ(_) | Self::Serial(_) | Self::Layers(_) => None,
        }
    }

    /// The calls that it can serve in a second, if that is a number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn capacity(&self) -> Option<f64> {
        let Self::Queue(queue) = self else { return None };
        let per_second = |calls: f64, ns: u64| calls / (ns as f64 / 1e9);
        let served = per_second(queue.workers.into(), queue.service.mean_ns());
        let admitted = queue.limit.map(|limit| per_second(1.0, limit.interval_ns));
        Some(admitted.map_or(served, |admitted| admitted.min(served)))
    }

    pub(crate) fn validate(&self, groups: usize) -> Result<(), ExperimentError> {
        match self {
            Self::Occ(model) => model.leg.validate(),
            Self::Serial(model) => model.service.validate(),
            Self::Queue(model) => model.validate(),
            Self::Latency(model) => model.validate(),
            Self::Layers(model) => model.validate(groups),
        }
    }

    pub(crate) fn run(&self, sim: Simulation<'_>) {
        match self {
            Self::Occ(model) => sim.run(&mut model.server()),
            Self::Serial(model) => sim.run(&mut model.server()),
            Self::Queue(model) => sim.run(&mut model.server()),
            Self::Latency(model) => sim.run(&mut model.server()),
            Self::Layers(model) => {
                let load_groups = sim.load_groups();
                sim.run(&mut model.server(load_groups));
            }
        }
    }
}
