//! How a Rust caller composes a policy.

use core::time::Duration;

use crate::error::PolicyError;
use crate::field::Field;
use crate::kind::{CapOn, Growth, Hint, Jitter};
use crate::params::Params;
use crate::policy::Policy;
use crate::ratio::Ratio;

/// A policy being composed; [`build`](Self::build) checks it.
///
/// Durations may have any number of nanoseconds up to [`MAX_NS`](crate::MAX_NS).
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until it is built"]
pub struct PolicyBuilder {
    params: Params,
}

impl Policy {
    /// The same window for every retry.
    pub fn constant(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Constant, base)
    }

    /// A window that grows by the same amount: `base + index * increment`; the increment is
    /// the base unless given.
    pub fn linear(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Linear, base)
    }

    /// A window that multiplies: `base * multiplier^index`; the multiplier is 2 unless given,
    /// or 3 with [`Jitter::Decorrelated`].
    pub fn exponential(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Exponential, base)
    }

    /// A window that grows with a power of the index: `base * (index + origin)^power`; power
    /// 2 and origin 1 unless given.
    pub fn polynomial(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Polynomial, base)
    }

    /// The base times 1, 1, 2, 3, 5, 8, ...
    pub fn fibonacci(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Fibonacci, base)
    }
}

impl PolicyBuilder {
    fn new(growth: Growth, base: Duration) -> Self {
        let params = Params::default();
        Self { params }.with(Field::Growth, growth as u64).duration(Field::Base, base)
    }

    /// What linear growth adds at each retry.
    pub fn increment(self, increment: Duration) -> Self {
        self.duration(Field::Increment, increment)
    }

    /// What exponential growth multiplies by: 1, or 1.01 to 1,000,000.
    pub fn multiplier(self, multiplier: Ratio) -> Self {
        self.with(Field::Multiplier, multiplier.to_word())
    }

    /// The exponent of polynomial growth, 1 to 16.
    pub fn power(self, power: u32) -> Self {
        self.with(Field::Power, power.into())
    }

    /// What polynomial growth counts index 0 as: 1 unless given, 0 for a first window of 0.
    pub fn origin(self, origin: u32) -> Self {
        self.with(Field::Origin, origin.into())
    }

    /// A duration added to every window before the cap; not with [`Jitter::Decorrelated`].
    pub fn offset(self, offset: Duration) -> Self {
        self.duration(Field::Offset, offset)
    }

    /// The cap, at least the base. Without one, only [`MAX_NS`](crate::MAX_NS) bounds a delay.
    pub fn cap(self, cap: Duration) -> Self {
        self.duration(Field::Cap, cap)
    }

    /// Where the cap applies: on the window unless given.
    pub fn cap_on(self, cap_on: CapOn) -> Self {
        self.with(Field::CapOn, cap_on as u64)
    }

    /// The shortest delay, at most the cap: the range that is sampled begins there.
    pub fn floor(self, floor: Duration) -> Self {
        self.duration(Field::Floor, floor)
    }

    /// How the delay is spread around its window: not at all unless given. The last call
    /// counts, whole.
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        let parameters = [
            Field::JitterBelow,
            Field::JitterAbove,
            Field::JitterMax,
            Field::JitterIncrement,
            Field::JitterSlot,
        ];
        for field in parameters {
            self.params.clear(field);
        }
        let this = self.with(Field::Jitter, jitter.kind().into());
        match jitter {
            Jitter::Proportional { below, above } => this
                .with(Field::JitterBelow, below.to_word())
                .with(Field::JitterAbove, above.to_word()),
            Jitter::Additive { max, increment } => {
                this.duration(Field::JitterMax, max).duration(Field::JitterIncrement, increment)
            }
            Jitter::Slotted { slot } => this.duration(Field::JitterSlot, slot),
            _ => this,
        }
    }

    /// The most retries, up to 2^32, which is as good as no limit; none unless given.
    pub fn max_retries(self, max_retries: u64) -> Self {
        self.with(Field::MaxRetries, max_retries)
    }

    /// The most attempts, at least 1: another name for one less of
    /// [`max_retries`](Self::max_retries), and not to be given beside it.
    pub fn max_attempts(self, max_attempts: u64) -> Self {
        self.with(Field::MaxAttempts, max_attempts)
    }

    /// The time after the beginning of an operation after which no wait may end; none unless
    /// given.
    pub fn max_elapsed(self, max_elapsed: Duration) -> Self {
        self.duration(Field::MaxElapsed, max_elapsed)
    }

    /// The base after a failure that was throttling, at most the cap: the base unless given.
    pub fn throttled_base(self, throttled_base: Duration) -> Self {
        self.duration(Field::ThrottledBase, throttled_base)
    }

    /// What a hint of the server does to a delay: at least the hint unless given.
    pub fn hint(self, hint: Hint) -> Self {
        self.with(Field::Hint, hint as u64)
    }

    /// The longest hint that counts. Without it (and
    /// [`hint_max_extra`](Self::hint_max_extra)) a server can ask for 292 years.
    pub fn hint_max(self, hint_max: Duration) -> Self {
        self.duration(Field::HintMax, hint_max)
    }

    /// How much longer than the delay a hint may be.
    pub fn hint_max_extra(self, hint_max_extra: Duration) -> Self {
        self.duration(Field::HintMaxExtra, hint_max_extra)
    }

    /// The policy.
    ///
    /// # Errors
    /// The first rule of SPEC 8 that it breaks, with the field, its value and the limit.
    pub fn build(self) -> Result<Policy, PolicyError> {
        self.params.build()
    }

    fn with(mut self, field: Field, word: u64) -> Self {
        self.params.set(field, word);
        self
    }

    /// A duration beyond 64 bits of nanoseconds is reported as the largest of them: it is beyond
    /// the limit all the same.
    fn duration(self, field: Field, duration: Duration) -> Self {
        self.with(field, u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}
