//! The parts of an experiment that is run on several machines.

use backoff_core::RandomStream;
use serde::{Deserialize, Serialize};

use crate::error::ExperimentError;
use crate::experiment::Experiment;
use crate::measure::totals::Totals;
use crate::shard::Shard;

/// The totals of a shard, with the experiment that they belong to.
///
/// A sweep is a number of experiments, its points. A file of parts has a line for each point.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The number of the point, from 1.
    pub point: u32,
    /// The number of points of the sweep.
    pub points: u32,
    /// The experiment, of which the shard ran a part.
    pub experiment: Experiment,
    /// The shard whose runs are in the totals.
    pub shard: Shard,
    /// The totals.
    pub totals: Totals,
}

/// A part, and what shows that it was not changed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    part: Part,
    /// `SipHash` of the version and of the JSON of the part, in decimal.
    checksum: String,
}

/// The format of parts, which counts up when a line changes its meaning.
const FORMAT: u64 = 2;

/// Why a line of a file is no part.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The line is not JSON of a part.
    #[error("not a part")]
    Json(#[from] serde_json::Error),
    /// A byte was changed, or another version wrote it.
    #[error("the checksum is wrong: the part is damaged, or another version of backoff wrote it")]
    Checksum,
}

/// Why parts do not add up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are no parts.
    #[error("there are no parts")]
    Empty,
    /// The parts belong to different experiments.
    #[error("the parts {0} and {1} are of different experiments")]
    OtherExperiment(Shard, Shard),
    /// The shards divide the runs differently, a shard is missing, or it is there twice.
    #[error("expected each of the {of} shards once, found {found}")]
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
    /// Runs a shard of an experiment, which is the only point of its sweep.
    ///
    /// # Errors
    /// Those of [`Experiment::validate`].
    pub fn run(
        experiment: Experiment,
        shard: Shard,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Self, ExperimentError> {
        let totals = experiment.run(shard, progress)?;
        Ok(Self { point: 1, points: 1, experiment, shard, totals })
    }

    /// The line of a file: JSON with a checksum, without the end of the line.
    #[must_use]
    pub fn to_line(&self) -> String {
        let line = Line { part: self.clone(), checksum: self.checksum() };
        serde_json::to_string(&line).unwrap_or_default()
    }

    /// Reads a line of a file.
    ///
    /// # Errors
    /// [`PartError::Json`] or [`PartError::Checksum`]. [`Part::merge`] checks the rest.
    pub fn from_line(line: &str) -> Result<Self, PartError> {
        let Line { part, checksum } = serde_json::from_str(line)?;
        if part.checksum() == checksum { Ok(part) } else { Err(PartError::Checksum) }
    }

    fn checksum(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        RandomStream::from_key(FORMAT, json).state().to_string()
    }

    /// The experiment of all its parts, and their totals together: those of a run of the whole.
    ///
    /// # Errors
    /// The parts are not each shard of one experiment, once, or they have impossible totals.
    pub fn merge(parts: &[Self]) -> Result<(Experiment, Totals), MergeError> {
        let (first, rest) = parts.split_first().ok_or(MergeError::Empty)?;
        first.experiment.validate().map_err(MergeError::Experiment)?;
        let text = |part: &Self| serde_json::to_string(&part.experiment).unwrap_or_default();
        let expected = text(first);
        if let Some(other) = rest.iter().find(|part| text(part) != expected) {
            return Err(MergeError::OtherExperiment(first.shard, other.shard));
        }
        let mut shards: Vec<_> = parts.iter().map(|part| part.shard).collect();
        shards.sort_unstable_by_key(|shard| (shard.of, shard.number));
        let of = first.shard.of;
        let is_each = |(number, shard): (u32, &Shard)| shard.of == of && shard.number == number;
        if parts.len() as u64 != u64::from(of) || !(1..).zip(&shards).all(is_each) {
            return Err(MergeError::Shards { of, found: list(&shards) });
        }
        let Experiment { model, interval_ns, max_time_ns, .. } = &first.experiment;
        let groups = model.groups(&first.experiment.groups).len();
        let max_intervals = interval_ns.map_or(0, |ns| max_time_ns / ns.max(1) + 1);
        let mut totals = first.totals.clone();
        for part in parts {
            let runs = part.shard.runs(first.experiment.runs).len() as u64;
            if !part.totals.are_sound(groups, max_intervals, runs) {
                return Err(MergeError::Totals(part.shard));
            }
        }
        for part in rest {
            totals.merge(&part.totals);
        }
        Ok((first.experiment.clone(), totals))
    }
}

fn list(shards: &[Shard]) -> String {
    const MAX: usize = 20;
    let texts: Vec<_> = shards.iter().take(MAX).map(Shard::to_string).collect();
    let more = if shards.len() > MAX { " and more" } else { "" };
    texts.join(", ") + more
}
