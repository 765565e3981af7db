//! Reading a duration or a count (SPEC 11.4).

use crate::error::ErrorCode;
use crate::line::Bad;
use crate::text::UNITS;

/// Whether it is at least one digit, and nothing else.
pub(crate) fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The number that digits are, if it has at most 64 bits.
pub(crate) fn number<'a>(digits: impl IntoIterator<Item = &'a u8>) -> Option<u64> {
    digits.into_iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit.wrapping_sub(b'0')))
    })
}

/// What comes before the first such byte, and what after it if there is one.
pub(crate) fn split(text: &[u8], byte: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&b| b == byte) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at.saturating_add(1)..)),
        None => (text, None),
    }
}

/// Digits as a number; more than 64 bits of them are the largest.
pub(crate) fn count(digits: &[u8]) -> Option<u64> {
    is_digits(digits).then(|| number(digits).unwrap_or(u64::MAX))
}

/// A number and a unit as nanoseconds; more than 64 bits of them are the largest.
pub(crate) fn duration(value: &[u8]) -> Result<u64, Bad> {
    let end = value.len();
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let numeric = value.iter().position(|byte| !is_number(byte)).unwrap_or(end);
    let (number, unit) = value.split_at_checked(numeric).unwrap_or_default();
    let (units, decimals) = split(number, b'.');
    let decimals = Some(decimals.unwrap_or(b"0")).filter(|decimals| is_digits(decimals));
    let (Some(units), Some(decimals)) = (count(units), decimals) else {
        return Err(Bad { code: ErrorCode::NotADuration, from: 0, to: end });
    };
    if unit.is_empty() {
        return Err(Bad { code: ErrorCode::MissingUnit, from: end, to: end });
    }
    let Some((_, ns)) = UNITS.into_iter().find(|(name, _)| name.as_bytes() == unit) else {
        return Err(Bad { code: ErrorCode::UnknownUnit, from: numeric, to: end });
    };
    let Some(part) = part(decimals, ns) else {
        return Err(Bad { code: ErrorCode::DurationTooFine, from: 0, to: end });
    };
    Ok(units.saturating_mul(ns).saturating_add(part))
}

/// The decimals of a unit in nanoseconds, if they are whole: from the last digit to the
/// first, each step has to divide by ten exactly.
fn part(decimals: &[u8], ns: u64) -> Option<u64> {
    decimals.iter().rev().try_fold(0_u64, |part, digit| {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        let tenths = part.checked_add(digit.checked_mul(ns)?)?;
        if tenths.checked_rem(10)? > 0 { None } else { tenths.checked_div(10) }
    })
}
