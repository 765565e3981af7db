//! What is simulated, how often, and on which part of the runs.

use backoff_core::{Budget, ParseError, RandomStream};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use crate::client::Group;
use crate::measure::recorder::Recorder;
use crate::measure::totals::Totals;
use crate::model::Model;
use crate::part::Shard;
use crate::random::distribution::Distribution;
use crate::world::World;

/// The longest time of a run in nanoseconds, 104 days: the largest integer that every JSON reader
/// knows exactly.
pub const MAX_TIME_NS: u64 = (1 << 53) - 1;

/// The most clients of a run at a time, who need 6 GB. A run with more is cut.
pub(crate) const MAX_CLIENTS: u32 = 100_000_000;

/// The most processes of all groups.
const MAX_PROCESSES: u64 = 65_535;

/// The most runs of an experiment.
const MAX_RUNS: u32 = 1 << 20;

/// The most groups.
pub(crate) const MAX_GROUPS: u64 = 1000;

/// The most intervals of a run.
const MAX_INTERVALS: u64 = 1 << 20;

/// How clients arrive.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// A number of clients, each with its operations one after another.
    Closed {
        /// The number of clients.
        clients: u32,
        /// The number of operations of each client.
        operations: u32,
        /// When a client begins its first operation.
        start: Distribution,
        /// The time between two operations of a client.
        think: Distribution,
    },
    /// Operations that arrive whatever happened to those before them, each from a client of its
    /// own.
    Open {
        /// The time between two arrivals.
        interval: Distribution,
        /// Until when operations arrive, in nanoseconds.
        duration_ns: u64,
    },
}

impl Load {
    /// The number of clients, if it does not depend on what happens.
    pub(crate) fn clients(&self) -> usize {
        match *self {
            Self::Closed { clients, .. } => clients as usize,
            Self::Open { .. } => 0,
        }
    }
}

/// What is simulated, and how often.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Experiment {
    /// What clients call.
    pub model: Model,
    /// The clients' policies: at least one group.
    pub groups: Vec<Group>,
    /// How clients arrive.
    pub load: Load,
    /// The seed. Run `r` has the stream of number `r` under it, as a seed of its own.
    pub seed: u64,
    /// The number of runs.
    pub runs: u32,
    /// When a run is cut, at most [`MAX_TIME_NS`].
    pub max_time_ns: u64,
    /// After how many events a run is cut.
    pub max_events: u64,
    /// The length of the intervals in which load is measured, if it is.
    pub interval_ns: Option<u64>,
}

/// Why an experiment cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// A number is out of its range.
    #[error("{what} {value} is not from {min} to {max}")]
    OutOfRange {
        /// What the number counts.
        what: &'static str,
        /// The number.
        value: u64,
        /// The least.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A budget string is invalid.
    #[error("{0}")]
    Budget(ParseError),
}

/// Checks that a number is in its range.
pub(crate) fn check_range(
    what: &'static str,
    value: u64,
    min: u64,
    max: u64,
) -> Result<(), ExperimentError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(ExperimentError::OutOfRange { what, value, min, max })
    }
}

impl Experiment {
    /// Checks the numbers and the budgets.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn validate(&self) -> Result<(), ExperimentError> {
        let range = check_range;
        range("the number of runs", self.runs.into(), 1, MAX_RUNS.into())?;
        range("the longest time in ns", self.max_time_ns, 1, MAX_TIME_NS)?;
        range("the number of events", self.max_events, 1, u64::MAX)?;
        if let Some(interval_ns) = self.interval_ns {
            let min = self.max_time_ns / MAX_INTERVALS + 1;
            range("the interval in ns", interval_ns, min, MAX_TIME_NS)?;
        }
        range("the number of groups", self.groups.len() as u64, 1, MAX_GROUPS)?;
        for group in &self.groups {
            range("the weight of a group", group.weight.into(), 1, 1_000_000)?;
            range("the number of processes", group.processes.into(), 1, MAX_PROCESSES)?;
            if let Some(budget) = &group.budget {
                Budget::parse(budget).map_err(ExperimentError::Budget)?;
            }
        }
        let processes = self.groups.iter().map(|group| u64::from(group.processes)).sum();
        range("the number of processes of all groups", processes, 1, MAX_PROCESSES)?;
        match self.load {
            Load::Closed { clients, operations, start, think } => {
                range("the number of clients", clients.into(), 1, MAX_CLIENTS.into())?;
                range("the number of operations", operations.into(), 1, u32::MAX.into())?;
                start.validate()?;
                think.validate()?;
            }
            Load::Open { interval, .. } => {
                interval.validate()?;
                range("the mean time between arrivals in ns", interval.mean_ns(), 1, MAX_TIME_NS)?;
            }
        }
        self.model.validate(self.groups.len())
    }

    /// Runs the runs of a shard on all threads of rayon's current pool. `progress` is called after
    /// each run.
    ///
    /// The totals do not depend on the number of threads, and those of all shards add up to those
    /// of the whole.
    ///
    /// # Errors
    /// Those of [`Experiment::validate`].
    pub fn run(
        &self,
        shard: Shard,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Totals, ExperimentError> {
        self.validate()?;
        let groups = self.model.groups(&self.groups);
        let recorder = || Recorder::new(groups.len(), self.groups.len(), self.interval_ns);
        let totals = shard
            .runs(self.runs)
            .into_par_iter()
            .fold(recorder, |mut recorder, run| {
                let seed = RandomStream::nth(self.seed, run.into()).state();
                self.model.run(World::new(self, &groups, seed, &mut recorder));
                progress();
                recorder
            })
            .map(|recorder| recorder.totals)
            .reduce(
                || Totals::new(groups.len()),
                |mut totals, more| {
                    totals.merge(&more);
                    totals
                },
            );
        Ok(totals)
    }
}
