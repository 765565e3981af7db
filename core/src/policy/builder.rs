//! Composing a policy in Rust.

use core::time::Duration;

use crate::error::code::ErrorCode;
use crate::error::policy_error::PolicyError;
use crate::field::kind::{CapOn, Growth, Jitter, RetryAfterMode};
use crate::field::params::Params;
use crate::field::value::FieldValue;
use crate::field::{Field, POLICY_FIELDS};
use crate::number::arithmetic::MAX_NS;
use crate::number::ratio::Ratio;
use crate::policy::Policy;

/// Composes a policy; [`build`](Self::build) validates it. Without a limit
/// ([`max_retries`](Self::max_retries), [`max_elapsed`](Self::max_elapsed)) it retries for ever.
///
/// Durations range up to [`MAX_NS`](crate::MAX_NS) nanoseconds.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until it is built"]
pub struct PolicyBuilder {
    params: Params,
    /// A field of budgets that was set.
    foreign: Option<PolicyError>,
}

impl Policy {
    /// The same window for every retry.
    pub fn constant(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Constant, base)
    }

    /// A window that grows by the same amount each time: `base + index * increment`. The
    /// increment defaults to the base.
    pub fn linear(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Linear, base)
    }

    /// A window that multiplies: `base * multiplier^index`. The multiplier defaults to 2, or to 3
    /// with [`Jitter::Decorrelated`].
    pub fn exponential(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Exponential, base)
    }

    /// A window that grows with a power of the index: `base * (index + origin)^power`. The power
    /// defaults to 2 and the origin to 1.
    pub fn polynomial(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Polynomial, base)
    }

    /// The base times 1, 1, 2, 3, 5, 8, ...
    pub fn fibonacci(base: Duration) -> PolicyBuilder {
        PolicyBuilder::new(Growth::Fibonacci, base)
    }

    /// A builder with the fields that the string of this policy names. The others keep their
    /// defaults: those that depend on the base or the jitter follow if that is changed.
    ///
    /// ```
    /// use std::time::Duration;
    /// use backoff_core::Policy;
    /// let policy = Policy::parse("gax")?.to_builder().cap(Duration::from_secs(5)).build()?;
    /// assert_eq!(policy.to_string(), "exponential:base=1s,cap=5s,floor=1ns,jitter=full");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_builder(&self) -> PolicyBuilder {
        let values = self.0.values();
        let params = Params::from_values(&values, |field| values.is_explicit(field));
        PolicyBuilder { params, foreign: None }
    }
}

impl PolicyBuilder {
    fn new(growth: Growth, base: Duration) -> Self {
        let params = Params::default();
        Self { params, foreign: None }
            .with(Field::Growth, growth as u64)
            .duration(Field::Base, base)
    }

    /// Sets the amount that each retry adds under linear growth.
    pub fn increment(self, increment: Duration) -> Self {
        self.duration(Field::Increment, increment)
    }

    /// Sets the factor of each retry under exponential growth: 1, or 1.01 to 1,000,000.
    pub fn multiplier(self, multiplier: Ratio) -> Self {
        self.with(Field::Multiplier, multiplier.to_value())
    }

    /// Sets the exponent of polynomial growth, 1 to 16.
    pub fn power(self, power: u32) -> Self {
        self.with(Field::Power, power.into())
    }

    /// Sets the number that stands for index 0 in polynomial growth: 1 by default, or 0 for a
    /// first window of 0.
    pub fn origin(self, origin: u32) -> Self {
        self.with(Field::Origin, origin.into())
    }

    /// Sets a duration that is added to every window before the cap. Not with
    /// [`Jitter::Decorrelated`].
    pub fn offset(self, offset: Duration) -> Self {
        self.duration(Field::Offset, offset)
    }

    /// Sets the cap, at least the base. Without one, only [`MAX_NS`](crate::MAX_NS) bounds a
    /// delay.
    pub fn cap(self, cap: Duration) -> Self {
        self.duration(Field::Cap, cap)
    }

    /// Chooses whether the cap limits the window, which is the default, or the delay.
    pub fn cap_on(self, cap_on: CapOn) -> Self {
        self.with(Field::CapOn, cap_on as u64)
    }

    /// Sets the shortest computed delay, at most the cap: the range that is sampled starts there. A
    /// `Retry-After` with [`RetryAfterMode::Exact`] or [`RetryAfterMode::Spread`] may be shorter.
    pub fn floor(self, floor: Duration) -> Self {
        self.duration(Field::Floor, floor)
    }

    /// Sets how the delay is drawn from its window; by default it is the window. The last call
    /// replaces earlier ones.
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
        let this = self.with(Field::Jitter, jitter.number().into());
        match jitter {
            Jitter::Proportional { below, above } => this
                .with(Field::JitterBelow, below.to_value())
                .with(Field::JitterAbove, above.to_value()),
            Jitter::Additive { max, increment } => {
                this.duration(Field::JitterMax, max).duration(Field::JitterIncrement, increment)
            }
            Jitter::Slotted { slot } => this.duration(Field::JitterSlot, slot),
            _ => this,
        }
    }

    /// Sets the maximum number of retries, up to 2^32, which means no limit; no limit by default.
    pub fn max_retries(self, max_retries: u64) -> Self {
        self.with(Field::MaxRetries, max_retries)
    }

    /// Sets the maximum number of attempts, at least 1: one more than
    /// [`max_retries`](Self::max_retries), which must not be set as well.
    pub fn max_attempts(self, max_attempts: u64) -> Self {
        self.with(Field::MaxAttempts, max_attempts)
    }

    /// Sets the time since the start of an operation after which no wait may end; no limit by
    /// default.
    pub fn max_elapsed(self, max_elapsed: Duration) -> Self {
        self.duration(Field::MaxElapsed, max_elapsed)
    }

    /// Sets the base after a throttled failure, at most the cap; by default the base.
    pub fn throttled_base(self, throttled_base: Duration) -> Self {
        self.duration(Field::ThrottledBase, throttled_base)
    }

    /// Sets the effect of a server's `Retry-After` on the delay; by default the longer of the two
    /// counts.
    pub fn retry_after(self, mode: RetryAfterMode) -> Self {
        self.with(Field::RetryAfter, mode as u64)
    }

    /// Sets the longest `Retry-After` that is honoured: one hour by default, and `None` for no
    /// limit. A longer request counts as this one.
    pub fn retry_after_max(self, max: impl Into<Option<Duration>>) -> Self {
        let no_limit = Duration::from_nanos(MAX_NS);
        self.duration(Field::RetryAfterMax, max.into().unwrap_or(no_limit))
    }

    /// Limits how much longer than the delay a `Retry-After` may make the wait; no limit by
    /// default.
    pub fn retry_after_max_extra(self, max_extra: Duration) -> Self {
        self.duration(Field::RetryAfterMaxExtra, max_extra)
    }

    /// Sets any field to a value such as one of [`Policy::get`]. [`build`](Self::build) refuses a
    /// field of budgets, the name of an unknown kind, and a value in another unit than that of the
    /// field: as too large, as a ratio that is too fine, or as an unknown kind.
    ///
    /// ```
    /// use backoff_core::{Field, FieldValue, Policy};
    /// let policy = Policy::parse("full:base=1s,cap=20s")?;
    /// let policy = policy.to_builder().set(Field::Jitter, FieldValue::Kind("equal")).build()?;
    /// assert_eq!(policy.to_string(), "exponential:base=1s,cap=20s,jitter=equal");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set(mut self, field: Field, value: FieldValue) -> Self {
        let number = value.number(field);
        if POLICY_FIELDS.contains(&field) {
            return self.with(field, number);
        }
        self.foreign = Some(PolicyError::new(ErrorCode::Unused, field, number, 0));
        self
    }

    /// Unsets a field: it has its default, if it has one.
    pub fn unset(mut self, field: Field) -> Self {
        if POLICY_FIELDS.contains(&field) {
            self.params.clear(field);
        }
        self
    }

    /// The policy.
    ///
    /// # Errors
    /// The first rule of SPEC 8 that it breaks, with the field, its value and the limit.
    pub fn build(self) -> Result<Policy, PolicyError> {
        self.foreign.map_or_else(|| Policy::from_params(&self.params), Err)
    }

    fn with(mut self, field: Field, value: u64) -> Self {
        self.params.set(field, value);
        self
    }

    /// A duration beyond 64 bits of nanoseconds is reported as 2^64 - 1, which is beyond the
    /// limit as well.
    fn duration(self, field: Field, duration: Duration) -> Self {
        self.with(field, u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}
