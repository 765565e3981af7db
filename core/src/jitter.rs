//! The range around a window that a draw picks a delay from (SPEC 6).

use crate::arithmetic::{add, multiply};
use crate::kind::{ADDITIVE, EQUAL, FULL, ON_WINDOW, PROPORTIONAL, SLOTTED};
use crate::policy::Policy;

/// The range of a window: of delays before a cap on the result, or of slots.
#[inline]
pub(crate) fn range(policy: &Policy, window: u64, index: u64) -> (u64, u64) {
    let (low, high) = match policy.jitter {
        FULL => (0, window),
        // The half that is always waited is rounded up.
        EQUAL => (window.saturating_sub(window.wrapping_shr(1)), window),
        PROPORTIONAL => (
            window.saturating_sub(policy.below.scale(window)),
            add(window, policy.above.scale(window)),
        ),
        ADDITIVE => {
            let width = add(policy.jitter_max, multiply(policy.jitter_increment, index));
            (window, add(window, width))
        }
        SLOTTED => return slots(policy, window),
        _ => (window, window),
    };
    above_floor(policy, low, high)
}

/// The range of decorrelated jitter after a previous delay (SPEC 6.3).
#[inline]
pub(crate) fn decorrelated(policy: &Policy, previous: u64) -> (u64, u64) {
    let stretched = policy.multiplier.scale(previous);
    let high = if policy.cap_on == ON_WINDOW { stretched.min(policy.cap) } else { stretched };
    above_floor(policy, policy.base, high)
}

/// The range whose lower end the floor has raised, and its upper end where it must: no crowd
/// gathers on the floor (SPEC 6.2).
#[inline]
fn above_floor(policy: &Policy, low: u64, high: u64) -> (u64, u64) {
    let low = low.max(policy.floor);
    (low, high.max(low))
}

/// The range of slots: fewer than fit into the window, and as many as the floor asks.
#[inline]
fn slots(policy: &Policy, window: u64) -> (u64, u64) {
    let slots = window.checked_div(policy.jitter_slot).unwrap_or(0);
    let low = policy.floor.div_ceil(policy.jitter_slot.max(1));
    (low, slots.saturating_sub(1).max(low))
}
