//! A validated policy, and the delay as a pure function of it.

use core::time::Duration;

use crate::field::Field;
use crate::kind::{ADDITIVE, DECORRELATED, EXPONENTIAL, LINEAR, POLYNOMIAL, PROPORTIONAL, SLOTTED};
use crate::params::Params;
use crate::ratio::Ratio;
use crate::stream::Stream;
use crate::walk::Walk;

/// How long to wait before each retry: growth, jitter, cap and floor, checked once and
/// never changed.
///
/// Made by [`Policy::exponential`] and its siblings. A policy holds no state and no
/// randomness: with a [`Stream`] and an index it gives a delay, always the same one.
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{Jitter, Policy, Stream};
/// let policy = Policy::exponential(Duration::from_millis(100))
///     .jitter(Jitter::Full)
///     .cap(Duration::from_secs(20))
///     .build()?;
/// let stream = Stream::from_key(42, "job-1");
/// assert_eq!(policy.delay(stream, 3), Duration::from_nanos(83_486_434));
/// # Ok::<(), backoff_core::PolicyError>(())
/// ```
// Every field is a plain integer and every reader is total over all of their values: the
// C ABI keeps a policy in its caller's memory, where any bits may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Policy {
    pub(crate) growth: u32,
    pub(crate) jitter: u32,
    pub(crate) cap_on: u32,
    pub(crate) power: u32,
    pub(crate) base: u64,
    pub(crate) increment: u64,
    pub(crate) multiplier: Ratio,
    pub(crate) origin: u64,
    pub(crate) offset: u64,
    pub(crate) cap: u64,
    pub(crate) floor: u64,
    pub(crate) below: Ratio,
    pub(crate) above: Ratio,
    pub(crate) jitter_max: u64,
    pub(crate) jitter_increment: u64,
    pub(crate) jitter_slot: u64,
}

impl Policy {
    /// The delay of an index in nanoseconds, at most [`MAX_NS`](crate::MAX_NS) (SPEC 6, 7).
    ///
    /// Index 0 is the wait before the first retry. Any index may be asked for at any time;
    /// the cost is bounded: at most 4,400 steps, few for ordinary policies.
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
        Walk::grown_to(self, index).window(self, index.into())
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

    /// The fields of this policy with its defaults filled in; fields that its growth and
    /// jitter do not use stay out. Building them again gives an equal policy.
    #[must_use]
    pub fn params(&self) -> Params {
        let mut params = Params::default();
        let fields = [
            (Field::Growth, self.growth.into(), true),
            (Field::Base, self.base, true),
            (Field::Increment, self.increment, self.growth == LINEAR),
            (Field::Multiplier, self.multiplier.to_word(), self.growth == EXPONENTIAL),
            (Field::Power, self.power.into(), self.growth == POLYNOMIAL),
            (Field::Origin, self.origin, self.growth == POLYNOMIAL),
            (Field::Offset, self.offset, self.jitter != DECORRELATED),
            (Field::Cap, self.cap, true),
            (Field::CapOn, self.cap_on.into(), true),
            (Field::Floor, self.floor, true),
            (Field::Jitter, self.jitter.into(), true),
            (Field::JitterBelow, self.below.to_word(), self.jitter == PROPORTIONAL),
            (Field::JitterAbove, self.above.to_word(), self.jitter == PROPORTIONAL),
            (Field::JitterMax, self.jitter_max, self.jitter == ADDITIVE),
            (Field::JitterIncrement, self.jitter_increment, self.jitter == ADDITIVE),
            (Field::JitterSlot, self.jitter_slot, self.jitter == SLOTTED),
        ];
        for (field, word, _) in fields.into_iter().filter(|(_, _, used)| *used) {
            params.set(field, word);
        }
        params
    }
}
