//! The delays of a plain policy, whose window doubles and whose jitter is full, as functions of numbers
//! alone.

use crate::policy::Policy;
use crate::schedule::plain;

/// The base and the cap of a plain policy, on which its delays depend, or `None` for another policy.
#[must_use]
pub fn plain_base_and_cap(policy: &Policy) -> Option<(u64, u64)> {
    policy.0.is_plain().then_some((policy.0.base, policy.0.cap))
}

/// [`Policy::window_ns`] of a plain policy.
#[must_use]
#[inline]
pub fn plain_window_ns(base: u64, cap: u64, index: u32) -> u64 {
    plain::window(base, cap, index)
}

/// The window after this one under a plain policy.
#[must_use]
#[inline]
pub fn plain_next_window_ns(window: u64, cap: u64) -> u64 {
    plain::next_window(window, cap)
}

/// [`Policy::delay_ns`] of a plain policy, from the window and the draw of the index.
#[must_use]
#[inline]
pub fn plain_delay_ns(window: u64, draw: u64) -> u64 {
    plain::delay(window, draw)
}
