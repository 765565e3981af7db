//! The parts of an experiment that is run on several machines.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, ExperimentError};
use crate::measure::totals::Totals;

/// One of several equal parts of the runs, as text `2/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// All runs.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// The runs of this shard.
    pub(crate) fn runs(self, runs: u32) -> Range<u32> {
        let end = |number: u32| {
            let end = u64::from(runs) * u64::from(number) / u64::from(self.of);
            u32::try_from(end).unwrap_or(runs)
        };
        end(self.number - 1)..end(self.number)
    }
}

/// A text that is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard such as 2/5, with a first number from 1 to the second")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let wrong = || ShardError(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let parse = |digits: &str| -> Option<u32> {
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let (number, of) = (parse(number).ok_or_else(wrong)?, parse(of).ok_or_else(wrong)?);
        if number == 0 || number > of { Err(wrong()) } else { Ok(Self { number, of }) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

/// The totals of a shard, with the experiment that they belong to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Part {
    /// The experiment, of which the shard ran a part.
    pub experiment: Experiment,
    /// The shards whose runs are in the totals.
    pub shards: Vec<Shard>,
    /// The totals.
    pub totals: Totals,
}

/// Why parts do not add up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are no parts.
    #[error("there are no parts")]
    Empty,
    /// The parts belong to different experiments.
    #[error("the parts are of different experiments")]
    OtherExperiment,
    /// The shards divide the runs differently, a shard is missing, or it is there twice.
    #[error("expected each shard of {of} once, found {found}")]
    Shards {
        /// The number of shards.
        of: u32,
        /// The shards found.
        found: String,
    },
    /// A part was changed, or written by another version.
    #[error("part {0} does not have the totals of its experiment")]
    Totals(Shard),
    /// The experiment of the parts is invalid.
    #[error("{0}")]
    Experiment(ExperimentError),
}

impl Part {
    /// Runs a shard of an experiment.
    ///
    /// # Errors
    /// Those of [`Experiment::validate`].
    pub fn run(
        experiment: Experiment,
        shard: Shard,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Self, ExperimentError> {
        let totals = experiment.run(shard, progress)?;
        Ok(Self { experiment, shards: vec![shard], totals })
    }
}
