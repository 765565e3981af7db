#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod client;
mod clients;
mod events;
mod experiment;
mod measure;
mod model;
mod part;
mod random;
mod world;

pub use client::Group;
pub use experiment::{Experiment, ExperimentError, Load, MAX_TIME_NS};
pub use measure::summary::{Estimate, GroupSummary, LoadSummary, NamedGroup, Percentiles, Summary};
pub use measure::totals::Totals;
pub use model::latency::Latency;
pub use model::layers::{GiveUp, Layers};
pub use model::occ::Occ;
pub use model::outage::{Outage, OutageMode, Rejection};
pub use model::queue::Queue;
pub use model::{Model, serial::Serial};
pub use part::{MergeError, Part, PartError, Shard, ShardError};
pub use random::distribution::{Distribution, DistributionError};
pub use random::probability::{Probability, ProbabilityError};
