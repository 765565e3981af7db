//! The delays of a policy one after another.

pub(crate) mod backoff;
#[cfg(feature = "rand")]
pub(crate) mod rng;
