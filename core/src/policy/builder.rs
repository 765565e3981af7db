//! Composing a policy in Rust.

use core::time::Duration;

use crate::error::code::ErrorCode;
use crate::error::policy_error::PolicyError;
use crate::field::kind::{CapOn, ElapsedFrom, Growth, Jitter, RetryAfterMode};
use crate::field::set::{FieldSet, bit};
use crate::field::table::for_fields;
use crate::field::value::FieldValue;
use crate::field::{Field, POLICY_FIELDS};
use crate::number::arithmetic::MAX_NS;
use crate::number::ratio::Ratio;
use crate::parse::string::replaced_by;
use crate::policy::Policy;

/// Composes a policy; [`build`](Self::build) validates it. Without a limit
/// ([`max_retries`](Self::max_retries), [`max_elapsed`](Self::max_elapsed)) it retries for ever.
///
/// Durations range up to [`MAX_NS`](crate::MAX_NS) nanoseconds.
#[derive(Debug, Clone, Copy)]
#[must_use = "a builder does nothing until it is built"]
pub struct PolicyBuilder {
    params: FieldSet,
    /// The bits of the fields that a policy brought and nobody has set since.
    inherited: u64,
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

    /// The windows one after another, 1 to 16 ([`Waits::MAX`](crate::Waits::MAX)); the last one stays.
    ///
    /// ```
    /// use std::time::Duration;
    /// use backoff_core::Policy;
    /// let policy = Policy::steps([5, 300, 1800].map(Duration::from_secs)).build()?;
    /// assert_eq!(policy.to_string(), "steps:waits=5s/5m/30m");
    /// assert_eq!(policy.window(7), Duration::from_mins(30));
    /// # Ok::<(), backoff_core::PolicyError>(())
    /// ```
    pub fn steps(waits: impl IntoIterator<Item = Duration>) -> PolicyBuilder {
        let mut params = FieldSet::default();
        params.set(Field::Growth, Growth::Steps as u64);
        params.set_waits(waits.into_iter().collect());
        PolicyBuilder { params, inherited: 0, foreign: None }
    }

    /// A builder with the fields that the string of this policy names. The others keep their
    /// defaults: those that depend on the base or the jitter follow if that is changed. A field that
    /// is set changes the policy as a pair after a preset does (SPEC 11): `max_attempts` replaces the
    /// `max_retries` of the policy, and a jitter those of its fields.
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
        let params = FieldSet::from_values(&values, |field| values.is_explicit(field));
        PolicyBuilder { params, inherited: params.bits(), foreign: None }
    }
}

impl PolicyBuilder {
    fn new(growth: Growth, base: Duration) -> Self {
        let params = FieldSet::default();
        Self { params, inherited: 0, foreign: None }
            .with(Field::Growth, growth)
            .with(Field::Base, base)
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
        let this = self.with(Field::Jitter, jitter.number());
        match jitter {
            Jitter::Proportional { below, above } => {
                this.with(Field::JitterBelow, below).with(Field::JitterAbove, above)
            }
            Jitter::Additive { max, increment } => {
                this.with(Field::JitterMax, max).with(Field::JitterIncrement, increment)
            }
            Jitter::Slotted { slot } => this.with(Field::JitterSlot, slot),
            _ => this,
        }
    }

    /// Sets the longest `Retry-After` that is honoured: one hour by default, and `None` for no
    /// limit. A longer request counts as this one.
    pub fn retry_after_max(self, max: impl Into<Option<Duration>>) -> Self {
        let no_limit = Duration::from_nanos(MAX_NS);
        self.with(Field::RetryAfterMax, max.into().unwrap_or(no_limit))
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
        if let (Field::Waits, FieldValue::Waits(waits)) = (field, value) {
            self.params.set_waits(waits);
            return self;
        }
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

    /// Whether a limit of retries was set, other than that of the policy of which the builder was made.
    pub(crate) fn sets_retries(&self) -> bool {
        let limits = bit(Field::MaxRetries) | bit(Field::MaxAttempts);
        self.params.bits() & !self.inherited & limits != 0
    }

    fn with(mut self, field: Field, value: impl Argument) -> Self {
        for &replaced in replaced_by(field) {
            if self.inherited & bit(replaced) != 0 {
                self.params.clear(replaced);
            }
        }
        self.inherited &= !bit(field);
        self.params.set(field, value.number());
        self
    }
}

macro_rules! setters {
    (
        policy { $(
            $(#[$doc:meta])*
            $field:ident = $number:literal, $name:ident: $word:ty, $unit:expr $(, set $argument:ty)?;
        )* }
        budget $budget:tt
    ) => {
        impl PolicyBuilder {
            $(setters! { $(#[$doc])* $field, $name $(, $argument)? })*
        }
    };
    ($(#[$doc:meta])* $field:ident, $name:ident) => {};
    ($(#[$doc:meta])* $field:ident, $name:ident, $argument:ty) => {
        #[doc = concat!("Sets `", stringify!($name), "`.")]
        ///
        $(#[$doc])*
        pub fn $name(self, $name: $argument) -> Self {
            self.with(Field::$field, $name)
        }
    };
}
for_fields!(setters);

/// What a method of the builder takes, as the number of a field.
trait Argument {
    fn number(self) -> u64;
}

macro_rules! arguments {
    ($($argument:ty: |$value:ident| $number:expr;)*) => {
        $(impl Argument for $argument {
            fn number(self) -> u64 {
                let $value = self;
                $number
            }
        })*
    };
}

arguments! {
    // A duration beyond 64 bits of nanoseconds is reported as 2^64 - 1, which is beyond the limit as well.
    Duration: |duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    Ratio: |ratio| ratio.to_value();
    u32: |number| number.into();
    u64: |number| number;
    Growth: |kind| kind as u64;
    CapOn: |kind| kind as u64;
    RetryAfterMode: |kind| kind as u64;
    ElapsedFrom: |kind| kind as u64;
}
