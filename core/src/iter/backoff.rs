//! The delays of a policy one after another.

use core::iter::FusedIterator;
use core::time::Duration;

use crate::field::rules::EVERY_INDEX;
use crate::policy::{Policy, at_most};
use crate::random::stream::RandomStream;
use crate::schedule::state::DelayState;

/// The delays of a policy one after another: [`Policy::delay`] of index 0, 1, 2, ...
///
/// It keeps its state, so every delay costs the same. It never reads a clock and never sleeps, so
/// `max_elapsed` does not concern it. It ends after the policy's `max_retries` delays, or after
/// index 2^32 - 1 (SPEC 9.1).
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{Backoff, Jitter, Policy, RandomStream};
/// let policy = Policy::exponential(Duration::from_millis(100)).jitter(Jitter::Full).build()?;
/// let mut backoff = Backoff::new(policy, RandomStream::from_key(42, "job-1"));
/// assert_eq!(backoff.next(), Some(Duration::from_nanos(11_399_434)));
/// assert_eq!(backoff.next(), Some(Duration::from_nanos(83_043_876)));
/// # Ok::<(), backoff_core::PolicyError>(())
/// ```
// Plain integers and total readers, as for `ScheduleParams`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Backoff {
    policy: Policy,
    stream: RandomStream,
    index: u64,
    state: DelayState,
    /// The index after the last delay, if the policy is one of doubling; otherwise 0.
    plain_until: u64,
}

impl Backoff {
    /// The delays of a policy on a stream, from index 0.
    #[must_use]
    #[inline]
    pub fn new(policy: Policy, stream: RandomStream) -> Self {
        let state = DelayState::start(&policy.0);
        let plain_until = if policy.0.is_doubling() { policy.retries() } else { 0 };
        Self { policy, stream, index: 0, state, plain_until }
    }

    /// The next delay in nanoseconds, or `None` after the last retry.
    #[inline]
    pub fn next_ns(&mut self) -> Option<u64> {
        self.next_as(|ns| ns)
    }

    /// The next delay, converted. Each path converts it, because a conversion after both would need another
    /// branch.
    #[inline]
    fn next_as<T>(&mut self, of_ns: impl FnOnce(u64) -> T) -> Option<T> {
        if self.index >= self.plain_until {
            return self.next_of_any_ns().map(of_ns);
        }
        let draw = self.stream.advance(self.index).draw(0);
        self.index = self.index.wrapping_add(1);
        Some(of_ns(self.state.next_of_plain(&self.policy.0, draw)))
    }

    // Its code is too long for the loops of callers.
    #[inline(never)]
    fn next_of_any_ns(&mut self) -> Option<u64> {
        let index = self.policy.0.retry_index(self.index)?;
        let delay = self.state.next(&self.policy.0, self.index, self.stream.draw(index));
        self.index = u64::from(index).wrapping_add(1);
        Some(delay)
    }

    /// Writes the next delays in nanoseconds and returns how many it wrote: all of `delays`, or
    /// fewer if the iterator ends.
    pub fn fill_ns(&mut self, delays: &mut [u64]) -> usize {
        let delays = at_most(delays, self.policy.retries().saturating_sub(self.index));
        self.state.fill(&self.policy.0, self.stream, self.index, delays);
        self.index = self.index.wrapping_add(delays.len() as u64);
        delays.len()
    }

    /// Restarts at index 0, for example after a success. The stream advances by the draws taken,
    /// so no draw repeats (SPEC 9).
    #[inline]
    pub fn reset(&mut self) {
        self.stream = self.stream.advance(self.index);
        self.index = 0;
        self.state = DelayState::start(&self.policy.0);
    }

    /// The index of the next delay: the number of delays taken since the last reset.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index.min(EVERY_INDEX)
    }

    /// The stream of these delays; [`Backoff::reset`] changes it.
    #[must_use]
    pub fn stream(&self) -> RandomStream {
        self.stream
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }
}

impl Iterator for Backoff {
    type Item = Duration;

    #[inline]
    fn next(&mut self) -> Option<Duration> {
        self.next_as(Duration::from_nanos)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.policy.retries_left(self.index)
    }
}

impl FusedIterator for Backoff {}
