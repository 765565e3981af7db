//! Services that call each other, each of which retries the one below.
//!
//! Clients are layer 1. A call of one layer is an operation of the next, which ends when that layer
//! has succeeded or has given up. The last layer calls the bottom, which fails independently. With
//! `a` attempts in each of `d` layers a bottom that always fails receives `a^d` calls.

use backoff_core::{Outcome, RandomStream};
use serde::{Deserialize, Serialize};

use crate::client::Group;
use crate::error::{ExperimentError, check_range};
use crate::events::Event;
use crate::limits::MAX_GROUPS;
use crate::random::distribution::Distribution;
use crate::random::probability::Probability;
use crate::sim::server::Server;
use crate::sim::{FIRST_KIND, NOBODY, Next, Simulation};

/// The parameters of the model. Every layer has the policies, budgets and deadlines of the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    /// The number of layers that retry, with the clients: at least 1.
    pub layers: u32,
    /// How likely a call of the last layer fails, independently of all others.
    pub failure: Probability,
    /// The time that a call of the last layer takes.
    pub latency: Distribution,
    /// The time that a call of another layer takes before the next layer begins.
    pub overhead: Distribution,
    /// What a layer is told when the layer below it has given up.
    pub give_up: GiveUp,
}

/// What a layer is told when the layer below it has given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GiveUp {
    /// The outcome `transient`: it retries, too.
    #[default]
    Transient,
    /// The outcome `permanent`: it gives up, too.
    Permanent,
}

impl Default for Layers {
    /// Three layers over a service that fails one call of ten, which takes 10 ms.
    fn default() -> Self {
        Self {
            layers: 3,
            failure: Probability::TENTH,
            latency: Distribution::Constant(10_000_000),
            overhead: Distribution::Constant(0),
            give_up: GiveUp::Transient,
        }
    }
}

impl Layers {
    const MAX_LAYERS: u64 = 32;

    pub(crate) fn validate(&self, groups: usize) -> Result<(), ExperimentError> {
        let layers = u64::from(self.layers);
        check_range("the number of layers", layers, 1, Self::MAX_LAYERS)?;
        let groups = layers * groups as u64;
        check_range("the number of layers times groups", groups, 1, MAX_GROUPS)?;
        self.latency.validate()?;
        self.overhead.validate()
    }

    /// The groups in each layer, one layer after another.
    pub(crate) fn groups(&self, groups: &[Group]) -> Vec<Group> {
        let of_layer = |layer| {
            groups.iter().map(move |group| {
                let several = groups.len() > 1;
                let name = if several { format!(", {}", group.name) } else { String::new() };
                Group { name: format!("layer {layer}{name}"), ..group.clone() }
            })
        };
        (1..=self.layers).flat_map(of_layer).collect()
    }

    pub(crate) fn server(self, load_groups: usize) -> impl Server {
        Stack { model: self, load_groups, callers: Vec::new(), begun: 0 }
    }
}

/// A call of the last layer ends.
const ENDED: u8 = FIRST_KIND;
/// A call reaches the next layer.
const REACHED: u8 = FIRST_KIND + 1;

struct Stack {
    model: Layers,
    load_groups: usize,
    /// Of each operation the one whose attempt it serves.
    callers: Vec<u32>,
    /// The number of operations that serve others, each of which has a stream of its own.
    begun: u64,
}

impl Stack {
    fn is_last(&self, group: u16) -> bool {
        let layer = usize::from(group) / self.load_groups + 1;
        layer as u64 == u64::from(self.model.layers)
    }

    /// The next layer begins to work for a caller.
    fn descend(&mut self, sim: &mut Simulation<'_>, caller: u32) {
        // A run with so many groups is not valid.
        let step = u16::try_from(self.load_groups).unwrap_or(u16::MAX);
        let of_caller = sim.client(caller);
        let group = of_caller.group().saturating_add(step);
        let is_measured = of_caller.is_measured();
        let number = self.begun;
        self.begun += 1;
        let layers = RandomStream::from_key(sim.seed(), "layers").state();
        let stream = RandomStream::nth(layers, number);
        let operation = sim.begin_inner(stream, group, number, is_measured);
        let place = operation as usize;
        if place >= self.callers.len() {
            self.callers.resize(place + 1, NOBODY);
        }
        self.callers[place] = caller;
        self.attempt(sim, operation);
    }

    /// An attempt ended, and with it perhaps that of its caller.
    fn end(&mut self, sim: &mut Simulation<'_>, client: u32, succeeds: bool) {
        let failure = match self.model.give_up {
            GiveUp::Transient => Outcome::Transient,
            GiveUp::Permanent => Outcome::Permanent,
        };
        let mut outcome = if succeeds { Outcome::Success } else { Outcome::Transient };
        let mut client = client;
        while let Next::End(success) = sim.end_attempt(client, outcome, None)
            && let Some(&caller) = self.callers.get(client as usize)
            && caller != NOBODY
        {
            outcome = if success { Outcome::Success } else { failure };
            self.callers[client as usize] = NOBODY;
            client = caller;
        }
    }
}

impl Server for Stack {
    fn attempt(&mut self, sim: &mut Simulation<'_>, client: u32) {
        sim.count_call(client);
        if self.is_last(sim.client(client).group()) {
            sim.schedule_random(&self.model.latency, client, ENDED, 0);
        } else if self.model.overhead == Distribution::Constant(0) {
            self.descend(sim, client);
        } else {
            sim.schedule_random(&self.model.overhead, client, REACHED, 0);
        }
    }

    fn receive(&mut self, sim: &mut Simulation<'_>, event: Event) {
        if event.kind() == REACHED {
            self.descend(sim, event.client);
        } else {
            let fails = sim.draws.chance(self.model.failure.millionths());
            self.end(sim, event.client, !fails);
        }
    }
}
