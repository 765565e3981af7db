//! Ratios: Python's numbers to the core's, and the core's to `fractions.Fraction`.

use std::iter;

use backoff_core::Ratio;
use backoff_core::ffi::ratio_value;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};

use crate::errors::{self, class};
use crate::numbers::{self, Value};

const EXPECTED: &str = "a float, int, Decimal, Fraction or a pair of ints";

/// Stands in for a ratio with a term above 32 bits.
const UNREPRESENTABLE: Value = Value::Unrepresentable(ratio_value(u32::MAX, 1));

/// The largest term of a ratio that the core accepts.
const MAX_TERM: u32 = 1_000_000;

/// The value of a ratio. A float means its shortest decimal text, or a rounded one (SPEC 8.7), which
/// the core parses; every other number has exact terms.
pub(crate) fn value(field: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(float) = object.cast::<PyFloat>() {
        return of_float(field, object, float.value());
    }
    let wrong_type = || errors::wrong_type(field, EXPECTED, object);
    let (n, d) = if let Ok(pair) = object.cast::<PyTuple>() {
        let (n, d) = pair.extract().map_err(|_| wrong_type())?;
        if !is_int(&n) || !is_int(&d) {
            return Err(wrong_type());
        }
        (n, d)
    } else {
        numbers::fraction(field, object)?.ok_or_else(wrong_type)?
    };
    if n.lt(0)? || d.lt(0)? {
        return Err(numbers::negative(field, object));
    }
    Ok(match (n.extract::<u32>(), d.extract::<u32>()) {
        (Ok(n), Ok(d)) => Value::Exact(ratio_value(n, d)),
        _ => UNREPRESENTABLE,
    })
}

fn of_float(field: &str, object: &Bound<'_, PyAny>, float: f64) -> PyResult<Value> {
    if !float.is_finite() {
        return Err(numbers::not_finite(field, object));
    }
    if float < 0.0 {
        return Err(numbers::negative(field, object));
    }
    // -0.0 has a sign.
    let float = float.abs();
    let shortest = Ratio::parse(float.to_string());
    let rounded = (1..=6).rev().map(|decimals| Ratio::parse(format!("{float:.decimals$}")));
    let is_valid = |ratio: &Ratio| ratio.numerator().max(ratio.denominator()) <= MAX_TERM;
    let ratio = iter::once(shortest).chain(rounded).filter_map(Result::ok).find(is_valid);
    Ok(ratio.map_or(UNREPRESENTABLE, |ratio| {
        Value::Exact(ratio_value(ratio.numerator(), ratio.denominator()))
    }))
}

fn is_int(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>()
}

/// The `Fraction` of a ratio.
pub(crate) fn fraction(py: Python<'_>, ratio: Ratio) -> PyResult<Bound<'_, PyAny>> {
    let terms = (ratio.numerator(), ratio.denominator());
    class!(py, "fractions", "Fraction")?.call1(terms)
}
