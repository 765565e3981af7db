//! Delays whose randomness the caller brings.

use core::time::Duration;

use rand_core::Rng;

use crate::policy::Policy;
use crate::walk::Walk;

/// The delays of a policy drawn from the caller's own generator, one `next_u64` each.
///
/// The formulas are those of [`Backoff`](crate::Backoff), the randomness is the caller's:
/// there is no random access and no agreement with other languages unless the generator
/// gives both. With `rand_xoshiro::SplitMix64` seeded with a stream's state the delays are
/// those of that stream.
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{Jitter, Policy, RngBackoff};
/// let policy = Policy::exponential(Duration::from_millis(100)).jitter(Jitter::Full).build()?;
/// let delay = RngBackoff::new(policy, rand::rng()).next().unwrap();
/// assert!(delay <= Duration::from_millis(100));
/// # Ok::<(), backoff_core::PolicyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RngBackoff<R> {
    policy: Policy,
    rng: R,
    index: u64,
    walk: Walk,
}

impl<R: Rng> RngBackoff<R> {
    /// The delays of a policy from index 0.
    pub fn new(policy: Policy, rng: R) -> Self {
        Self { policy, rng, index: 0, walk: Walk::start(&policy) }
    }

    /// Starts again at index 0; the generator goes on.
    pub fn reset(&mut self) {
        self.index = 0;
        self.walk = Walk::start(&self.policy);
    }

    /// The generator, with the draws taken.
    pub fn into_rng(self) -> R {
        self.rng
    }
}

impl<R: Rng> Iterator for RngBackoff<R> {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let index = u32::try_from(self.index).ok()?;
        let delay = self.walk.next(&self.policy, self.index, self.rng.next_u64());
        self.index = u64::from(index).wrapping_add(1);
        Some(Duration::from_nanos(delay))
    }
}
