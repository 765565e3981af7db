//! The range around a window from which the draw selects a delay (SPEC 6).

use crate::field::kind::{ADDITIVE, EQUAL, FULL, ON_WINDOW, PROPORTIONAL, SLOTTED};
use crate::number::arithmetic::{add, multiply};
use crate::number::ratio::Ratio;
use crate::schedule::Schedule;

/// The range of a window: of delays before a cap on the delay, or of slots.
#[inline]
pub(crate) fn range(policy: &impl Schedule, window: u64, index: u64) -> (u64, u64) {
    let (low, high) = match policy.jitter {
        FULL => (0, window),
        // The fixed half is rounded up.
        EQUAL => (window.saturating_sub(window.wrapping_shr(1)), window),
        PROPORTIONAL => (
            window.saturating_sub(policy.jitter_below.scale(window)),
            add(window, policy.jitter_above.scale(window)),
        ),
        ADDITIVE => {
            let width = add(policy.jitter_max, multiply(policy.jitter_increment, index));
            (window, add(window, width))
        }
        SLOTTED => return slots(policy, window),
        _ => (window, window),
    };
    raise_to_floor(policy, low, high)
}

/// The range of decorrelated jitter after a previous delay (SPEC 6.3).
#[inline]
pub(crate) fn decorrelated(policy: &impl Schedule, previous: u64) -> (u64, u64) {
    let longest = if policy.cap_on == ON_WINDOW { policy.cap } else { u64::MAX };
    decorrelated_by(policy.multiplier, longest, policy.base.max(policy.floor), previous)
}

/// The range after a previous delay by the numbers of a policy: its multiplier, its longest window, and the longer one of
/// its base and its floor.
#[inline]
pub(crate) fn decorrelated_by(
    multiplier: Ratio,
    longest: u64,
    low: u64,
    previous: u64,
) -> (u64, u64) {
    (low, multiplier.scale(previous).min(longest).max(low))
}

/// The range with its ends raised to the floor. Raising the range instead of clamping the delay
/// keeps delays from piling up on the floor (SPEC 6.2).
#[inline]
fn raise_to_floor(policy: &impl Schedule, low: u64, high: u64) -> (u64, u64) {
    let low = low.max(policy.floor);
    (low, high.max(low))
}

/// The range of slots: fewer than fit into the window, and at least as many as the floor needs.
#[inline]
fn slots(policy: &impl Schedule, window: u64) -> (u64, u64) {
    let slots = window.checked_div(policy.jitter_slot).unwrap_or(0);
    let low = policy.floor.div_ceil(policy.jitter_slot.max(1));
    (low, slots.saturating_sub(1).max(low))
}
