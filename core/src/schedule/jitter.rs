//! The range around a window from which the draw selects a delay (SPEC 6).

use crate::field::kind::{ADDITIVE, EQUAL, FULL, ON_WINDOW, PROPORTIONAL, SLOTTED};
use crate::number::arithmetic::{add, multiply};
use crate::schedule::ScheduleParams;

/// The range of a window: of delays before a cap on the delay, or of slots.
#[inline]
pub(crate) fn range(policy: &ScheduleParams, window: u64, index: u64) -> (u64, u64) {
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
pub(crate) fn decorrelated(policy: &ScheduleParams, previous: u64) -> (u64, u64) {
    let stretched = policy.multiplier.scale(previous);
    let high = if policy.cap_on == ON_WINDOW { stretched.min(policy.cap) } else { stretched };
    raise_to_floor(policy, policy.base, high)
}

/// The range with its ends raised to the floor. Raising the range instead of clamping the delay
/// keeps delays from piling up on the floor (SPEC 6.2).
#[inline]
fn raise_to_floor(policy: &ScheduleParams, low: u64, high: u64) -> (u64, u64) {
    let low = low.max(policy.floor);
    (low, high.max(low))
}

/// The range of slots: fewer than fit into the window, and at least as many as the floor needs.
#[inline]
fn slots(policy: &ScheduleParams, window: u64) -> (u64, u64) {
    let slots = window.checked_div(policy.jitter_slot).unwrap_or(0);
    let low = policy.floor.div_ceil(policy.jitter_slot.max(1));
    (low, slots.saturating_sub(1).max(low))
}
