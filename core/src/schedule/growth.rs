//! The window of an index, before jitter (SPEC 5).

use crate::field::kind::{EXPONENTIAL, FIBONACCI, LINEAR, ON_WINDOW, POLYNOMIAL};
use crate::number::arithmetic::{MAX_NS, add, multiply, power};
use crate::schedule::Parameters;

/// The state that a recursive growth carries from one index to the next.
///
/// `current` is the grown value of the index. `next` is that of the next index; only Fibonacci
/// growth keeps it.
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
    pub(crate) fn start(policy: &Parameters) -> Self {
        Self { current: policy.base, next: policy.base }
    }

    /// The state of an index. It takes as many steps as the index has, or as many as the growth
    /// takes to stop.
    #[cfg_attr(backoff_translated, inline(always))]
    pub(crate) fn at(policy: &Parameters, index: u32) -> Self {
        let mut state = Self::start(policy);
        for _ in 0..index.min(MAX_STEPS) {
            let before = state;
            state.advance(policy);
            if state == before {
                break;
            }
        }
        state
    }

    /// Moves to the next index. A value beyond the longest window stays: it can only be capped.
    #[inline]
    pub(crate) fn advance(&mut self, policy: &Parameters) {
        match policy.growth {
            EXPONENTIAL => {
                let longest = if policy.cap_on == ON_WINDOW { policy.cap } else { MAX_NS };
                if self.current < longest {
                    self.current = policy.multiplier.scale(self.current);
                }
            }
            FIBONACCI => (self.current, self.next) = (self.next, add(self.current, self.next)),
            _ => {}
        }
    }

    /// The window of an index (SPEC 5.3).
    #[cfg_attr(backoff_translated, inline(always))]
    #[cfg_attr(not(backoff_translated), inline)]
    pub(crate) fn window(self, policy: &Parameters, index: u64) -> u64 {
        let grown = match policy.growth {
            LINEAR => add(policy.base, multiply(policy.increment, index)),
            POLYNOMIAL => {
                multiply(policy.base, power(index.saturating_add(policy.origin), policy.power))
            }
            _ => self.current,
        };
        let window = add(policy.offset, grown);
        if policy.cap_on == ON_WINDOW { window.min(policy.cap) } else { window }
    }
}
