//! A validated policy: what `validate` makes and the formulas read.

use crate::ratio::Ratio;

/// How long to wait before each retry and when to stop: growth, jitter, cap, floor and limits,
/// checked once and never changed.
///
/// Made by [`Policy::exponential`] and its siblings. A policy holds no state and no
/// randomness: with a [`Stream`](crate::Stream) and an index it gives a delay, always the same one.
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{Jitter, Policy, Stream};
/// let policy = Policy::exponential(Duration::from_millis(100))
///     .jitter(Jitter::Full)
///     .cap(Duration::from_secs(20))
///     .build()?;
/// let stream = Stream::from_key(42, "job-1");
/// assert_eq!(policy.delay(stream, 3), Duration::from_nanos(83_486_434));
/// # Ok::<(), backoff_core::PolicyError>(())
/// ```
// Every field is a plain integer and every reader is total over all of their values: the
// C ABI keeps a policy in its caller's memory, where any bits may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Policy {
    pub(crate) growth: u32,
    pub(crate) jitter: u32,
    pub(crate) cap_on: u32,
    pub(crate) power: u32,
    pub(crate) base: u64,
    pub(crate) increment: u64,
    pub(crate) multiplier: Ratio,
    pub(crate) origin: u64,
    pub(crate) offset: u64,
    pub(crate) cap: u64,
    pub(crate) floor: u64,
    pub(crate) below: Ratio,
    pub(crate) above: Ratio,
    pub(crate) jitter_max: u64,
    pub(crate) jitter_increment: u64,
    pub(crate) jitter_slot: u64,
    pub(crate) max_retries: u64,
    pub(crate) max_elapsed: u64,
    pub(crate) throttled_base: u64,
    pub(crate) hint_max: u64,
    pub(crate) hint_max_extra: u64,
    pub(crate) hint: u32,
    // So that no byte of the C ABI is padding.
    pub(crate) reserved: u32,
}
