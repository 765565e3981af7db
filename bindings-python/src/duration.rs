//! Durations: Python's seconds and timedeltas to nanoseconds, and nanoseconds to float seconds.

use std::cmp::Ordering;

use pyo3::prelude::*;
use pyo3::types::{PyDelta, PyDeltaAccess};

use crate::errors;
use crate::numbers::{self, Fraction, Value};

const EXPECTED: &str = "seconds (int, float, Decimal or Fraction) or a timedelta";

/// A duration in nanoseconds, rounded to the nearest, ties to even.
pub(crate) fn nanoseconds(field: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    match timedelta(object) {
        Some(delta) => round(field, object, of_timedelta(delta)?),
        None => of_seconds(field, EXPECTED, object),
    }
}

/// The object as a timedelta. A number does not import datetime: a failure may need it, and must import
/// nothing.
fn timedelta<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyDelta>> {
    let may_be = object.get_type().hasattr("total_seconds").unwrap_or(false);
    if may_be { object.cast().ok() } else { None }
}

/// The same, of a number alone.
pub(crate) fn of_seconds(
    field: &str,
    expected: &str,
    object: &Bound<'_, PyAny>,
) -> PyResult<Value> {
    let seconds = numbers::fraction(field, object)?
        .ok_or_else(|| errors::wrong_type(field, expected, object))?;
    round(field, object, seconds)
}

fn of_timedelta<'py>(delta: &Bound<'py, PyDelta>) -> PyResult<Fraction<'py>> {
    let (days, seconds) = (i128::from(delta.get_days()), i128::from(delta.get_seconds()));
    let us = i128::from(delta.get_microseconds());
    let seconds = days.saturating_mul(86_400).saturating_add(seconds);
    let us = seconds.saturating_mul(1_000_000).saturating_add(us);
    let py = delta.py();
    Ok((us.into_pyobject(py)?.into_any(), 1_000_000_u32.into_pyobject(py)?.into_any()))
}

fn round<'py>(
    field: &str,
    object: &Bound<'py, PyAny>,
    (numerator, denominator): Fraction<'py>,
) -> PyResult<Value> {
    match numerator.compare(0)? {
        Ordering::Less => return Err(invalid("negative", field, object, 0, "is below 0")),
        Ordering::Equal => return Ok(Value::Exact(0)),
        Ordering::Greater => {}
    }
    let division = numerator.mul(1_000_000_000)?.divmod(&denominator)?;
    let (quotient, rest) = division.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
    let up = match rest.add(&rest)?.compare(&denominator)? {
        Ordering::Less => false,
        Ordering::Equal => quotient.bitand(1)?.is_truthy()?,
        Ordering::Greater => true,
    };
    let ns = if up { quotient.add(1)? } else { quotient };
    if ns.eq(0)? {
        let why = "rounds to 0ns; the shortest duration but 0 is 1ns";
        return Err(invalid("too_small", field, object, 1, why));
    }
    Value::of_int(&ns)
}

/// A duration for a message. A number has the unit of seconds: limits are in other units.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    let is_number = |text: &String| text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    match errors::text(object).filter(is_number) {
        // A timedelta begins with digits, too.
        Some(number) if timedelta(object).is_none() => number + "s",
        _ => errors::shown(object),
    }
}

/// A duration that cannot be converted.
pub(crate) fn invalid(
    code: &str,
    field: &str,
    object: &Bound<'_, PyAny>,
    limit: u64,
    why: &str,
) -> PyErr {
    errors::invalid_shown(code, field, (object, &shown(object)), limit, why)
}

/// The float nearest to a number of nanoseconds, in seconds.
pub(crate) fn seconds(ns: u64) -> f64 {
    // Up to here a float holds every nanosecond (104 days), and one division rounds once.
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    #[expect(clippy::cast_precision_loss, reason = "exact, or replaced below")]
    let rounded = ns as f64 / 1e9;
    if ns <= EXACT { rounded } else { parsed_seconds(ns).unwrap_or(rounded) }
}

/// The same by parsing a decimal, which rounds once, too.
#[cold]
fn parsed_seconds(ns: u64) -> Option<f64> {
    format!("{ns}e-9").parse().ok()
}
