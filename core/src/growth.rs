//! What the window of an index is before jitter (SPEC 5).

use crate::arithmetic::{MAX_NS, add, multiply, power};
use crate::kind::{EXPONENTIAL, FIBONACCI, LINEAR, ON_WINDOW, POLYNOMIAL};
use crate::policy::Policy;

/// What a growth that builds on itself carries from one index to the next.
///
/// `now` is the grown value of the index; `next` is that of the next index and is kept
/// by Fibonacci growth alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub(crate) struct Grown {
    pub(crate) now: u64,
    pub(crate) next: u64,
}

/// More steps than any policy takes to stop growing: the least multiplier, 1.01, takes 3983
/// from the least base that it grows. It bounds what C does with memory that is no policy.
const MOST_STEPS: u32 = 8192;

impl Grown {
    #[inline]
    pub(crate) fn start(policy: &Policy) -> Self {
        Self { now: policy.base, next: policy.base }
    }

    /// The state of an index, in as many steps as it takes to get there or to stop growing.
    pub(crate) fn to(policy: &Policy, index: u32) -> Self {
        let mut grown = Self::start(policy);
        for _ in 0..index.min(MOST_STEPS) {
            let before = grown;
            grown.step(policy);
            if grown == before {
                break;
            }
        }
        grown
    }

    /// One index on. Past the longest window the value stays: it can only be capped.
    #[inline]
    pub(crate) fn step(&mut self, policy: &Policy) {
        match policy.growth {
            EXPONENTIAL => {
                let longest = if policy.cap_on == ON_WINDOW { policy.cap } else { MAX_NS };
                if self.now < longest {
                    self.now = policy.multiplier.scale(self.now);
                }
            }
            FIBONACCI => (self.now, self.next) = (self.next, add(self.now, self.next)),
            _ => {}
        }
    }

    /// The window of an index (SPEC 5.3).
    #[inline]
    pub(crate) fn window(self, policy: &Policy, index: u64) -> u64 {
        let grown = match policy.growth {
            LINEAR => add(policy.base, multiply(policy.increment, index)),
            POLYNOMIAL => {
                multiply(policy.base, power(index.saturating_add(policy.origin), policy.power))
            }
            _ => self.now,
        };
        let window = add(policy.offset, grown);
        if policy.cap_on == ON_WINDOW { window.min(policy.cap) } else { window }
    }
}
