//! Delays drawn from the generator of the caller.

use core::iter::FusedIterator;
use core::time::Duration;

use rand_core::Rng;

use crate::policy::Policy;
use crate::schedule::state::DelayState;

/// The delays of a policy drawn from the caller's own generator, one `next_u64` per delay. It ends
/// where [`Backoff`](crate::Backoff) ends: after `max_retries` delays.
///
/// The formulas are those of [`Backoff`](crate::Backoff). Random access and agreement with other
/// languages depend on the generator: `rand_xoshiro::SplitMix64`, seeded with the state of a
/// stream, gives the delays of that stream.
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
    state: DelayState,
}

impl<R: Rng> RngBackoff<R> {
    /// The delays of a policy from index 0.
    pub fn new(policy: Policy, rng: R) -> Self {
        Self { policy, rng, index: 0, state: DelayState::start(&policy.0) }
    }

    /// Restarts at index 0. The generator continues.
    pub fn reset(&mut self) {
        self.index = 0;
        self.state = DelayState::start(&self.policy.0);
    }

    /// The generator in its current state.
    pub fn into_rng(self) -> R {
        self.rng
    }
}

impl<R: Rng> Iterator for RngBackoff<R> {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let index = self.policy.0.retry_index(self.index)?;
        let delay = self.state.next(&self.policy.0, self.index, self.rng.next_u64());
        self.index = u64::from(index).wrapping_add(1);
        Some(Duration::from_nanos(delay))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.policy.retries_left(self.index)
    }
}

impl<R: Rng> FusedIterator for RngBackoff<R> {}
