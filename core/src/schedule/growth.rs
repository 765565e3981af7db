//! The window of an index, before jitter (SPEC 5).

use crate::field::kind::{EXPONENTIAL, FIBONACCI, LINEAR, ON_WINDOW, POLYNOMIAL, STEPS};
use crate::number::arithmetic::{MAX_NS, add, multiply, power};
use crate::number::ratio::Ratio;
use crate::schedule::Schedule;

/// The state that a recursive growth carries from one index to the next.
///
/// `current` is the grown value of the index, or the position of its wait in steps. `next` is that of
/// the next index; only Fibonacci growth keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub(crate) struct GrowthState {
    pub(crate) current: u64,
    pub(crate) next: u64,
}

/// More steps than any policy takes to stop growing: the smallest multiplier, 1.01, takes 3983
/// steps from the smallest base that it grows. The limit bounds the time spent on arbitrary
/// memory from C.
const MAX_STEPS: u32 = 8192;

impl GrowthState {
    #[inline]
    pub(crate) fn start(policy: &impl Schedule) -> Self {
        Self { current: policy.base, next: policy.base }
    }

    /// The state of an index.
    pub(crate) fn at(policy: &impl Schedule, index: u32) -> Self {
        let mut state = Self::start(policy);
        state.skip_to(policy, index);
        state
    }

    /// Moves from the start to an index. It takes as many steps as the index has, or as many as the
    /// growth takes to stop; doubling, which most policies use, takes none.
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn skip_to(&mut self, policy: &impl Schedule, index: u32) {
        match policy.growth {
            EXPONENTIAL if policy.multiplier == Ratio::DOUBLE => {
                self.current = doubled(policy.base, index).min(longest(policy));
            }
            EXPONENTIAL | FIBONACCI | STEPS => self.step_to(policy, index),
            _ => {}
        }
    }

    // Out of line, so that doubling makes no call.
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    fn step_to(&mut self, policy: &impl Schedule, index: u32) {
        for _ in 0..index.min(MAX_STEPS) {
            let before = *self;
            self.advance(policy);
            if *self == before {
                break;
            }
        }
    }

    /// Moves to the next index. Exponential growth stops at the longest window.
    #[inline]
    pub(crate) fn advance(&mut self, policy: &impl Schedule) {
        match policy.growth {
            EXPONENTIAL => {
                let longest = longest(policy);
                if self.current < longest {
                    self.current = policy.multiplier.scale(self.current).min(longest);
                }
            }
            FIBONACCI => (self.current, self.next) = (self.next, add(self.current, self.next)),
            STEPS => self.current = policy.waits().next_position(self.current),
            _ => {}
        }
    }

    /// The window of an index (SPEC 5.3).
    #[inline]
    pub(crate) fn window(self, policy: &impl Schedule, index: u64) -> u64 {
        let grown = match policy.growth {
            LINEAR => add(policy.base, multiply(policy.increment, index)),
            POLYNOMIAL => {
                multiply(policy.base, power(index.saturating_add(policy.origin), policy.power))
            }
            STEPS => policy.waits().at(self.current),
            _ => self.current,
        };
        let window = add(policy.offset, grown);
        if policy.cap_on == ON_WINDOW { window.min(policy.cap) } else { window }
    }
}

/// The value at which exponential growth stops.
#[inline]
fn longest(policy: &impl Schedule) -> u64 {
    if policy.cap_on == ON_WINDOW { policy.cap } else { MAX_NS }
}

/// A number doubled `steps` times, at most [`MAX_NS`].
#[inline]
pub(crate) fn doubled(n: u64, steps: u32) -> u64 {
    let steps = steps.min(u64::BITS - 1);
    if n > MAX_NS.wrapping_shr(steps) { MAX_NS } else { n.wrapping_shl(steps) }
}
