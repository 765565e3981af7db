//! Why a policy was refused.

use core::fmt;

use crate::field::Field;
use crate::message::Parts;
use crate::text::Text;

/// The rule that a policy, a budget or its line broke. Its number is part of the C ABI and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A growth, jitter or place of the cap that is not on the list.
    UnknownKind = 1,
    /// A field that the policy needs was not given.
    Missing = 2,
    /// A field was given that the growth or jitter does not use.
    Unused = 3,
    /// The value is above the limit.
    TooLarge = 4,
    /// The value is below the limit.
    TooSmall = 5,
    /// A ratio with a zero denominator.
    ZeroDenominator = 6,
    /// A ratio with a term above 1,000,000.
    RatioTooFine = 7,
    /// Decorrelated jitter on a growth that is not exponential.
    NotExponential = 8,
    /// The cap is below the base.
    CapBelowBase = 9,
    /// The offset is above the cap.
    OffsetAboveCap = 10,
    /// The floor is above the cap.
    FloorAboveCap = 11,
    /// The base is so small that the multiplier, floored, would leave it as it is.
    GrowthStalls = 12,
    /// Both names of one limit were given.
    GivenTwice = 13,
    /// A line that begins with no growth, pair, kind of budget or preset.
    UnknownHead = 14,
    /// A key that is no field.
    UnknownKey = 15,
    /// A key whose field an earlier pair gave.
    RepeatedKey = 16,
    /// A key without a value.
    MissingValue = 17,
    /// A value that does not begin with a number.
    NotADuration = 18,
    /// A duration without a unit.
    MissingUnit = 19,
    /// A duration in a unit that is none of d, h, m, s, ms, us, ns.
    UnknownUnit = 20,
    /// A duration that is no whole number of nanoseconds.
    DurationTooFine = 21,
    /// A value that is no ratio.
    NotARatio = 22,
    /// A value that is not digits alone.
    NotACount = 23,
    /// A line of more than 1024 bytes.
    TextTooLong = 24,
    /// So many attempts do not fit into the time, however short the base or cap.
    DoesNotFit = 25,
}

impl ErrorCode {
    /// Every code, in the order of the numbers.
    pub const ALL: [Self; 25] = [
        Self::UnknownKind,
        Self::Missing,
        Self::Unused,
        Self::TooLarge,
        Self::TooSmall,
        Self::ZeroDenominator,
        Self::RatioTooFine,
        Self::NotExponential,
        Self::CapBelowBase,
        Self::OffsetAboveCap,
        Self::FloorAboveCap,
        Self::GrowthStalls,
        Self::GivenTwice,
        Self::UnknownHead,
        Self::UnknownKey,
        Self::RepeatedKey,
        Self::MissingValue,
        Self::NotADuration,
        Self::MissingUnit,
        Self::UnknownUnit,
        Self::DurationTooFine,
        Self::NotARatio,
        Self::NotACount,
        Self::TextTooLong,
        Self::DoesNotFit,
    ];

    /// The name of the code, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownKind => "unknown_kind",
            Self::Missing => "missing",
            Self::Unused => "unused",
            Self::TooLarge => "too_large",
            Self::TooSmall => "too_small",
            Self::ZeroDenominator => "zero_denominator",
            Self::RatioTooFine => "ratio_too_fine",
            Self::NotExponential => "not_exponential",
            Self::CapBelowBase => "cap_below_base",
            Self::OffsetAboveCap => "offset_above_cap",
            Self::FloorAboveCap => "floor_above_cap",
            Self::GrowthStalls => "growth_stalls",
            Self::GivenTwice => "given_twice",
            Self::UnknownHead => "unknown_head",
            Self::UnknownKey => "unknown_key",
            Self::RepeatedKey => "repeated_key",
            Self::MissingValue => "missing_value",
            Self::NotADuration => "not_a_duration",
            Self::MissingUnit => "missing_unit",
            Self::UnknownUnit => "unknown_unit",
            Self::DurationTooFine => "duration_too_fine",
            Self::NotARatio => "not_a_ratio",
            Self::NotACount => "not_a_count",
            Self::TextTooLong => "text_too_long",
            Self::DoesNotFit => "does_not_fit",
        }
    }

    /// The code of a number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&code| code as u32 == number)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why a policy was refused: which rule, which field, its value and the limit (SPEC 8).
///
/// A line that was refused has a [`ParseError`](crate::ParseError).
///
/// ```
/// use std::time::Duration;
/// use backoff_core::{ErrorCode, Field, Policy};
/// let error = Policy::exponential(Duration::from_secs(2))
///     .cap(Duration::from_secs(1))
///     .build()
///     .unwrap_err();
/// assert_eq!(error.code(), ErrorCode::CapBelowBase);
/// assert_eq!(error.field(), Field::Cap);
/// assert_eq!(error.to_string(), "cap 1s is below base 2s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PolicyError {
    pub(crate) code: ErrorCode,
    pub(crate) field: Field,
    pub(crate) value: u64,
    pub(crate) limit: u64,
}

impl PolicyError {
    /// The error of these parts, for a binding that kept them as numbers.
    #[must_use]
    pub const fn from_parts(code: ErrorCode, field: Field, value: u64, limit: u64) -> Self {
        Self { code, field, value, limit }
    }

    /// The rule that was broken.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The field that broke it.
    #[must_use]
    pub const fn field(&self) -> Field {
        self.field
    }

    /// The value of the field, in its unit; 0 if it was not given, and 2^64 - 1 for a duration
    /// of more nanoseconds than that.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// What the value was measured against (SPEC 8 says what for each code).
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// The message, without the formatting machinery of `core::fmt`.
    #[must_use]
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        let Self { code, field, value, limit } = *self;
        Parts { code, field: Some(field), value, limit, line: None }.write(&mut text);
        text
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl core::error::Error for PolicyError {}
