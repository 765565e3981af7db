#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod client;
mod clients;
mod error;
mod events;
mod experiment;
mod far;
mod limits;
mod load;
mod measure;
mod model;
mod part;
mod random;
mod run;
mod shard;
mod sim;
mod summary;
mod sweep;

pub use client::Group;
pub use error::ExperimentError;
pub use experiment::Experiment;
pub use limits::MAX_TIME_NS;
pub use load::Load;
pub use measure::moments::Estimate;
pub use measure::totals::Totals;
pub use model::latency::Latency;
pub use model::layers::{GiveUp, Layers};
pub use model::occ::Occ;
pub use model::outage::{Outage, OutageMode, Rejection};
pub use model::queue::Queue;
pub use model::rate_limit::RateLimit;
pub use model::{Model, serial::Serial};
pub use part::{MergeError, Part, PartError};
pub use random::distribution::{Distribution, DistributionError};
pub use random::probability::{Probability, ProbabilityError};
pub use shard::{Shard, ShardError};
pub use summary::{GroupSummary, LoadSummary, NamedGroup, Percentiles, Summary};
pub use sweep::Sweep;
pub use sweep::clients::{Clients, ClientsDefaults, ClientsError};
pub use sweep::numbers::{Numbers, Rates, parse_rate};
