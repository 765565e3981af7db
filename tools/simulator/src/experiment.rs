//! What is simulated, and how often.

use backoff_core::Budget;
use serde::{Deserialize, Serialize};

use crate::client::Group;
use crate::error::{ExperimentError, check_range};
use crate::limits::{MAX_CLIENTS, MAX_GROUPS, MAX_TIME_NS};
use crate::load::Load;
use crate::model::Model;

/// The most processes of all groups.
const MAX_PROCESSES: u64 = 65_535;

/// The most runs of an experiment.
const MAX_RUNS: u32 = 1 << 20;

/// The most intervals of a run.
const MAX_INTERVALS: u64 = 1 << 20;

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

impl Experiment {
    /// About how many clients a run has: one with more takes longer.
    #[must_use]
    pub fn clients(&self) -> u64 {
        match self.load {
            Load::Closed { clients, operations, .. } => u64::from(clients) * u64::from(operations),
            Load::Open { interval, duration_ns } => duration_ns / interval.mean_ns().max(1) + 1,
        }
    }

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
            group.check_policy()?;
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
}
