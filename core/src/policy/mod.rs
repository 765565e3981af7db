//! A policy: what users make, and what computes delays.

pub(crate) mod builder;

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use crate::analysis::fit::fit;
use crate::analysis::preview::Preview;
use crate::error::parse_error::ParseError;
use crate::error::policy_error::PolicyError;
use crate::field::rules::EVERY_INDEX;
use crate::field::set::FieldSet;
use crate::field::value::FieldValue;
use crate::field::{Field, POLICY_FIELDS};
use crate::parse::string::Parsed;
use crate::random::stream::RandomStream;
use crate::schedule::ScheduleParams;
use crate::schedule::delay::delay_ns;
use crate::schedule::growth::GrowthState;
use crate::schedule::state::DelayState;
use crate::text::buffer::TextBuf;
use crate::text::kind::TextKind;
use crate::text::print::print;
use crate::validate::policy::build;

/// How long to wait before each retry and when to stop: growth, jitter, cap, floor and limits,
/// validated once and immutable.
///
/// Make one with [`Policy::exponential`] and its siblings, or with [`Policy::parse`]. A policy
/// holds neither state nor randomness: together with a [`RandomStream`] and an index it gives a
/// delay, always the same one.
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{Jitter, Policy, RandomStream};
/// let policy = Policy::exponential(Duration::from_millis(100))
///     .jitter(Jitter::Full)
///     .cap(Duration::from_secs(20))
///     .build()?;
/// let stream = RandomStream::from_key(42, "job-1");
/// assert_eq!(policy.delay(stream, 3), Duration::from_nanos(83_486_434));
/// # Ok::<(), backoff_core::PolicyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Policy(pub(crate) ScheduleParams);

impl Policy {
    /// The policy that a policy string describes (SPEC 11): `full:base=100ms,cap=20s,max_retries=5`,
    /// or a preset, as it is or changed: `aws-sdk-2026:max_retries=5`.
    ///
    /// The string is a head and `key=value` pairs, without spaces. The head is a growth
    /// (`constant`, `linear`, `exponential`, `polynomial`, `fibonacci`, `steps`), a shorthand for
    /// exponential growth with a jitter (`full`, `equal`, `decorrelated`) or a preset. The keys are
    /// the names of [`Field`], such as `base`, `cap`, `jitter` and `max_retries`. A duration has one
    /// unit (`ns`, `us`, `ms`, `s`, `m`, `h`, `d`) and may have decimals. The waits of `steps` are
    /// durations with slashes between them: `steps:waits=5s/5m/30m`. The value `none` unsets a
    /// field of a preset, and `retry_after_max=none` removes that limit.
    ///
    /// Without `max_retries`, `max_attempts` or `max_elapsed` a policy retries for ever. So does the
    /// preset `none`, and without a wait; no retries at all is `max_retries=0`.
    ///
    /// # Errors
    /// The rule that the string breaks first, the position in bytes, and the text found there.
    ///
    /// ```
    /// use backoff_core::Policy;
    /// let policy = Policy::parse("gax:max_retries=5")?;
    /// assert_eq!(
    ///     policy.to_string(),
    ///     "exponential:base=1s,cap=30s,floor=1ns,jitter=full,max_retries=5"
    /// );
    /// let error = Policy::parse("gax:cap=x").unwrap_err();
    /// assert!(format!("{error:?}").ends_with("at: 8, found: \"x\" }"));
    /// assert_eq!(format!("{:?}", Policy::parse("none")?), r#"Policy("constant:base=0s")"#);
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, ParseError> {
        let parsed = Parsed::read(TextKind::Policy, text.as_ref())?;
        Self::from_params(&parsed.params()).map_err(|error| parsed.locate(error))
    }

    pub(crate) fn from_params(params: &FieldSet) -> Result<Self, PolicyError> {
        build(params).map(Self)
    }

    /// The policy string of this policy, without presets. Parsing it gives an equal policy, and
    /// equal policies have equal strings.
    #[must_use]
    pub fn text(&self) -> TextBuf {
        print(TextKind::Policy, &self.0.values())
    }

    /// The value of a field (SPEC 5.4), with the default filled in. There is none for a field that
    /// this policy does not use, such as `increment` without linear growth, and for a field of
    /// budgets.
    ///
    /// A field without a limit is `Some(FieldValue::NoLimit)`: the policy uses it, whether it was set or not.
    ///
    /// A duration has a resolution of 1 ns and is at most [`MAX_NS`](crate::MAX_NS). `max_attempts`
    /// is one more than `max_retries`. Each value with its field in a builder
    /// ([`Policy::to_builder`]) makes an equal policy.
    ///
    /// ```
    /// use std::time::Duration;
    /// use backoff_core::{Field, FieldValue, Policy, Ratio};
    /// let policy = Policy::parse("grpc-connect")?;
    /// assert_eq!(policy.get(Field::Growth), Some(FieldValue::Kind("exponential")));
    /// assert_eq!(policy.get(Field::Cap), Some(FieldValue::Duration(Duration::from_secs(120))));
    /// assert_eq!(policy.get(Field::Multiplier), Some(FieldValue::Ratio(Ratio::new(8, 5))));
    /// assert_eq!(policy.get(Field::MaxRetries), Some(FieldValue::NoLimit));
    /// assert_eq!(policy.get(Field::Increment), None);
    /// let multiplier = policy.get(Field::Multiplier).map(|value| value.to_string());
    /// assert_eq!(multiplier.as_deref(), Some("1.6"));
    /// # Ok::<(), backoff_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn get(&self, field: Field) -> Option<FieldValue> {
        FieldValue::of(field, self.number(field)?, &self.0.waits)
    }

    /// The number of the value of a field, if this policy uses the field.
    pub(crate) fn number(&self, field: Field) -> Option<u64> {
        if field == Field::MaxAttempts {
            return Some(self.max_attempts());
        }
        let values = self.0.values();
        let is_of_policies = POLICY_FIELDS.contains(&field);
        (is_of_policies && values.uses(field)).then(|| values.get(field))
    }

    /// The fields of this policy with the defaults filled in. Unused fields stay out. Building
    /// them again gives an equal policy.
    pub(crate) fn params(&self) -> FieldSet {
        let values = self.0.values();
        FieldSet::from_values(&values, |field| values.uses(field))
    }

    /// The delay of an index in nanoseconds, at most [`MAX_NS`](crate::MAX_NS) (SPEC 6, 7).
    ///
    /// Index 0 is the wait before the first retry. Indices can be evaluated in any order. The
    /// cost is bounded: at most 4,096 steps, and few for common policies.
    #[must_use]
    #[inline]
    pub fn delay_ns(&self, stream: RandomStream, index: u32) -> u64 {
        delay_ns(&self.0, self.0.base, stream, index)
    }

    /// [`Policy::delay_ns`] as a [`Duration`].
    #[must_use]
    #[inline]
    pub fn delay(&self, stream: RandomStream, index: u32) -> Duration {
        Duration::from_nanos(self.delay_ns(stream, index))
    }

    /// The window of an index in nanoseconds: the wait before jitter (SPEC 5).
    ///
    /// A cap on the window applies to it. Decorrelated jitter does not use it.
    #[must_use]
    pub fn window_ns(&self, index: u32) -> u64 {
        let policy = &self.0;
        GrowthState::at(policy, index).window(policy, index.into())
    }

    /// [`Policy::window_ns`] as a [`Duration`].
    #[must_use]
    pub fn window(&self, index: u32) -> Duration {
        Duration::from_nanos(self.window_ns(index))
    }

    /// Writes the delays of `first`, `first + 1`, ... in nanoseconds and returns how many it
    /// wrote: all of `delays`, or fewer if index 2^32 - 1 comes first.
    pub fn fill_ns(&self, stream: RandomStream, first: u32, delays: &mut [u64]) -> usize {
        let delays = at_most(delays, EVERY_INDEX.saturating_sub(first.into()));
        let policy = &self.0;
        DelayState::at(policy, stream, first).fill(policy, stream, first.into(), delays);
        delays.len()
    }

    /// The maximum number of retries; 2^32 means no limit.
    #[must_use]
    pub const fn max_retries(&self) -> u64 {
        self.0.numbers.max_retries
    }

    /// The number of retries that have an index.
    pub(crate) fn retries(&self) -> u64 {
        self.0.numbers.max_retries.min(EVERY_INDEX)
    }

    /// The number of retries that are left, as a size hint.
    pub(crate) fn retries_left(&self, retries: u64) -> (usize, Option<usize>) {
        let left = usize::try_from(self.retries().saturating_sub(retries));
        (left.unwrap_or(usize::MAX), left.ok())
    }

    /// The maximum number of attempts, one more than the retries; 2^32 + 1 means no limit.
    #[must_use]
    pub const fn max_attempts(&self) -> u64 {
        self.0.numbers.max_retries.saturating_add(1)
    }

    /// The shortest, mean and longest delay of each retry (SPEC 16). Without `max_retries` there can
    /// be 2^32 rows: use [`Iterator::take`].
    #[must_use]
    pub fn preview(&self) -> Preview {
        Preview::new(&self.0)
    }

    /// This policy with the longest base with which `attempts` always fit into `total_ns` of
    /// waiting (SPEC 16.5), if no failure is throttled and the server sends no `Retry-After`. The
    /// base is at least 1 ns. The limits of the policy are ignored, and stay as they are.
    ///
    /// ```
    /// use backoff_core::Policy;
    /// let policy = Policy::parse("full:base=1s,cap=20s")?.fit_base(4, 700_000_000)?;
    /// assert_eq!(policy.to_string(), "exponential:base=100ms,cap=20s,jitter=full");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DoesNotFit`](crate::ErrorCode::DoesNotFit) if no base is short enough;
    /// [`TooSmall`](crate::ErrorCode::TooSmall) or [`TooLarge`](crate::ErrorCode::TooLarge) for
    /// attempts outside 1 to 65,536 or a total above [`MAX_NS`](crate::MAX_NS).
    pub fn fit_base(&self, attempts: u64, total_ns: u64) -> Result<Self, PolicyError> {
        fit(&self.0, Field::Base, attempts, total_ns).map(Self)
    }

    /// This policy with the longest cap with which `attempts` always fit into `total_ns` of
    /// waiting; otherwise like [`Policy::fit_base`].
    ///
    /// # Errors
    /// Those of [`Policy::fit_base`].
    pub fn fit_cap(&self, attempts: u64, total_ns: u64) -> Result<Self, PolicyError> {
        fit(&self.0, Field::Cap, attempts, total_ns).map(Self)
    }
}

/// The first `count` elements, or all of them.
pub(crate) fn at_most(delays: &mut [u64], count: u64) -> &mut [u64] {
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(delays.len());
    delays.split_at_mut_checked(count).unwrap_or_default().0
}

impl FromStr for Policy {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Policy").field(&self.text()).finish()
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}
