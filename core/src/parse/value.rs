//! Reading the value of a key (SPEC 11.4).

use crate::error::code::ErrorCode;
use crate::field::kind::number_of;
use crate::field::waits::Waits;
use crate::field::{Field, Unit};
use crate::number::arithmetic::MAX_NS;
use crate::number::digits::{count, is_digits, split};
use crate::number::ratio::{Ratio, RatioError};
use crate::text::buffer::DURATION_UNITS;

/// The meaning of a value.
pub(crate) enum Value {
    /// The field is not set.
    Unset,
    Number(u64),
    Waits(Waits),
    /// A ratio as the value of `jitter`.
    Proportional(u64),
}

/// Why a value is refused, and which part of it.
pub(crate) struct ValueError {
    pub(crate) code: ErrorCode,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Reads the value of a field, in the form of the field's unit.
pub(crate) fn read(field: Field, value: &[u8]) -> Result<Value, ValueError> {
    let whole = |code| ValueError { code, start: 0, end: value.len() };
    if value == b"none" {
        // An unset `retry_after_max` has a limit of its own, so only a value lifts it.
        let is_limit = field == Field::RetryAfterMax;
        return Ok(if is_limit { Value::Number(MAX_NS) } else { Value::Unset });
    }
    match field.unit() {
        Unit::Duration => duration(value).map(Value::Number),
        Unit::Waits => waits(value).map(Value::Waits),
        Unit::Count => count(value).map(Value::Number).ok_or(whole(ErrorCode::NotACount)),
        Unit::Ratio => ratio(value).map(Value::Number).map_err(whole),
        Unit::Kind(_)
            if field == Field::Jitter && value.first().is_some_and(u8::is_ascii_digit) =>
        {
            ratio(value).map(Value::Proportional).map_err(whole)
        }
        Unit::Kind(names) => match number_of(names, value) {
            0 => Err(whole(ErrorCode::UnknownKind)),
            number => Ok(Value::Number(number)),
        },
    }
}

fn ratio(text: &[u8]) -> Result<u64, ErrorCode> {
    match Ratio::parse_bytes(text) {
        Ok(ratio) => Ok(ratio.to_value()),
        Err(RatioError::Syntax | RatioError::TooLong) => Err(ErrorCode::NotARatio),
        Err(RatioError::ZeroDenominator) => Err(ErrorCode::ZeroDenominator),
        Err(RatioError::TooFine) => Err(ErrorCode::RatioTooFine),
    }
}

/// A number and a unit in nanoseconds, saturating at 64 bits.
pub(crate) fn duration(value: &[u8]) -> Result<u64, ValueError> {
    let end = value.len();
    let error = |code, start| ValueError { code, start, end };
    let is_numeric = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let numeric = value.iter().position(|byte| !is_numeric(byte)).unwrap_or(end);
    let (number, unit) = value.split_at_checked(numeric).unwrap_or_default();
    let (units, decimals) = split(number, b'.');
    let decimals = Some(decimals.unwrap_or(b"0")).filter(|decimals| is_digits(decimals));
    let (Some(units), Some(decimals)) = (count(units), decimals) else {
        return Err(error(ErrorCode::NotADuration, 0));
    };
    if unit.is_empty() {
        return Err(error(ErrorCode::MissingUnit, end));
    }
    let Some((_, ns)) = DURATION_UNITS.into_iter().find(|(name, _)| name.as_bytes() == unit) else {
        return Err(error(ErrorCode::UnknownUnit, numeric));
    };
    let Some(fraction) = fraction(decimals, ns) else {
        return Err(error(ErrorCode::DurationTooFine, 0));
    };
    Ok(units.saturating_mul(ns).saturating_add(fraction))
}

/// Durations that are separated by a slash.
fn waits(value: &[u8]) -> Result<Waits, ValueError> {
    let (mut waits, mut start, mut rest) = (Waits::default(), 0_usize, Some(value));
    while let Some(entries) = rest {
        let (entry, after) = split(entries, b'/');
        waits.push(duration(entry).map_err(|error| ValueError {
            start: error.start.saturating_add(start),
            end: error.end.saturating_add(start),
            ..error
        })?);
        start = start.saturating_add(entry.len()).saturating_add(1);
        rest = after;
    }
    Ok(waits)
}

/// The decimals of a unit in nanoseconds, if they are a whole number: from the last digit to the
/// first, each step must divide by ten exactly.
fn fraction(decimals: &[u8], ns: u64) -> Option<u64> {
    decimals.iter().rev().try_fold(0_u64, |fraction, digit| {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        let tenths = fraction.checked_add(digit.checked_mul(ns)?)?;
        if tenths.checked_rem(10)? > 0 { None } else { tenths.checked_div(10) }
    })
}
