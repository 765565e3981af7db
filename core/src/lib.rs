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
mod builder;
mod delay;
mod error;
mod field;
mod growth;
mod jitter;
mod kind;
mod params;
mod policy;
mod ratio;
#[cfg(feature = "rand")]
mod rng;
mod siphash;
mod stream;
mod text;
mod validate;
mod walk;

pub use arithmetic::MAX_NS;
pub use backoff::Backoff;
pub use builder::PolicyBuilder;
pub use error::{ErrorCode, PolicyError};
pub use field::{Field, Unit};
pub use kind::{CapOn, Growth, Jitter};
pub use params::Params;
pub use policy::Policy;
pub use ratio::{Ratio, RatioError};
#[cfg(feature = "rand")]
pub use rng::RngBackoff;
pub use stream::{KeyHasher, Stream};
pub use text::Text;
