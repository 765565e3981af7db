//! The value of a field as users read it, and its number.

use core::time::Duration;

use crate::field::kind::{name_of, number_of};
use crate::field::waits::Waits;
use crate::field::{Field, Unit};
use crate::number::ratio::Ratio;

/// The value of a [`Field`] of a policy or of a budget, in the unit of the field. It prints as
/// policy strings write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldValue {
    /// The name of a kind, such as `full`.
    Kind(&'static str),
    /// A duration, at most [`MAX_NS`](crate::MAX_NS) nanoseconds.
    Duration(Duration),
    /// A ratio in lowest terms.
    Ratio(Ratio),
    /// A whole number.
    Count(u64),
    /// No limit, which prints as `none`: of `cap`, `max_retries`, `max_attempts`, `max_elapsed`,
    /// `retry_after_max`, `retry_after_max_extra`, `attempt_timeout` and `reset_after`.
    NoLimit,
    /// The waits of growth in steps.
    Waits(Waits),
}

impl FieldValue {
    /// The value of a field with this number, or with these waits; none if no kind has the number.
    pub(crate) fn of(field: Field, number: u64, waits: &Waits) -> Option<Self> {
        Some(match field.unit() {
            _ if field.no_limit() == Some(number) => Self::NoLimit,
            Unit::Kind(names) => Self::Kind(name_of(names, number)?),
            Unit::Duration => Self::from_ns(number),
            Unit::Ratio => Self::Ratio(Ratio::from_value(number)),
            Unit::Count => Self::Count(number),
            Unit::Waits => Self::Waits(*waits),
        })
    }

    /// The number of this value of a field. A value of another unit has one that is refused.
    pub(crate) fn number(self, field: Field) -> u64 {
        match (self, field.unit()) {
            (Self::Kind(name), Unit::Kind(names)) => number_of(names, name.as_bytes()),
            (_, Unit::Kind(_)) => 0,
            (Self::Duration(_), Unit::Duration) => self.as_ns().unwrap_or(u64::MAX),
            (Self::Ratio(ratio), Unit::Ratio) => ratio.to_value(),
            (_, Unit::Ratio) => Ratio::new(u32::MAX, 1).to_value(),
            (Self::Count(count), Unit::Count) => count,
            (Self::NoLimit, _) => field.no_limit().unwrap_or(u64::MAX),
            _ => u64::MAX,
        }
    }

    /// The duration of this many nanoseconds.
    ///
    /// ```
    /// assert_eq!(backoff_core::FieldValue::from_ns(1_500_000_000).to_string(), "1500ms");
    /// ```
    #[must_use]
    pub const fn from_ns(ns: u64) -> Self {
        Self::Duration(Duration::from_nanos(ns))
    }

    /// The name of the kind, if this is one.
    #[must_use]
    pub const fn as_kind(self) -> Option<&'static str> {
        if let Self::Kind(name) = self { Some(name) } else { None }
    }

    /// The nanoseconds of the duration, if this is one. A duration of more than 64 bits of
    /// nanoseconds, which no field has, counts as 2^64 - 1.
    #[must_use]
    pub fn as_ns(self) -> Option<u64> {
        let Self::Duration(duration) = self else { return None };
        Some(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The ratio, if this is one.
    #[must_use]
    pub const fn as_ratio(self) -> Option<Ratio> {
        if let Self::Ratio(ratio) = self { Some(ratio) } else { None }
    }

    /// The waits, if these are some.
    #[must_use]
    pub const fn as_waits(self) -> Option<Waits> {
        if let Self::Waits(waits) = self { Some(waits) } else { None }
    }

    /// The whole number, if this is one.
    #[must_use]
    pub const fn as_count(self) -> Option<u64> {
        if let Self::Count(count) = self { Some(count) } else { None }
    }
}
