//! Experiments that differ in their clients and in their load: the lines and the points of charts.

pub(crate) mod clients;
pub(crate) mod numbers;

use crate::client::Group;
use crate::experiment::Experiment;
use crate::limits::MAX_TIME_NS;
use crate::load::Load;
use crate::model::Model;
use crate::random::distribution::Distribution;
use crate::sweep::clients::{Clients, ClientsDefaults};
use crate::sweep::numbers::{Numbers, Rates};

/// The policies of the article: base 5 ms, cap 2 s, and a first window of 2^1 times the base.
const ARTICLE: [&str; 5] = [
    "none=none",
    "exponential=exponential:base=10ms,cap=2s",
    "full=full:base=10ms,cap=2s",
    "equal=equal:base=10ms,cap=2s",
    "decorrelated=decorrelated:base=5ms,cap=2s",
];

/// The same kinds for services that fail: without a limit, clients would retry for ever.
const WITH_LIMIT: [&str; 5] = [
    "none=none:max_retries=3",
    "exponential=exponential:base=100ms,cap=20s,max_retries=3",
    "full=full:base=100ms,cap=20s,max_retries=3",
    "equal=equal:base=100ms,cap=20s,max_retries=3",
    "decorrelated=decorrelated:base=100ms,cap=20s,max_retries=3",
];

/// Experiments that differ in their clients and in their load: the lines and the points of charts.
///
/// ```
/// use backoff_sim::{Clients, ClientsDefaults, Model, Occ, Sweep};
/// let mut sweep = Sweep::new(Model::Occ(Occ::default()));
/// assert_eq!(sweep.experiments().len(), 5 * 19, "the charts of the article");
/// let mine = "mine=full:base=50ms,cap=1s".parse::<Clients>()?;
/// sweep.lines = vec![vec![mine.group(&ClientsDefaults::default())]];
/// sweep.clients = Some("10,20".parse()?);
/// assert_eq!(sweep.experiments().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sweep {
    /// What clients call.
    pub model: Model,
    /// The groups of each line. The usual policies of the model if there are none.
    pub lines: Vec<Vec<Group>>,
    /// Numbers of clients, each of which is a point.
    pub clients: Option<Numbers>,
    /// Arrivals in a second, each of which is a point if there are no numbers of clients. The usual
    /// loads of the model if there are neither.
    pub rate: Option<Rates>,
    /// The number of operations of each of a number of clients.
    pub operations: u32,
    /// When each of a number of clients begins its first operation.
    pub start: Distribution,
    /// The time between two operations of each of a number of clients.
    pub think: Distribution,
    /// Until when operations arrive that do so by themselves, in nanoseconds.
    pub duration_ns: u64,
    /// The seed of each experiment.
    pub seed: u64,
    /// The number of runs of each experiment.
    pub runs: u32,
    /// When a run is cut; never, or after as many intervals as a run can have, if nothing is said.
    pub max_time_ns: Option<u64>,
    /// After how many events a run is cut.
    pub max_events: u64,
    /// The length of the intervals in which load is measured, if it is.
    pub interval_ns: Option<u64>,
}

impl Sweep {
    /// The usual policies and loads of a model, 100 runs of each.
    #[must_use]
    pub const fn new(model: Model) -> Self {
        Self {
            model,
            lines: Vec::new(),
            clients: None,
            rate: None,
            operations: 1,
            start: Distribution::Constant(0),
            think: Distribution::Constant(0),
            duration_ns: 60_000_000_000,
            seed: 1,
            runs: 100,
            max_time_ns: None,
            max_events: 1_000_000_000,
            interval_ns: None,
        }
    }

    /// A line at one load after the other, then the next line.
    #[must_use]
    pub fn experiments(&self) -> Vec<Experiment> {
        let loads = self.loads();
        let usual = self.lines.is_empty().then(|| self.usual_lines());
        let lines = usual.as_ref().unwrap_or(&self.lines).iter();
        let experiment = |groups: &Vec<Group>, load: &Load| Experiment {
            model: self.model.clone(),
            groups: groups.clone(),
            load: *load,
            seed: self.seed,
            runs: self.runs,
            max_time_ns: self.max_time_ns.unwrap_or_else(|| self.longest_ns()),
            max_events: self.max_events,
            interval_ns: self.interval_ns,
        };
        lines.flat_map(|groups| loads.iter().map(move |load| experiment(groups, load))).collect()
    }

    /// How long a run can be: one with intervals has at most 2^20.
    #[must_use]
    pub fn longest_ns(&self) -> u64 {
        match self.interval_ns {
            Some(ns) => ns.saturating_mul(1 << 20).saturating_sub(1).clamp(1, MAX_TIME_NS),
            None => MAX_TIME_NS,
        }
    }

    fn usual_lines(&self) -> Vec<Vec<Group>> {
        let texts = match self.model {
            Model::Occ(_) | Model::Serial(_) => ARTICLE,
            Model::Queue(_) | Model::Latency(_) | Model::Layers(_) => WITH_LIMIT,
        };
        let clients = texts.into_iter().filter_map(|text| text.parse::<Clients>().ok());
        clients.map(|clients| vec![clients.group(&ClientsDefaults::default())]).collect()
    }

    fn loads(&self) -> Vec<Load> {
        let closed = |clients: &u32| Load::Closed {
            clients: *clients,
            operations: self.operations,
            start: self.start,
            think: self.think,
        };
        let open = |rate: &f64| Load::Open {
            interval: Distribution::Exponential { mean_ns: interval_ns(*rate) },
            duration_ns: self.duration_ns,
        };
        if let Some(Numbers(clients)) = &self.clients {
            return clients.iter().map(closed).collect();
        }
        if let Some(Rates(rates)) = &self.rate {
            return rates.iter().map(open).collect();
        }
        match self.model {
            Model::Occ(_) | Model::Serial(_) => {
                (10..=190).step_by(10).map(|clients| closed(&clients)).collect()
            }
            Model::Queue(_) => {
                [50.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0].iter().map(open).collect()
            }
            Model::Latency(_) => [5.0, 10.0, 15.0, 20.0, 25.0, 30.0].iter().map(open).collect(),
            Model::Layers(_) => vec![closed(&1000)],
        }
    }
}

/// The mean time between two arrivals. A rate is from 0.000001 to 10^9, so that this is from 1 to
/// 10^15.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in range")]
fn interval_ns(rate: f64) -> u64 {
    (1e9 / rate).round() as u64
}
