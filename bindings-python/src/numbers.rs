//! Python's numbers, taken for exactly what they are: `as_integer_ratio` gives two ints, and
//! only ints are rounded.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList};

use crate::errors::{self, class};

/// The value of a field as the core takes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    Exact(u64),
    /// Stands in for a value that 64 bits cannot hold: the core rejects it by the same rule and
    /// with the same limit.
    Unrepresentable(u64),
}

impl Value {
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Exact(number) | Self::Unrepresentable(number) => number,
        }
    }

    /// The value of an int that is not negative.
    pub(crate) fn of_int(int: &Bound<'_, PyAny>) -> PyResult<Self> {
        match int.extract() {
            Ok(number) => Ok(Self::Exact(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(int.py()) => {
                Ok(Self::Unrepresentable(u64::MAX))
            }
            Err(error) => Err(error),
        }
    }
}

/// A whole number.
pub(crate) fn count(field: &str, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    let int = index(object)?.ok_or_else(|| errors::wrong_type(field, "an int", object))?;
    if int.lt(0)? {
        return Err(negative(field, object));
    }
    Value::of_int(&int)
}

/// The int that a value stands for; `None` if it is not an int. Calls `__index__` at most once.
pub(crate) fn index<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if object.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(object.clone()));
    }
    let Some(method) = object.getattr_opt("__index__")? else { return Ok(None) };
    match method.call0() {
        Ok(int) => Ok(Some(int).filter(PyAnyMethods::is_instance_of::<PyInt>)),
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A numerator and a denominator.
pub(crate) type Fraction<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The two ints whose quotient a number is; `None` if it is not a number.
pub(crate) fn fraction<'py>(
    field: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Fraction<'py>>> {
    let py = object.py();
    if object.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    let mut number = object.clone();
    if is_decimal(object)? {
        if let Some(fraction) = extreme_decimal(object)? {
            return Ok(Some(fraction));
        }
        number = shortened(object)?;
    }
    let Some(method) = number.getattr_opt("as_integer_ratio")? else {
        let one = 1_u32.into_pyobject(py)?.into_any();
        return Ok(index(object)?.map(|int| (int, one)));
    };
    match method.call0() {
        Ok(fraction) => fraction.extract().map(Some),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(None),
        Err(error)
            if error.is_instance_of::<PyValueError>(py)
                || error.is_instance_of::<PyOverflowError>(py) =>
        {
            Err(not_finite(field, object))
        }
        Err(error) => Err(error),
    }
}

/// Whether a value is a `decimal.Decimal`.
fn is_decimal(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    // Among numbers only a Decimal has this method: without one, the module is not imported.
    Ok(object.hasattr("adjusted")?
        && object.is_instance(class!(object.py(), "decimal", "Decimal")?)?)
}

/// The exponent beyond which a decimal is extreme.
const EXTREME: i64 = 400;

/// A fraction that has the sign of an extreme decimal and is beyond the same limits. The exact
/// one may have a term of a billion digits, as for `Decimal("1E+999999999")`.
fn extreme_decimal<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Fraction<'py>>> {
    let py = object.py();
    let exponent = object.call_method0("adjusted")?.extract::<i64>()?;
    if (-EXTREME..=EXTREME).contains(&exponent) {
        return Ok(None);
    }
    let int = |n: i64| n.into_pyobject(py).map(Bound::into_any);
    let sign = object.compare(0)? as i64;
    let large = int(10)?.pow(EXTREME, py.None())?;
    Ok(Some(if sign == 0 {
        (int(0)?, int(1)?)
    } else if exponent > 0 {
        (large.mul(sign)?, int(1)?)
    } else {
        (int(sign)?, large)
    }))
}

/// A decimal with a limited number of digits, so that its conversion takes limited time. It
/// rounds to the same nanosecond: `ROUND_05UP` never makes the last digit a 0 or 5 unless the
/// result is exact, so the decimal keeps its place between its neighbours, and is a tie only if
/// it was one.
fn shortened<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    // All digits before the point, and far more than 10 after it.
    const DIGITS: i64 = EXTREME + 100;
    let py = object.py();
    let settings = PyDict::new(py);
    settings.set_item("prec", DIGITS)?;
    settings.set_item("rounding", "ROUND_05UP")?;
    settings.set_item("Emin", -999_999)?;
    settings.set_item("Emax", 999_999)?;
    settings.set_item("traps", PyList::empty(py))?;
    let context = class!(py, "decimal", "Context")?.call((), Some(&settings))?;
    context.call_method1("plus", (object,))
}

pub(crate) fn negative(field: &str, object: &Bound<'_, PyAny>) -> PyErr {
    errors::invalid("negative", field, object, 0, "is below 0")
}

pub(crate) fn not_finite(field: &str, object: &Bound<'_, PyAny>) -> PyErr {
    errors::invalid("not_finite", field, object, 0, "is not finite")
}
