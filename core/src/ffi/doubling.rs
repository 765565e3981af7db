//! The delays of a doubling policy, whose window doubles and whose jitter is full, as functions of numbers
//! alone.

use crate::policy::Policy;
use crate::random::stream::RandomStream;
use crate::schedule::doubling;
pub use crate::schedule::state::DelayState;

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

/// Moves the state of a sequence of delays to an index of a stream.
#[inline]
pub fn seek(policy: &Policy, state: &mut DelayState, stream: RandomStream, index: u32) {
    *state = DelayState::start(&policy.0);
    state.skip_to(&policy.0, stream, index);
}

/// [`Policy::delay_ns`] of the index of the state, which moves to the next index.
#[must_use]
#[inline]
pub fn next_delay_ns(policy: &Policy, state: &mut DelayState, index: u32, draw: u64) -> u64 {
    state.next(&policy.0, index.into(), draw)
}
