//! The delay as a pure function of a policy, a stream and an index.

use core::time::Duration;

use crate::growth::Grown;
use crate::policy::Policy;
use crate::stream::Stream;
use crate::walk::Walk;

impl Policy {
    /// The delay of an index in nanoseconds, at most [`MAX_NS`](crate::MAX_NS) (SPEC 6, 7).
    ///
    /// Index 0 is the wait before the first retry. Any index may be asked for at any time;
    /// the cost is bounded: at most 4,096 steps, few for ordinary policies.
    #[must_use]
    pub fn delay_ns(&self, stream: Stream, index: u32) -> u64 {
        Walk::to(self, stream, index).delay(self, index.into(), stream.draw(index))
    }

    /// [`Policy::delay_ns`] as a [`Duration`].
    #[must_use]
    pub fn delay(&self, stream: Stream, index: u32) -> Duration {
        Duration::from_nanos(self.delay_ns(stream, index))
    }

    /// The window of an index in nanoseconds: the wait before jitter (SPEC 5).
    ///
    /// It is capped if the cap is on the window. Decorrelated jitter does not use it.
    #[must_use]
    pub fn window_ns(&self, index: u32) -> u64 {
        Grown::to(self, index).window(self, index.into())
    }

    /// [`Policy::window_ns`] as a [`Duration`].
    #[must_use]
    pub fn window(&self, index: u32) -> Duration {
        Duration::from_nanos(self.window_ns(index))
    }

    /// Writes the delays of `first`, `first + 1`, ... in nanoseconds and returns how many:
    /// all of `delays`, or fewer where the indices end at 2^32 - 1.
    pub fn fill_ns(&self, stream: Stream, first: u32, delays: &mut [u64]) -> usize {
        let mut walk = Walk::to(self, stream, first);
        let mut count = 0_usize;
        for (delay, index) in delays.iter_mut().zip(first..=u32::MAX) {
            *delay = walk.next(self, index.into(), stream.draw(index));
            count = count.saturating_add(1);
        }
        count
    }
}
