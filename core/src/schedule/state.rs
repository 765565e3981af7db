//! The state of a sequence of delays: what the next delay needs from those before it.

use crate::field::kind::{DECORRELATED, ON_DELAY, SLOTTED};
use crate::number::arithmetic::{multiply, sample};
use crate::random::stream::RandomStream;
use crate::schedule::growth::GrowthState;
use crate::schedule::{Parameters, jitter};

/// Decorrelated jitter restarts from the base at every multiple of this index, so that any index
/// is at most this many steps away (SPEC 6.3).
pub(crate) const DECORRELATED_PERIOD: u32 = 4096;

/// The state of a policy at an index.
///
/// Decorrelated jitter grows from the previous delay, not from the window: `growth.current` is
/// then that delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub(crate) struct DelayState {
    growth: GrowthState,
}

impl DelayState {
    #[inline]
    pub(crate) fn start(policy: &Parameters) -> Self {
        Self { growth: GrowthState::start(policy) }
    }

    /// The state at an index of a stream.
    #[cfg_attr(backoff_translated, inline(always))]
    pub(crate) fn at(policy: &Parameters, stream: RandomStream, index: u32) -> Self {
        if policy.jitter != DECORRELATED {
            return Self { growth: GrowthState::at(policy, index) };
        }
        let mut state = Self::start(policy);
        let restart = index.wrapping_sub(index.wrapping_rem(DECORRELATED_PERIOD));
        for index in restart..index {
            state.next(policy, index.into(), stream.draw(index));
        }
        state
    }

    /// The range from which the draw selects: of delays before a cap on the delay, or of slots.
    #[cfg_attr(backoff_translated, inline(always))]
    #[cfg_attr(not(backoff_translated), inline)]
    pub(crate) fn range(&self, policy: &Parameters, index: u64) -> (u64, u64) {
        if policy.jitter == DECORRELATED {
            jitter::decorrelated(policy, self.growth.current)
        } else {
            jitter::range(policy, self.growth.window(policy, index), index)
        }
    }

    /// The delay at this index.
    #[cfg_attr(backoff_translated, inline(always))]
    #[cfg_attr(not(backoff_translated), inline)]
    pub(crate) fn delay(&self, policy: &Parameters, index: u64, draw: u64) -> u64 {
        let (low, high) = self.range(policy, index);
        let sampled = sample(draw, low, high);
        let delay =
            if policy.jitter == SLOTTED { multiply(policy.jitter_slot, sampled) } else { sampled };
        if policy.cap_on == ON_DELAY { delay.min(policy.cap) } else { delay }
    }

    /// Returns the delay at this index and moves to the next index.
    #[cfg_attr(backoff_translated, inline(always))]
    #[cfg_attr(not(backoff_translated), inline)]
    pub(crate) fn next(&mut self, policy: &Parameters, index: u64, draw: u64) -> u64 {
        let delay = self.delay(policy, index, draw);
        self.advance_with(policy, index, delay);
        delay
    }

    /// Moves to the next index after a delay.
    #[inline]
    pub(crate) fn advance_with(&mut self, policy: &Parameters, index: u64, delay: u64) {
        if policy.jitter == DECORRELATED {
            let restarts = index.wrapping_add(1).is_multiple_of(DECORRELATED_PERIOD.into());
            self.growth.current = if restarts { policy.base } else { delay };
        } else {
            self.growth.advance(policy);
        }
    }
}
