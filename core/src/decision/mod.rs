//! Deciding after each attempt: wait, or stop; and counting the outcomes.

#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
mod atomic;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub(crate) mod budget;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub(crate) mod failure;
pub(crate) mod http;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub(crate) mod operation;
pub(crate) mod outcome;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub(crate) mod progress;
mod rate_limit;
pub(crate) mod retry_after;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub(crate) mod stats;
#[cfg(any(target_has_atomic = "64", feature = "portable-atomic"))]
pub(crate) mod stats_text;
