//! Deciding after each attempt: wait, or stop; and counting the outcomes.

#[cfg(target_has_atomic = "64")]
pub(crate) mod budget;
#[cfg(target_has_atomic = "64")]
pub(crate) mod operation;
pub(crate) mod outcome;
pub(crate) mod retry_after;
#[cfg(target_has_atomic = "64")]
pub(crate) mod stats;
