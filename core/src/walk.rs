//! Where a sequence of delays stands: what the next delay needs of those before it.

use crate::arithmetic::{multiply, sample};
use crate::growth::Grown;
use crate::jitter;
use crate::kind::{DECORRELATED, ON_RESULT, SLOTTED};
use crate::policy::Policy;
use crate::stream::Stream;

/// Decorrelated jitter starts again from the base at every multiple of this index, so that
/// any index is at most this many steps away (SPEC 6.3).
pub(crate) const DECORRELATED_PERIOD: u32 = 4096;

/// The running state of a policy at an index. Under decorrelated jitter `grown.now` is the
/// previous delay: that jitter grows from what was waited, not from the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub(crate) struct Walk {
    grown: Grown,
}

impl Walk {
    #[inline]
    pub(crate) fn start(policy: &Policy) -> Self {
        Self { grown: Grown::start(policy) }
    }

    /// The state at an index of a stream.
    pub(crate) fn to(policy: &Policy, stream: Stream, index: u32) -> Self {
        if policy.jitter != DECORRELATED {
            return Self { grown: Grown::to(policy, index) };
        }
        let mut walk = Self::start(policy);
        let restart = index.wrapping_sub(index.wrapping_rem(DECORRELATED_PERIOD));
        for index in restart..index {
            walk.next(policy, index.into(), stream.draw(index));
        }
        walk
    }

    /// The ends of the range that the draw picks from: of delays before a cap on the result,
    /// or of slots.
    #[inline]
    pub(crate) fn range(&self, policy: &Policy, index: u64) -> (u64, u64) {
        if policy.jitter == DECORRELATED {
            jitter::decorrelated(policy, self.grown.now)
        } else {
            jitter::range(policy, self.grown.window(policy, index), index)
        }
    }

    /// The delay here.
    #[inline]
    pub(crate) fn delay(&self, policy: &Policy, index: u64, draw: u64) -> u64 {
        let (low, high) = self.range(policy, index);
        let picked = sample(draw, low, high);
        let delay =
            if policy.jitter == SLOTTED { multiply(policy.jitter_slot, picked) } else { picked };
        if policy.cap_on == ON_RESULT { delay.min(policy.cap) } else { delay }
    }

    /// The delay here, and one index on.
    #[inline]
    pub(crate) fn next(&mut self, policy: &Policy, index: u64, draw: u64) -> u64 {
        let delay = self.delay(policy, index, draw);
        self.next_as(policy, index, delay)
    }

    /// One index on after a delay, which is returned.
    #[inline]
    pub(crate) fn next_as(&mut self, policy: &Policy, index: u64, delay: u64) -> u64 {
        if policy.jitter == DECORRELATED {
            let restarts = index.wrapping_add(1).is_multiple_of(DECORRELATED_PERIOD.into());
            self.grown.now = if restarts { policy.base } else { delay };
        } else {
            self.grown.step(policy);
        }
        delay
    }
}
