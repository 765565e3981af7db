//! The delays of a doubling policy, whose window doubles and whose jitter is full, as functions of numbers
//! alone.

use crate::policy::Policy;
use crate::schedule::doubling;

/// The base and the cap of a doubling policy, on which its delays depend, or `None` for another policy.
#[must_use]
pub fn doubling_base_and_cap(policy: &Policy) -> Option<(u64, u64)> {
    policy.0.is_doubling().then_some((policy.0.base, policy.0.cap))
}

/// [`Policy::window_ns`] of a doubling policy.
#[must_use]
#[inline]
pub fn doubling_window_ns(base: u64, cap: u64, index: u32) -> u64 {
    doubling::window(base, cap, index)
}

/// The window after this one under a doubling policy.
#[must_use]
#[inline]
pub fn next_doubling_window_ns(window: u64, cap: u64) -> u64 {
    doubling::next_window(window, cap)
}

/// [`Policy::delay_ns`] of a doubling policy, from the window and the draw of the index.
#[must_use]
#[inline]
pub fn doubling_delay_ns(window: u64, draw: u64) -> u64 {
    doubling::delay(window, draw)
}
