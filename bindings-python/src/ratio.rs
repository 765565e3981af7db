//! Ratios: Python's numbers to the core's, and the core's to `fractions.Fraction`.

use backoff_core::Ratio;
use backoff_core::ffi::ratio_value;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};

use crate::errors::{self, class};
use crate::numbers::{self, Value};

const EXPECTED: &str = "a float, int, Decimal, Fraction or a pair of ints";

/// The bits of a float's significand: those that it has, and the one that it does not.
const HIDDEN: u64 = 1 << (f64::MANTISSA_DIGITS - 1);
const FRACTION: u64 = HIDDEN - 1;

/// Stands in for a ratio with a term above 32 bits.
const UNREPRESENTABLE: Value = Value::Unrepresentable(ratio_value(u32::MAX, 1));

/// The value of a ratio. A float means the millionth that is nearest; every other number has exact
/// terms.
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
    let ratio = nearest_millionth(float).map(|(n, d)| Value::Exact(ratio_value(n, d)));
    Ok(ratio.unwrap_or(UNREPRESENTABLE))
}

/// The terms of the millionth that is nearest to the exact value of a float that is not negative, ties
/// to even; `None` if one is above 32 bits.
fn nearest_millionth(float: f64) -> Option<(u32, u32)> {
    const MILLION: u32 = 1_000_000;
    let whole = float.trunc();
    if whole > f64::from(u32::MAX) {
        return None;
    }
    // Below 2^32, the rest is a whole number of 2^-1074, and exact. Its product has at most 73 bits.
    let bits = (float - whole).to_bits();
    let exponent = u32::try_from(bits.wrapping_shr(f64::MANTISSA_DIGITS.wrapping_sub(1))).ok()?;
    let fraction = bits & FRACTION;
    let significand = if exponent == 0 { fraction } else { fraction | HIDDEN };
    let product = u128::from(significand).checked_mul(MILLION.into())?;
    let shift = 1075_u32.checked_sub(exponent.max(1))?;
    let (rest, half) = match 1_u128.checked_shl(shift) {
        Some(one) => (product & one.wrapping_sub(1), one.wrapping_shr(1)),
        None => (0, 1),
    };
    let down = u32::try_from(product.checked_shr(shift).unwrap_or(0)).ok()?;
    let up = rest > half || (rest == half && down & 1 == 1);
    let part = Ratio::new(down.saturating_add(up.into()), MILLION);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole and has 32 bits"
    )]
    let whole = whole as u32;
    let numerator = whole.checked_mul(part.denominator())?.checked_add(part.numerator())?;
    Some((numerator, part.denominator()))
}

fn is_int(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>()
}

/// The `Fraction` of a ratio.
pub(crate) fn fraction(py: Python<'_>, ratio: Ratio) -> PyResult<Bound<'_, PyAny>> {
    let terms = (ratio.numerator(), ratio.denominator());
    class!(py, "fractions", "Fraction")?.call1(terms)
}
