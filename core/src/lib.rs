#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
// The core is total: nothing in it may panic, and no float may touch a result.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::todo,
    clippy::unreachable,
    clippy::unwrap_used
)]

mod arithmetic;
mod backoff;
#[cfg(target_has_atomic = "64")]
mod budget;
mod builder;
mod delay;
mod error;
mod field;
mod growth;
#[cfg(target_has_atomic = "64")]
mod history;
mod jitter;
mod kind;
mod line;
mod message;
#[cfg(target_has_atomic = "64")]
mod operation;
mod outcome;
mod params;
mod parse_error;
mod policy;
mod policy_line;
mod preset;
mod preview;
mod ratio;
mod retry_after;
#[cfg(feature = "rand")]
mod rng;
mod rules;
#[cfg(feature = "serde")]
mod serde;
mod siphash;
mod stream;
mod text;
mod validate;
mod value;
mod walk;

pub use arithmetic::MAX_NS;
pub use backoff::Backoff;
#[cfg(target_has_atomic = "64")]
pub use budget::Budget;
pub use builder::PolicyBuilder;
pub use error::{ErrorCode, PolicyError};
pub use field::{Field, Unit};
#[cfg(target_has_atomic = "64")]
pub use history::History;
pub use kind::{CapOn, Growth, Hint, Jitter};
pub use line::LineKind;
#[cfg(target_has_atomic = "64")]
pub use operation::Operation;
pub use outcome::{Decision, Outcome, StopReason};
pub use params::Params;
pub use parse_error::ParseError;
pub use policy::Policy;
pub use preview::{Preview, PreviewRow};
pub use ratio::{Ratio, RatioError};
pub use retry_after::retry_after_ns;
#[cfg(feature = "rand")]
pub use rng::RngBackoff;
pub use stream::{KeyHasher, Stream};
pub use text::Text;
